import Crypto
import CryptoExtras
import Foundation

/// The two key pairs that the seeds are signed with: those of the worked examples, in
/// `Tests/PushPlusAuthTests/Vectors/worked-example.json`. No tenant knows them.
struct ExampleKeys: Sendable {
    /// The private JWK of the RS256 account.
    static let rsa = """
        {"kty":"RSA","e":"AQAB","use":"sig","alg":"RS256",\
        "kid":"lIUF7wvurb5Shcl7zu6Z2kG07zGMBfQMMURbl4-OfUE",\
        "n":"66VjezW4Kib79F3tD6iCFWsaWGP19F3SPm9ylD2QWQOUa1UwN0IepfpxNjdawKM58zbxwILQ8K6evoa9zTjyL\
        -dD285jWKbqMYxXE0tN1yUYkNDh1H-NMUZT8q7XOT_chyDAKWP0vg8Ndo0X-ZFguWjUVRt3Jl7xVuXxTw7DTz4RFwd\
        rO_ph0mvCj9Ufo4CZa04E-3XYLkawlYa9cRkO9_LXre_dtv7MZa-K37d01AMRwhtF-sRCuRuuDM2v2xeVMNWW5c8Ul\
        Ggdks8YsKxV1ZlOvKi2Cld0mDVUPyC2P4ZP3KRyfMfQBJK4nGSwxfDcX8iPWHvTcXhOsoW8tjnHQQ",\
        "d":"CHS8I-b615pkBrIbKGlv15RrEtptcEowmfh2WF74L9WKzSo2q3j2MBcTWnJ0kX6Z_QIO_U1EcaqWfDhKFdPyD\
        umB3CClHICK3WHPmxvj7HFClynDvNQh7S98ojQHeaCyyW-RrbqORQa1wTgRcO14Vtbt7arpZOlZyDhCp0dcl1qNb3B\
        ElQwf2-hCiGhF59r_1vBkrvrsF6iYKiGBGJqwNr8ApMfi6uqjsMOJTOv4iv-iAutkEfjx_6V8LDFoqwNBi4KTIcFnu\
        HldPSmrutPmfwn7Y1TIiSm39_ORevZ7JUI1c1Am8E-erZfeGTsc4CET98QFp_S53El03PgSSwwSdQ",\
        "p":"_oO2E7n1kz-gyw_n1_nd361qw6fcqrhug7vMVQ5jpJK6jjMqdpJmWTuDiv4VirOu_oemuLQSu80ltcDvvuHae\
        7UYScFg2cse7fPYfrjknchV3fN3M6jq1zo1t97MfOyIHKwudYavRfM__T5UtldGDaFp3H1tQcXzRVyIltQvpsU",\
        "q":"7QV8ELDG2fIAOw2mb4RPBZ7WskATFl_O4yiFV-jQfGQNp7CmryUUQsoHMxM2sjSOa5zs5G32FOnJFj1FgT4LG\
        f-oqGiY2VjNVxP3E2VbGch4KV693X-FsQYz7FO0vUjwkf_tdNeOPXcEHh2R6ZZ8bLyTLOJ4zet98c3Yb23MBk0",\
        "dp":"4L5PtsWb68Xg588IzDdxTAXnZBRDkGFB_YOE4IrPRFDo-Y6G7aNDS4J5GvBY91zJpysD9s_URw_VP9S6H9Vy\
        R5DXfLGNI2Twz_BmeSgtgIKaCF7oIK8FiL53FwFfkuSPILqOX-tptJwjIi27QjR4wKqLP09mfhEdS191obKGzX0",\
        "dq":"tAQ5YTfSH4_EixVn9kSn-93StFkj5hdoO3D4LXdeeUtIb7ckMdvYko18gFc0cI6oKKVr6mZ1wxZ4qpJoqqtj\
        pSBeiWG_zTu74UoBmtKdKWzvjoQtcgA7muLaJsDAgg7W4BxfziE1IAu3rePJgX7RC4kBwtJS7BrScgdkPeVHUvU",\
        "qi":"K7YDyN2wGnEs23kyyH4jX0Ka26dEwHpQaph7Hk-IkZV_FfhpQTRGv088dmOe7PovyktK0z7LIxrDmTmtJ9sK\
        9kpaQxLby2Kn4KaptXxw2eLqEoVq3k7nRQfHOIIDklJnXHqhSeWfdeLMMlwpK-rKTaVJzJQxgSPT85Cv_offd3w"}
        """

    /// The private JWK of the ES256 account.
    static let ec = """
        {"kty":"EC","crv":"P-256","use":"sig","alg":"ES256",\
        "kid":"QEqXsavwkg1nItUtNbp4mJKIDHk2HnhmSt_ChpO8DJs",\
        "x":"FBbB0PT0jzsjPHNm-KwFJOyc_eta68i8ayCwhOYtIng",\
        "y":"GVQf-8NIHm5B2INjQAX8Hp2zMVgVzhXGjAQ1NHjbbfg",\
        "d":"Jcr1Vkg0vKJwWDSyE6WTiwJQWOKe3Ga617CjQGko6B8"}
        """

    private struct JWK: Decodable {
        let kid: String
        let n: String?
        let e: String?
        let d: String
    }

    private let rsaName: String
    private let rsaKey: _RSA.Signing.PublicKey
    private let ecName: String
    private let ecKey: P256.Signing.PrivateKey

    init() throws {
        let rsa = try JSONDecoder().decode(JWK.self, from: Data(Self.rsa.utf8))
        let ec = try JSONDecoder().decode(JWK.self, from: Data(Self.ec.utf8))
        rsaName = rsa.kid
        rsaKey = try _RSA.Signing.PublicKey(
            n: Self.data(rsa.n ?? "") ?? Data(), e: Self.data(rsa.e ?? "") ?? Data())
        ecName = ec.kid
        ecKey = try P256.Signing.PrivateKey(rawRepresentation: Self.data(ec.d) ?? Data())
    }

    /// A push whose claims, whatever they are, the tenant signed.
    func push(signing claims: Data) throws -> Data {
        let header = Self.url(Data(#"{"alg":"ES256","typ":"JWT","kid":"\#(ecName)"}"#.utf8))
        let input = "\(header).\(Self.url(claims))"
        let signature = try ecKey.signature(for: Data(input.utf8)).rawRepresentation
        return Data(#"{"context":"\#(input).\#(Self.url(signature))"}"#.utf8)
    }

    /// The name of the key that signed a JWT, told without the SDK; `nil` if it is neither.
    func signer(of text: String) -> String? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.data(String(parts[0])),
            let members = try? JSONSerialization.jsonObject(with: header) as? [String: Any],
            let signature = Self.data(String(parts[2]))
        else { return nil }
        let input = Data("\(parts[0]).\(parts[1])".utf8)
        switch members["alg"] as? String {
        case "RS256":
            let isValid = rsaKey.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: input,
                padding: .insecurePKCS1v1_5)
            return isValid ? rsaName : nil
        case "ES256":
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            let isValid = signature.map { ecKey.publicKey.isValidSignature($0, for: input) }
            return isValid == true ? ecName : nil
        default: return nil
        }
    }

    private static func url(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    private static func data(_ url: String) -> Data? {
        let text = url.replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: "")
        return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
    }
}
