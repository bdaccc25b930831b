import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A key that envelopes are encrypted to for a short time.
struct TemporaryKey: Sendable {
    let key: P256.KeyAgreement.PrivateKey
    let application: String
    /// The activation whose scope it is; `nil` for the application's.
    let activation: String?
    /// When it is over, in milliseconds.
    let expiry: Int64
}

/// A compact JWS as the temporary keys' calls have it. Its parts are kept apart from any key.
struct CompactToken {
    let header: JSON.Object
    let claims: JSON.Object
    private let signed: Data
    private let signature: Data

    init?(_ text: String?) {
        guard let text else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]),
            let claims = Self.object(parts[1]),
            let signature = try? Base64.data(from: parts[2], as: .url)
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signed = Data("\(parts[0]).\(parts[1])".utf8)
    }

    private static func object(_ part: Substring) -> JSON.Object? {
        guard let bytes = try? Base64.data(from: part, as: .url) else { return nil }
        return try? JSON(parsing: bytes).object
    }

    func isMade(by key: Data) -> Bool {
        header["alg"]?.string == "HS256"
            && KeySchedule.mac(key, signed).isEqualInConstantTime(to: signature)
    }

    /// Writes a token; a signature of `nil` stays empty.
    static func text(
        _ claims: JSON.Object, algorithm: String, signature: (Data) -> Data?
    ) -> String {
        let header: JSON = ["alg": .string(algorithm), "typ": "JWT"]
        let signed =
            Base64.encode(header.data, as: .url) + "."
            + Base64.encode(JSON.object(claims).data, as: .url)
        let made = signature(Data(signed.utf8)) ?? Data()
        return signed + "." + Base64.encode(made, as: .url)
    }
}
