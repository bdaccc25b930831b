/// The fields of a command, in their one order.
struct Body {
    private var fields: [Tag: [UInt8]] = [:]

    init() {}

    init(_ fields: [Tag: [UInt8]]) {
        self.fields = fields
    }

    subscript(tag: Tag) -> [UInt8]? {
        get { fields[tag] }
        set { fields[tag] = newValue }
    }

    /// A field that the type of the command demands, so that reading it can't fail.
    func bytes(_ tag: Tag) -> [UInt8] { fields[tag] ?? [] }

    /// A field of one byte, likewise.
    func byte(_ tag: Tag) -> UInt8 { fields[tag]?.first ?? 0 }

    func text(_ tag: Tag) -> String { String(decoding: bytes(tag), as: UTF8.self) }

    /// Tag, length and value of each field, by ascending tags.
    var encoded: [UInt8] {
        fields.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { tag, value in
            tag.rawValue.bytes + UInt16(truncatingIfNeeded: value.count).bytes + value
        }
    }

    /// Reads what a device sent; `nil` for anything but the one encoding of what it may hold.
    init?(reading bytes: [UInt8], as contents: CommandType.Contents) {
        var rest = bytes[...]
        var last: UInt16?
        while !rest.isEmpty {
            guard rest.count >= 4 else { return nil }
            let number = UInt16(rest.prefix(2))
            let count = Int(UInt16(rest.dropFirst(2).prefix(2)))
            rest = rest.dropFirst(4)
            guard last.map({ $0 < number }) ?? true, rest.count >= count else { return nil }
            last = number
            let value = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            guard let tag = Tag(rawValue: number) else {
                guard number >= Tag.ignorable else { return nil }
                continue
            }
            guard contents.required.contains(tag) || contents.optional.contains(tag),
                tag.sizes.contains(count), !tag.isText || Self.isText(value)
            else { return nil }
            fields[tag] = value
        }
        guard contents.required.allSatisfy({ fields[$0] != nil }) else { return nil }
    }

    private static func isText(_ bytes: [UInt8]) -> Bool {
        !bytes.contains(0) && String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
    }
}

/// What a field of a body is.
enum Tag: UInt16 {
    case protocolVersion = 0x0001
    case userID = 0x0002
    case domain = 0x0003
    case clientNonce = 0x0004
    case serverNonce = 0x0005
    case deviceSigningKey = 0x0006
    case instanceKeys = 0x0007
    case deviceID = 0x000A
    case inReplyTo = 0x000D
    case issuedAt = 0x000E
    case notAfter = 0x000F
    case notificationIdentifier = 0x0010
    case requestID = 0x0020
    case sessionID = 0x0021
    case requestedMethod = 0x0022
    case challenge = 0x0023
    case displayForm = 0x0024
    case displayData = 0x0025
    case decision = 0x0026
    case methodUsed = 0x0027
    case displayDigest = 0x0028
    case authResponse = 0x0029
    case deviceSignature = 0x002A
    case sessionState = 0x002B
    case remainingAttempts = 0x002C
    case authToken = 0x002D
    case secondResponse = 0x002E
    case newInstanceKey = 0x002F
    case decidedHere = 0x0030
    case returnCode = 0x0070
    case readableMessage = 0x0071
    case customPayload = 0x0072
    case errorType = 0x0073
    case flowType = 0x0074
    case previousCommandType = 0x0075
    case commandSessionID = 0x0076
    case deviceData = 0x8001

    /// From here on a tag may be ignored by who doesn't know it.
    static let ignorable: UInt16 = 0x8000

    /// How many bytes a device's field may have.
    var sizes: ClosedRange<Int> {
        switch self {
        case .protocolVersion, .decision, .methodUsed: 1...1
        case .userID, .domain: 1...255
        case .clientNonce, .challenge, .displayDigest, .authResponse, .secondResponse,
            .newInstanceKey:
            32...32
        case .deviceSigningKey: 65...65
        case .instanceKeys: 67...100
        case .notificationIdentifier: 1...2064
        case .requestID: 1...64
        case .deviceSignature: 64...64
        case .deviceData: 0...4096
        default: 0...0xFFFF
        }
    }

    var isText: Bool {
        switch self {
        case .userID, .domain, .notificationIdentifier, .requestID: true
        default: false
        }
    }
}
