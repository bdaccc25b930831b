/// The first 52 bytes of a command.
struct CommandHeader {
    static let magic = Array("OOC1".utf8)
    static let suite: UInt8 = 1
    static let count = 52

    let type: CommandType
    let flags: UInt8
    let epoch: UInt8
    /// A registration handle or a device identifier, 16 bytes.
    let principal: [UInt8]
    /// 16 bytes.
    let flow: [UInt8]
    let counter: UInt64

    func bytes(bodyCount: Int) -> [UInt8] {
        Self.magic + [Self.suite, type.rawValue, flags, epoch] + principal + flow + counter.bytes
            + UInt32(truncatingIfNeeded: bodyCount).bytes
    }
}
