/// The 52 bytes that every OOC/1 command starts with. They are associated data of its sealing and
/// part of its key.
struct CommandHeader: Hashable, Sendable {
    static let size = 52
    static let magic: [UInt8] = [0x4F, 0x4F, 0x43, 0x31]
    static let suite: UInt8 = 1

    let type: CommandType
    let flags: CommandType.Flags

    /// 0 for the handshake, 1 for session keys.
    let epoch: UInt8

    /// The registration's handle or the device's identifier, 16 bytes.
    let principal: [UInt8]

    /// 16 bytes.
    let flow: [UInt8]
    let counter: UInt64
    let bodyLength: Int

    /// The header of a command that this device sends.
    init(
        _ type: CommandType, principal: [UInt8], flow: [UInt8], counter: UInt64, bodyLength: Int
    ) {
        self.type = type
        flags = type.flags[0]
        epoch = type.isHandshake ? 0 : 1
        self.principal = principal
        self.flow = flow
        self.counter = counter
        self.bodyLength = bodyLength
    }

    /// Reads a header; `nil` if it breaks a rule.
    init?(parsing bytes: some RandomAccessCollection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        let bytes = Array(bytes)
        guard bytes[0..<4].elementsEqual(Self.magic), bytes[4] == Self.suite,
            let type = CommandType(rawValue: bytes[5])
        else { return nil }
        let flags = CommandType.Flags(rawValue: bytes[6])
        let epoch = bytes[7]
        guard type.flags.contains(flags), epoch <= 1,
            type == .errorResponse || epoch == (type.isHandshake ? 0 : 1)
        else { return nil }
        self.type = type
        self.flags = flags
        self.epoch = epoch
        principal = Array(bytes[8..<24])
        flow = Array(bytes[24..<40])
        counter = UInt64(bigEndian: bytes[40..<48])
        bodyLength = Int(UInt64(bigEndian: bytes[48..<52]))
    }

    var bytes: [UInt8] {
        Self.magic + [Self.suite, type.rawValue, flags.rawValue, epoch] + principal + flow
            + counter.bigEndianBytes + UInt32(truncatingIfNeeded: bodyLength).bigEndianBytes
    }
}

extension FixedWidthInteger {
    /// Its bytes, most significant first.
    var bigEndianBytes: [UInt8] {
        (0..<Self.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
    }

    /// Reads up to as many bytes as fit, most significant first.
    init(bigEndian bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}
