/// Which tags a body has, and whether those are the ones that its type lists.
struct BodyContents {
    private let header: CommandHeader
    private let values: [BodyTag: [UInt8]]

    init(of header: CommandHeader, _ values: [BodyTag: [UInt8]]) {
        self.header = header
        self.values = values
    }

    /// Whether every tag that must be there is, and no other.
    var areWhole: Bool {
        let present = Set(values.keys)
        return required.isSubset(of: present)
            && present.isSubset(of: required.union(optional))
    }

    private var isPending: Bool { values[.sessionState] == [SessionState.pending.rawValue] }

    private var required: Set<BodyTag> {
        switch header.type {
        case .activationHello: [.protocolVersion, .userID, .domain, .clientNonce]
        case .activationChallenge:
            [.protocolVersion, .serverNonce, .inReplyTo, .issuedAt, .notAfter]
        case .activationProof: [.deviceSigningKey, .instanceKeys]
        case .activationInstances: [.deviceID, .inReplyTo, .challenge]
        case .instanceConfirm: [.authResponse]
        case .instanceConfirmed: [.inReplyTo, .challenge]
        case .activationFinalize: [.authResponse, .deviceSignature]
        case .activationComplete, .notificationRegistered, .changePasswordProved: [.inReplyTo]
        case .notificationRegister: [.notificationIdentifier]
        case .authenticationRequest, .transactionRequest: [.issuedAt, .notAfter, .requestID]
        case .authenticationFetch, .transactionFetch: [.requestID]
        case .authenticationChallenge, .transactionChallenge: challenge
        case .authenticationAnswer, .transactionAnswer:
            [.requestID, .challenge, .decision, .methodUsed, .displayDigest, .deviceSignature]
        case .authenticationResult, .transactionResult:
            [.inReplyTo, .requestID, .sessionState, .decidedHere]
        case .changePasswordProve: [.clientNonce, .authResponse, .newInstanceKey]
        case .errorResponse: error
        }
    }

    private var optional: Set<BodyTag> {
        switch header.type {
        case .instanceConfirm: [.secondResponse]
        case .activationFinalize: [.deviceData]
        case .authenticationAnswer, .transactionAnswer: [.authResponse]
        case .authenticationResult, .transactionResult: [.remainingAttempts, .authToken]
        case .changePasswordProved: [.remainingAttempts]
        case .errorResponse: [.customPayload]
        default: []
        }
    }

    private var challenge: Set<BodyTag> {
        guard isPending else { return [.inReplyTo, .requestID, .sessionState] }
        var tags: Set<BodyTag> = [
            .inReplyTo, .issuedAt, .notAfter, .requestID, .sessionID, .requestedMethod, .challenge,
            .displayForm, .sessionState,
        ]
        if values[.displayForm] != [0] { tags.insert(.displayData) }
        return tags
    }

    private var error: Set<BodyTag> {
        var tags: Set<BodyTag> = [
            .returnCode, .readableMessage, .errorType, .flowType, .previousCommandType,
            .commandSessionID,
        ]
        if !header.flags.contains(.unauthenticated) { tags.insert(.inReplyTo) }
        return tags
    }
}
