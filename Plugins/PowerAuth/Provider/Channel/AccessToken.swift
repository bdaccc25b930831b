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
    /// The name of the token that the plugin makes for itself.
    static let universalName = "possession_universal"

    /// The header it travels in.
    static let headerName = "X-PowerAuth-Token"

    /// How many bytes a nonce has.
    static let nonceByteCount = 16

    private static let secretByteCount = 16

    /// What is enough for a header without identifier and nonce.
    private static let ownRoom = 192

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
        let time = String(timestamp.unixMilliseconds)
        let (name, digestCount) = (version.rawValue, FastHMAC.byteCount)
        let coveredCount = nonce.count + time.utf8.count + name.utf8.count + 2
        let room = Self.ownRoom + id.utf8.count + Base64Text.count(ofBytes: nonce.count)
        return Workspace.lend(FastHMAC.scratchCount + digestCount + coveredCount) { memory in
            let scratch = UnsafeMutableRawBufferPointer(rebasing: memory[..<FastHMAC.scratchCount])
            let rest = UnsafeMutableRawBufferPointer(rebasing: memory[FastHMAC.scratchCount...])
            let digest = UnsafeMutableRawBufferPointer(rebasing: rest[..<digestCount])
            let covered = cover(
                version, nonce, time,
                in: UnsafeMutableRawBufferPointer(rebasing: rest[digestCount...]))
            secret.withBytes {
                FastHMAC.authenticate(covered, key: $0, scratch: scratch, into: digest)
            }
            // The identifier was looked at when the token was taken.
            return HeaderText.write(room: room) { header in
                header.put("version", name)
                header.put("token_id", id)
                header.put("token_digest", base64: UnsafeRawBufferPointer(digest))
                nonce.withUnsafeBytes { header.put("nonce", base64: $0) }
                header.put("timestamp", time)
            }.text
        }
    }

    /// Writes what the digest, an HMAC-SHA-256, covers: nonce, time and version, joined by `&`.
    private func cover(
        _ version: PowerAuthVersion, _ nonce: [UInt8], _ time: String,
        in memory: UnsafeMutableRawBufferPointer
    ) -> UnsafeRawBufferPointer {
        var writer = ByteWriter(memory)
        nonce.withUnsafeBytes { writer.put($0) }
        writer.put(ascii: "&")
        writer.put(time)
        if version != .v3_1 {
            writer.put(ascii: "&")
            writer.put(version.rawValue)
        }
        return UnsafeRawBufferPointer(rebasing: memory[..<writer.position])
    }
}
