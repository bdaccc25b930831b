import Crypto
import CryptoExtras
import Foundation
import PushCore

/// A Google service account as a JSON key file describes it: what a server signs in with.
struct ServiceAccount: Sendable {
    let project: String
    let email: String
    let keyID: String
    let key: _RSA.Signing.PrivateKey

    init(project: String, keyID: String, key: _RSA.Signing.PrivateKey) {
        self.project = project
        self.keyID = keyID
        self.key = key
        // Reserved by RFC 2606: nobody else's account can have this name.
        email = "pushauth@\(project).invalid"
    }

    /// Reads a key file; `nil` if it isn't one of these.
    init?(_ file: Data) {
        guard let json = try? JSON(parsing: file), json["type"]?.string == "service_account",
            let project = json["project_id"]?.string, let email = json["client_email"]?.string,
            let keyID = json["private_key_id"]?.string, let text = json["private_key"]?.string,
            let key = try? _RSA.Signing.PrivateKey(pemRepresentation: text)
        else { return nil }
        self.project = project
        self.email = email
        self.keyID = keyID
        self.key = key
    }

    /// The key file, for a token endpoint at a URL.
    func file(tokenURL: String) -> Data {
        let object: JSON = [
            "type": "service_account", "project_id": .string(project),
            "private_key_id": .string(keyID), "private_key": .string(key.pkcs8PEMRepresentation),
            "client_email": .string(email), "client_id": .string(keyID),
            "token_uri": .string(tokenURL),
        ]
        return object.data
    }

    /// Whether the account's key signed a token.
    func signed(_ token: CompactToken) -> Bool {
        key.publicKey.isValidSignature(
            .init(rawRepresentation: token.signature), for: SHA256.hash(data: token.signed),
            padding: .insecurePKCS1v1_5)
    }
}

extension RandomSource {
    /// Random bytes in hexadecimal.
    func hex(_ count: Int) -> String {
        bytes(count).withBytes { $0.hexadecimal }
    }
}
