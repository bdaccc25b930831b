/// The tags of a command's body.
enum BodyTag: UInt16, Hashable, Sendable, CaseIterable {
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

    /// From here on a tag that isn't known is ignored.
    static let ignorable: UInt16 = 0x8000

    /// Whether a value has a length that the tag allows.
    func allows(_ length: Int) -> Bool {
        switch self {
        case .instanceKeys: length == 67 || length == 100
        default: lengths.contains(length)
        }
    }

    /// Whether its value is a text: UTF-8 without NUL.
    var isText: Bool {
        switch self {
        case .userID, .domain, .notificationIdentifier, .requestID, .sessionID, .authToken,
            .readableMessage, .customPayload, .errorType, .deviceData:
            true
        default: false
        }
    }

    private var lengths: ClosedRange<Int> {
        switch self {
        case .protocolVersion, .requestedMethod, .displayForm, .decision, .methodUsed,
            .sessionState, .remainingAttempts, .decidedHere, .flowType, .previousCommandType:
            1...1
        case .returnCode: 4...4
        case .inReplyTo, .issuedAt, .notAfter: 8...8
        case .deviceID, .commandSessionID: 16...16
        case .clientNonce, .serverNonce, .challenge, .displayDigest, .authResponse,
            .secondResponse, .newInstanceKey:
            32...32
        case .deviceSignature: 64...64
        case .deviceSigningKey: 65...65
        case .instanceKeys: 67...100
        case .userID, .domain: 1...255
        case .notificationIdentifier: 1...2_064
        case .requestID: 1...64
        case .sessionID: 1...128
        case .displayData: 1...8_192
        case .authToken: 1...4_096
        case .readableMessage: 0...512
        case .customPayload: 0...1_024
        case .errorType: 1...32
        case .deviceData: 0...4_096
        }
    }
}
