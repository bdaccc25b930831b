import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A token of the server's: it reads, and registers for pushes, without a signature per request
/// (vendor: powerauth-crypto, `docs/MAC-Token-Based-Authentication.md`).
///
/// Its digest covers neither the path nor the body, so nothing that decides goes with it.
struct AccessToken: Sendable {
    /// The header it travels in.
    static let headerName = "X-PowerAuth-Token"

    /// How many bytes a nonce has.
    static let nonceByteCount = 16

    private static let secretByteCount = 16

    /// The token's identifier, in the case the server wrote it in.
    let id: String

    /// The token's secret, 16 bytes.
    let secret: Secret

    /// Takes a token.
    ///
    /// - Throws: `PushError` with the code `malformed` if the identifier can't stand in a header,
    ///   or the secret isn't of 16 bytes.
    init(id: String, secret: Secret) throws(PushError) {
        guard !id.isEmpty, (try? HeaderText.write([("token_id", id)])) != nil,
            secret.count == Self.secretByteCount
        else { throw PushError(.malformed, "A token has an unusable identifier or secret.") }
        self.id = id
        self.secret = secret
    }

    /// Reads the reply that brings a token, once it is decrypted.
    ///
    /// - Throws: `PushError` with the code `malformed`.
    init(reading reply: Secret) throws(PushError) {
        let members = try reply.withBytes { (text) throws(PushError) in try JSON(parsing: text) }
        guard let id = members["tokenId"]?.string, let secret = members["tokenSecret"]?.string
        else { throw PushError(.malformed, "A reply brings no token.") }
        try self.init(id: id, secret: StrictBase64.secret(secret, count: Self.secretByteCount))
    }

    /// The value of the header ``headerName``, for one request.
    ///
    /// - Parameters:
    ///   - version: From 3.2 on the digest covers it.
    ///   - nonce: ``nonceByteCount`` random bytes; servers take each once.
    ///   - timestamp: Now, by the server's clock as far as it is known.
    /// - Returns: The text of the header.
    func header(version: PowerAuthVersion, nonce: [UInt8], timestamp: Date) -> String {
        let time = "\(timestamp.unixMilliseconds)"
        let pairs = [
            ("version", version.rawValue), ("token_id", id),
            ("token_digest", Base64.encode(digest(version, nonce, time))),
            ("nonce", Base64.encode(nonce)), ("timestamp", time),
        ]
        return "PowerAuth " + pairs.map { "\($0)=\"\($1)\"" }.joined(separator: ", ")
    }

    /// HMAC-SHA-256 over nonce, time and version, joined by `&`.
    private func digest(
        _ version: PowerAuthVersion, _ nonce: [UInt8], _ time: String
    ) -> [UInt8] {
        let tail = version == .v3_1 ? "&\(time)" : "&\(time)&\(version.rawValue)"
        return secret.withBytes { key in
            Array(
                HMAC<SHA256>.authenticationCode(
                    for: nonce + Array(tail.utf8), using: SymmetricKey(data: key)))
        }
    }
}
