import Foundation
import PushCore
import PushJOSE

/// RFC 7515 appendix A.1: HS256, its JWK also in RFC 7517 appendix A.3.
enum RFC7515A1 {
    static let header = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
    static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
        + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    static let signature = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let jws = "\(header).\(payload).\(signature)"
    static let jwk = #"""
        {"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}
        """#
}

/// RFC 7515 appendix A.3: ES256.
enum RFC7515A3 {
    static let header = "eyJhbGciOiJFUzI1NiJ9"
    static let signature =
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSA"
        + "pmWQxfKTUJqPP3-Kg6NU1Q"
    static let jws = "\(header).\(RFC7515A1.payload).\(signature)"
    static let jwk = #"""
        {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
         "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
         "d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}
        """#
}

/// RFC 7638 section 3.1: an RSA key and its thumbprint.
enum RFC7638 {
    static let jwk = #"""
        {"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
         "e":"AQAB","alg":"RS256","kid":"2011-04-29"}
        """#
    static let thumbprint = "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
}

/// An RSA key of 2048 bits, and a token it signed: computed with Python's cryptography, verified with
/// Node's OpenSSL.
enum RSAExample {
    static let privateJWK = #"""
        {"kty":"RSA","n":"66VjezW4Kib79F3tD6iCFWsaWGP19F3SPm9ylD2QWQOUa1UwN0IepfpxNjdawKM58zbxwILQ8K6evoa9zTjyL-dD285jWKbqMYxXE0tN1yUYkNDh1H-NMUZT8q7XOT_chyDAKWP0vg8Ndo0X-ZFguWjUVRt3Jl7xVuXxTw7DTz4RFwdrO_ph0mvCj9Ufo4CZa04E-3XYLkawlYa9cRkO9_LXre_dtv7MZa-K37d01AMRwhtF-sRCuRuuDM2v2xeVMNWW5c8UlGgdks8YsKxV1ZlOvKi2Cld0mDVUPyC2P4ZP3KRyfMfQBJK4nGSwxfDcX8iPWHvTcXhOsoW8tjnHQQ","e":"AQAB","d":"CHS8I-b615pkBrIbKGlv15RrEtptcEowmfh2WF74L9WKzSo2q3j2MBcTWnJ0kX6Z_QIO_U1EcaqWfDhKFdPyDumB3CClHICK3WHPmxvj7HFClynDvNQh7S98ojQHeaCyyW-RrbqORQa1wTgRcO14Vtbt7arpZOlZyDhCp0dcl1qNb3BElQwf2-hCiGhF59r_1vBkrvrsF6iYKiGBGJqwNr8ApMfi6uqjsMOJTOv4iv-iAutkEfjx_6V8LDFoqwNBi4KTIcFnuHldPSmrutPmfwn7Y1TIiSm39_ORevZ7JUI1c1Am8E-erZfeGTsc4CET98QFp_S53El03PgSSwwSdQ","p":"_oO2E7n1kz-gyw_n1_nd361qw6fcqrhug7vMVQ5jpJK6jjMqdpJmWTuDiv4VirOu_oemuLQSu80ltcDvvuHae7UYScFg2cse7fPYfrjknchV3fN3M6jq1zo1t97MfOyIHKwudYavRfM__T5UtldGDaFp3H1tQcXzRVyIltQvpsU","q":"7QV8ELDG2fIAOw2mb4RPBZ7WskATFl_O4yiFV-jQfGQNp7CmryUUQsoHMxM2sjSOa5zs5G32FOnJFj1FgT4LGf-oqGiY2VjNVxP3E2VbGch4KV693X-FsQYz7FO0vUjwkf_tdNeOPXcEHh2R6ZZ8bLyTLOJ4zet98c3Yb23MBk0","dp":"4L5PtsWb68Xg588IzDdxTAXnZBRDkGFB_YOE4IrPRFDo-Y6G7aNDS4J5GvBY91zJpysD9s_URw_VP9S6H9VyR5DXfLGNI2Twz_BmeSgtgIKaCF7oIK8FiL53FwFfkuSPILqOX-tptJwjIi27QjR4wKqLP09mfhEdS191obKGzX0","dq":"tAQ5YTfSH4_EixVn9kSn-93StFkj5hdoO3D4LXdeeUtIb7ckMdvYko18gFc0cI6oKKVr6mZ1wxZ4qpJoqqtjpSBeiWG_zTu74UoBmtKdKWzvjoQtcgA7muLaJsDAgg7W4BxfziE1IAu3rePJgX7RC4kBwtJS7BrScgdkPeVHUvU","qi":"K7YDyN2wGnEs23kyyH4jX0Ka26dEwHpQaph7Hk-IkZV_FfhpQTRGv088dmOe7PovyktK0z7LIxrDmTmtJ9sK9kpaQxLby2Kn4KaptXxw2eLqEoVq3k7nRQfHOIIDklJnXHqhSeWfdeLMMlwpK-rKTaVJzJQxgSPT85Cv_offd3w","use":"sig","alg":"RS256","kid":"lIUF7wvurb5Shcl7zu6Z2kG07zGMBfQMMURbl4-OfUE"}
        """#
    static let publicJWK = #"""
        {"kty":"RSA","n":"66VjezW4Kib79F3tD6iCFWsaWGP19F3SPm9ylD2QWQOUa1UwN0IepfpxNjdawKM58zbxwILQ8K6evoa9zTjyL-dD285jWKbqMYxXE0tN1yUYkNDh1H-NMUZT8q7XOT_chyDAKWP0vg8Ndo0X-ZFguWjUVRt3Jl7xVuXxTw7DTz4RFwdrO_ph0mvCj9Ufo4CZa04E-3XYLkawlYa9cRkO9_LXre_dtv7MZa-K37d01AMRwhtF-sRCuRuuDM2v2xeVMNWW5c8UlGgdks8YsKxV1ZlOvKi2Cld0mDVUPyC2P4ZP3KRyfMfQBJK4nGSwxfDcX8iPWHvTcXhOsoW8tjnHQQ","e":"AQAB","use":"sig","alg":"RS256","kid":"lIUF7wvurb5Shcl7zu6Z2kG07zGMBfQMMURbl4-OfUE"}
        """#
    static let jws =
        "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImxJVUY3d3Z1cmI1U2hj"
        + "bDd6dTZaMmtHMDd6R01CZlFNTVVSYmw0LU9mVUUifQ.eyJzZWxlY3RlZF92YWx1Z"
        + "SI6IjA3IiwiaWF0IjoxNzAyMjQzMTA1LCJleHAiOjE3MDIyNDMyMjUsImp0aSI6I"
        + "jAwMDAwMDAwLTAwMDAtNDAwMC04MDAwLTAwMDAwMDAwMDAwMSJ9.e0d_B0c6536r"
        + "V986i8oEq_5Qs1qR21KN4Pfr4WomndrByjus7vXQ3QwkNiUYN0jEcV85BveLvAJC"
        + "9K6fn3EO5z_BVoSF_8Cfda3Fc5Xcb1itvjwuW29DiApPMB3NoOE8SlurKmUP-Du1"
        + "sT5G4liOFv0D38nh41si8NtUt_M3h1vaww6LlTEsfim8I-fCIi9T09R0XZrU9Zng"
        + "KbagA4WGk_uuu2NNie7ig4pw7xHpI0KUNzNWp3cZiLASHeuMWH1bxLWe_ABuNm1E"
        + "JKhJGMevvpizU0CaEKbd4LkEAF0uUCaUm1NULruK1x7ob4vj47p78tq7ZJz-fqcp"
        + "Vw3iwBpxvQ"
}

/// RFC 7520 section 4.3: ES512, by the key of its section 3.1.
enum RFC7520S43 {
    static let jwk = #"""
        {"kty":"EC","kid":"bilbo.baggins@hobbiton.example","use":"sig","crv":"P-521",
         "x":"AHKZLLOsCOzz5cY97ewNUajB957y-C-U88c3v13nmGZx6sYl_oJXu9A5RkTKqjqvjyekWF-7ytDyRXYgCF5cj0Kt",
         "y":"AdymlHvOiLxXkEhayXQnNCvDX4h9htZaCJN34kfmC6pV5OhQHiraVySsUdaQkAgDPrwQrJmbnX9cwlGfP-HqHZR1"}
        """#
    static let jws =
        "eyJhbGciOiJFUzUxMiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.SXTigJl"
        + "zIGEgZGFuZ2Vyb3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXA"
        + "gb250byB0aGUgcm9hZCwgYW5kIGlmIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5"
        + "vIGtub3dpbmcgd2hlcmUgeW91IG1pZ2h0IGJlIHN3ZXB0IG9mZiB0by4.AE_R_YZCChjn4791jSQCrdP"
        + "ZCNYqHXCTZH0-JZGYNlaAjP2kqaluUIIUnC9qvbu9Plon7KRTzoNEuT4Va2cmL1eJAQy3mtPBu_u_sDD"
        + "yYjnAMDxXPn7XrT0lw-kvAD890jl8e2puQens_IEKBpHABlsbEPX6sFY8OcGDqoRuBomu9xQ2"
}

/// RFC 7517 appendix A.2, whose first key is for encryption only.
enum RFC7517A2 {
    static let jwk = #"""
        {"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
         "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
         "d":"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE","use":"enc","kid":"1"}
        """#
}

func jwk(_ text: String) throws -> JWK {
    try JWK(parsing: Data(text.utf8))
}

/// The key of a JWK after changing some members; `nil` removes one.
func jwk(_ text: String, changing changes: [String: JSON?]) throws -> JWK {
    var members = try jwk(text).members
    for (name, value) in changes { members[name] = value }
    return try JWK(members)
}
