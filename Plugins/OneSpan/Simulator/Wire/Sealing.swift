import Crypto

/// A device's command whose outer form is right; nothing about it is proved.
struct ReceivedCommand {
    /// The most a command may have over the relay.
    static let limit = 16_384
    private static let keyCount = 65
    private static let tagCount = 16

    /// All of it, as it came.
    let bytes: [UInt8]
    let type: CommandType
    let contents: CommandType.Contents
    let principal: [UInt8]
    let flow: [UInt8]
    let counter: UInt64
    /// The sender's ephemeral key, where the type has one.
    let clearKey: P256.KeyAgreement.PublicKey?
    private let ciphertext: ArraySlice<UInt8>

    /// The first 52 bytes.
    var header: [UInt8] { Array(bytes.prefix(CommandHeader.count)) }

    /// Reads a command; `nil` if it is malformed, or only a server sends its like.
    init?(_ bytes: [UInt8]) {
        let start = CommandHeader.magic + [CommandHeader.suite]
        guard (CommandHeader.count...Self.limit).contains(bytes.count), bytes.starts(with: start),
            let type = CommandType(rawValue: bytes[5]), let contents = type.contents,
            bytes[6] == type.flags, bytes[7] == type.epoch
        else { return nil }
        let hasKey = type.flags & Flags.clearKey != 0
        let offset = CommandHeader.count + (hasKey ? Self.keyCount : 0)
        let count = Int(UInt32(bytes[48..<52]))
        guard bytes.count == offset + count + Self.tagCount else { return nil }
        if type == .activationProof {
            guard count == 140 || count == 173 else { return nil }
        }
        clearKey = hasKey ? P256.KeyAgreement.PublicKey(point: bytes[52..<offset]) : nil
        guard !hasKey || clearKey != nil else { return nil }
        self.bytes = bytes
        self.type = type
        self.contents = contents
        principal = Array(bytes[8..<24])
        flow = Array(bytes[24..<40])
        counter = UInt64(bytes[40..<48])
        ciphertext = bytes[offset...]
    }

    /// The body, if the key made its tag.
    func opened(by key: SymmetricKey) -> [UInt8]? {
        guard let nonce = try? AES.GCM.Nonce(data: Sealing.nonce),
            let box = try? AES.GCM.SealedBox(
                nonce: nonce, ciphertext: ciphertext.dropLast(Self.tagCount),
                tag: ciphertext.suffix(Self.tagCount)),
            let body = try? AES.GCM.open(
                box, using: key, authenticating: bytes[..<ciphertext.startIndex])
        else { return nil }
        return Array(body)
    }
}

extension P256.KeyAgreement.PublicKey {
    /// A key from its uncompressed point; `nil` if that isn't on the curve.
    init?(point: some Collection<UInt8>) {
        guard point.first == 4, point.count == 65,
            let key = try? Self(x963Representation: Array(point))
        else { return nil }
        self = key
    }
}

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
