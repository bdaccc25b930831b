import Crypto

/// How the server seals.
enum Sealing {
    /// Each message has its own key, so the nonce is always the same.
    static let nonce = [UInt8](repeating: 0, count: 12)

    /// A whole command: header, clear key if there is one, ciphertext and tag.
    static func sealed(
        _ body: Body, under header: CommandHeader, clearKey: [UInt8] = [],
        key: (_ header: [UInt8]) -> SymmetricKey
    ) throws(CommandRefusal) -> [UInt8] {
        let plain = body.encoded
        let headerBytes = header.bytes(bodyCount: plain.count)
        guard let nonce = try? AES.GCM.Nonce(data: nonce),
            let box = try? AES.GCM.seal(
                plain, using: key(headerBytes), nonce: nonce,
                authenticating: headerBytes + clearKey)
        else { throw .internalError }
        return headerBytes + clearKey + box.ciphertext + box.tag
    }

    /// An error that nobody authenticates.
    static func clear(_ body: Body, under header: CommandHeader) -> [UInt8] {
        let plain = body.encoded
        return header.bytes(bodyCount: plain.count) + plain
    }
}
