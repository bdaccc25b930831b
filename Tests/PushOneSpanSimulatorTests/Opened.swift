/// A server's command that a phone has opened, or one that needs no opening.
struct Opened {
    let type: UInt8
    let flags: UInt8
    let principal: [UInt8]
    let flow: [UInt8]
    let counter: UInt64
    let fields: [UInt16: [UInt8]]

    init(header: [UInt8], body: [UInt8]) {
        type = header[5]
        flags = header[6]
        principal = Array(header[8..<24])
        flow = Array(header[24..<40])
        counter = number(header[40..<48])
        var fields: [UInt16: [UInt8]] = [:]
        var rest = body[...]
        while rest.count >= 4 {
            let tag = UInt16(number(rest.prefix(2)))
            let count = Int(number(rest.dropFirst(2).prefix(2)))
            fields[tag] = Array(rest.dropFirst(4).prefix(count))
            rest = rest.dropFirst(4 + count)
        }
        self.fields = fields
    }

    /// Reads an error that nobody authenticates; `nil` if it isn't one.
    init?(clear command: [UInt8]) {
        guard command.count >= 52, command[5] == 0x7F, command[6] == 0x05 else { return nil }
        self.init(header: Array(command.prefix(52)), body: Array(command.dropFirst(52)))
    }

    func text(_ tag: UInt16) -> String? {
        fields[tag].map { String(decoding: $0, as: UTF8.self) }
    }

    /// The number of an error; `nil` for any other command.
    var code: Int32? {
        guard type == 0x7F, let bytes = fields[0x70] else { return nil }
        return Int32(truncatingIfNeeded: number(bytes))
    }

    var payload: String? { text(0x72) }
    var state: UInt8? { fields[0x2B]?.first }
    var attemptsLeft: UInt8? { fields[0x2C]?.first }
    var isDecidedHere: Bool? { fields[0x30]?.first.map { $0 == 1 } }
}
