/// The texts that a capture shows as they are: words of a protocol, never of a person.
///
/// Everything else is replaced by a mark. It names what is harmless, so that a secret nobody thought of
/// isn't shown.
enum OpenWords {
    /// Whether a text stays wherever it stands. None is long, and what is may take long to hash.
    static func has(_ text: String) -> Bool { text.utf8.count <= 40 && all.contains(text) }

    private static let all: Set<String> = Set(
        [jose, web, states, paths].flatMap {
            $0.split(whereSeparator: \.isWhitespace).map(String.init)
        })

    /// Whether a number of a member or a parameter is a moment or a duration, and no code of a user's:
    /// seconds or milliseconds since 1970 under a name of a time, or up to three digits under that of a
    /// duration.
    static func isTime(_ number: String, named name: String) -> Bool {
        guard !number.isEmpty, number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return false
        }
        guard isName(name) else { return false }
        let name = name.lowercased()
        if number.utf8.count <= 3 {
            return ["t", "ttl", "timeout", "expires_in", "expiresin"].contains(name)
        }
        let isMoment =
            name == "i" || ["iat", "exp", "nbf"].contains { name.hasPrefix($0) }
            || ["time", "stamp", "created", "date"].contains { name.contains($0) }
        return isMoment && [10, 13].contains(number.utf8.count)
            && "12".contains(number.first ?? "0")
    }

    /// A name that a person or a server chose, and not a protocol, could be anything.
    static func isName(_ name: String) -> Bool {
        var digits = 0
        for byte in name.utf8 {
            switch byte {
            case 0x30...0x39: digits += 1
            case 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D, 0x2E, 0x40, 0x24, 0x3A: continue
            default: return false
            }
        }
        return !name.isEmpty && name.utf8.count <= 32 && digits <= 3
    }

    private static let jose = """
        HS256 HS384 HS512 RS256 RS384 RS512 PS256 ES256 ES384 none dir JWT JWS JWK JWE EC RSA oct OKP P-256
        sig enc A128GCM A256GCM A128CBC-HS256 A256CBC-HS512 ECDH-ES RSA-OAEP RSA-OAEP-256
        """

    private static let web = """
        GET POST PUT PATCH DELETE HEAD http https application/json application/jwt application/jose
        text/html text/plain application/x-www-form-urlencoded application/json;charset=UTF-8 gzip
        chunked keep-alive close no-cache no-store true false null UTF-8 utf-8
        """

    private static let states = """
        OK ERROR ok error pending approved denied accepted rejected expired cancelled canceled failed active
        blocked success failure default challenge biometric push confirm number choose select selection
        authenticate register refresh registration apns fcm android ios Android iOS accept decline deny
        approve 1.0 2.0 3.0 3.1 3.2 3.3
        """

    private static let paths = """
        json realms root message messages sns authenticate api v1 v2 v3 v4 auth login token tokens pa
        activation create status remove detail list operation operations authorize cancel device devices
        challenge challenges resolve resolve_challenge enrollment enroll keystore upgrade commit ttype
        validate check register registration inbox history push notification command response
        _action _prettyPrint
        """
}
