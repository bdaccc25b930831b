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
