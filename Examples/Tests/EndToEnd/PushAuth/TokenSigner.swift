import Crypto
import CryptoExtras
import Foundation
import LocalServer
import PushCore

/// Signs tokens with a new key, and writes that key down in every form.
struct TokenSigner {
    let algorithm: String
    /// By the name of the file.
    let keyFiles: [String: String]
    private let sign: (Data) throws -> Data

    init(_ algorithm: String) throws {
        switch algorithm {
        case "HS256": self.init(secret: SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) })
        case "ES256":
            let key = P256.Signing.PrivateKey()
            let point = key.publicKey.rawRepresentation
            self.init(
                algorithm,
                [
                    "key.pem": key.publicKey.pemRepresentation,
                    "key.json": """
                    {"kty":"EC","crv":"P-256","x":"\(point.prefix(32).base64URL)",\
                    "y":"\(point.suffix(32).base64URL)"}
                    """,
                ]
            ) { try key.signature(for: $0).rawRepresentation }
        default:
            let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            let numbers = try key.publicKey.getKeyPrimitives()
            self.init(
                algorithm,
                [
                    "key.pem": key.publicKey.pemRepresentation,
                    "keys.json": """
                    {"keys":[{"kty":"OKP","crv":"Ed25519","x":"AAAA"},{"kty":"RSA","kid":"one",\
                    "n":"\(numbers.modulus.base64URL)","e":"\(numbers.publicExponent.base64URL)"}]}
                    """,
                ]
            ) {
                try key.signature(
                    for: SHA256.hash(data: $0), padding: .insecurePKCS1v1_5
                ).rawRepresentation
            }
        }
    }

    init(secret: Data) {
        self.init(
            "HS256",
            [
                "key.txt": secret.base64EncodedString() + "\n", "key.url": secret.base64URL,
                "key.json": "{\"kty\":\"oct\",\"k\":\"\(secret.base64URL)\"}",
            ]
        ) { Data(HMAC<SHA256>.authenticationCode(for: $0, using: SymmetricKey(data: secret))) }
    }

    private init(
        _ algorithm: String, _ keyFiles: [String: String], sign: @escaping (Data) throws -> Data
    ) {
        self.algorithm = algorithm
        self.keyFiles = keyFiles
        self.sign = sign
    }

    func token(_ claims: JSON) throws -> String {
        let header: JSON = ["alg": .string(algorithm), "typ": "JWT"]
        let input = header.data.base64URL + "." + claims.data.base64URL
        return input + "." + (try sign(Data(input.utf8))).base64URL
    }
}
