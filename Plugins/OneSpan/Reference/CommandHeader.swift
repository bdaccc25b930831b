import PushOneSpan

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

/// The types of OOC/1 commands.
enum CommandType: UInt8, Hashable, Sendable, CaseIterable {
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

    /// Whether the device sends it.
    var isFromDevice: Bool {
        switch self {
        case .activationHello, .activationProof, .instanceConfirm, .activationFinalize,
            .notificationRegister, .authenticationFetch, .authenticationAnswer, .transactionFetch,
            .transactionAnswer, .changePasswordProve:
            true
        default: false
        }
    }

    /// The reply to a command of the device.
    var reply: CommandType? {
        isFromDevice ? CommandType(rawValue: rawValue + 1) : nil
    }

    /// Whether it belongs to the handshake, before there are session keys.
    var isHandshake: Bool { rawValue <= 0x04 }

    /// Whether the device sends it sealed to the server's static key as well.
    var carriesPasswordProof: Bool {
        switch self {
        case .activationFinalize, .authenticationAnswer, .transactionAnswer, .changePasswordProve:
            true
        default: false
        }
    }

    /// The flags that it can have.
    var flags: [Flags] {
        switch self {
        case .activationHello: [.clearKey]
        case .activationChallenge: [[.fromServer, .clearKey]]
        case .errorResponse: [.fromServer, [.fromServer, .unauthenticated]]
        default: [carriesPasswordProof ? .clearKey : isFromDevice ? [] : .fromServer]
        }
    }

    /// The flags of a header.
    struct Flags: OptionSet, Hashable, Sendable {
        let rawValue: UInt8

        static let fromServer = Flags(rawValue: 0x01)
        static let clearKey = Flags(rawValue: 0x02)
        static let unauthenticated = Flags(rawValue: 0x04)
    }
}

extension AuthenticationMethod {
    /// The method that a byte names; `nil` if none has it.
    init?(code: UInt8) {
        switch code {
        case 0: self = .none
        case 1: self = .password
        case 2: self = .biometric
        default: return nil
        }
    }

    /// How a command names it.
    var code: UInt8 {
        switch self {
        case .none: 0
        case .password: 1
        case .biometric: 2
        }
    }
}
