/// What a command is: byte 5 of its header.
enum CommandType: UInt8 {
    case activationHello = 0x01
    case activationChallenge = 0x02
    case activationProof = 0x03
    case activationInstances = 0x04
    case instanceConfirm = 0x05
    case instanceConfirmed = 0x06
    case activationFinalize = 0x07
    case activationComplete = 0x08
    case notificationRegister = 0x10
    case notificationRegistered = 0x11
    case authenticationRequest = 0x20
    case authenticationFetch = 0x21
    case authenticationChallenge = 0x22
    case authenticationAnswer = 0x23
    case authenticationResult = 0x24
    case transactionRequest = 0x30
    case transactionFetch = 0x31
    case transactionChallenge = 0x32
    case transactionAnswer = 0x33
    case transactionResult = 0x34
    case changePasswordProve = 0x40
    case changePasswordProved = 0x41
    case errorResponse = 0x7F

    /// What a device's command holds: the tags it must have, and those it may have.
    typealias Contents = (required: Set<Tag>, optional: Set<Tag>)

    /// What a device may send, and what it holds; `nil` for what only a server sends.
    var contents: Contents? {
        switch self {
        case .activationHello: ([.protocolVersion, .userID, .domain, .clientNonce], [])
        case .activationProof: ([.deviceSigningKey, .instanceKeys], [])
        case .instanceConfirm: ([.authResponse], [.secondResponse])
        case .activationFinalize: ([.authResponse, .deviceSignature], [.deviceData])
        case .notificationRegister: ([.notificationIdentifier], [])
        case .authenticationFetch, .transactionFetch: ([.requestID], [])
        case .authenticationAnswer, .transactionAnswer:
            (
                [
                    .requestID, .challenge, .decision, .methodUsed, .displayDigest,
                    .deviceSignature,
                ], [.authResponse]
            )
        case .changePasswordProve: ([.clientNonce, .authResponse, .newInstanceKey], [])
        default: nil
        }
    }

    /// Whether it belongs to the handshake, whose keys come from the activation itself.
    var isHandshake: Bool { rawValue <= CommandType.activationInstances.rawValue }

    /// The key epoch: byte 7 of the header.
    var epoch: UInt8 { isHandshake ? 0 : 1 }

    /// The flags of a device's command, and of a sealed one of the server's.
    var flags: UInt8 {
        switch self {
        case .activationHello, .activationFinalize, .authenticationAnswer, .transactionAnswer,
            .changePasswordProve:
            Flags.clearKey
        case .activationChallenge: Flags.fromServer | Flags.clearKey
        default: contents == nil ? Flags.fromServer : 0
        }
    }

    /// The flow an error reports: tag 0074.
    var flow: UInt8 {
        switch self {
        case .activationHello, .activationProof, .instanceConfirm, .activationFinalize: 1
        case .notificationRegister: 2
        case .authenticationFetch, .authenticationAnswer: 3
        case .transactionFetch, .transactionAnswer: 4
        case .changePasswordProve: 5
        default: 0
        }
    }

    /// Whether it concerns a transaction rather than a login.
    var isTransaction: Bool { rawValue & 0xF0 == 0x30 }
}

/// Byte 6 of the header.
enum Flags {
    static let fromServer: UInt8 = 0x01
    static let clearKey: UInt8 = 0x02
    static let unauthenticated: UInt8 = 0x04
}

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
