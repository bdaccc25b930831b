import PushCore
import PushOneSpan

/// The body of a command: canonical TLV, checked against what its type lists.
struct CommandBody: Sendable {
    private let values: [BodyTag: [UInt8]]

    /// Reads a body.
    ///
    /// - Parameters:
    ///   - bytes: What the sealing held.
    ///   - header: The command's header.
    /// - Throws: ``OneSpanError/commandMalformed`` unless it is canonical and whole.
    init(parsing bytes: UnsafeRawBufferPointer, of header: CommandHeader) throws(OrchestrationError)
    {
        var values: [BodyTag: [UInt8]] = [:]
        var previous = -1
        var rest = bytes[...]
        while !rest.isEmpty {
            guard rest.count >= 4 else { throw CommandEnvelope.malformed }
            let number = UInt16(bigEndian: rest.prefix(2))
            let length = Int(UInt16(bigEndian: rest.dropFirst(2).prefix(2)))
            rest = rest.dropFirst(4)
            guard Int(number) > previous, length <= rest.count else {
                throw CommandEnvelope.malformed
            }
            previous = Int(number)
            let value = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
            guard let tag = BodyTag(rawValue: number) else {
                guard number >= BodyTag.ignorable else { throw CommandEnvelope.malformed }
                continue
            }
            guard tag.allows(length), !tag.isText || Self.text(value) != nil else {
                throw CommandEnvelope.malformed
            }
            values[tag] = value
        }
        self.values = values
        guard BodyContents(of: header, values).areWhole else { throw CommandEnvelope.malformed }
    }

    /// A value of any length; `nil` if absent.
    subscript(tag: BodyTag) -> [UInt8]? { values[tag] }

    /// A value that its type always lists.
    func bytes(_ tag: BodyTag) throws(OrchestrationError) -> [UInt8] {
        guard let value = values[tag] else { throw CommandEnvelope.malformed }
        return value
    }

    /// A text that its type always lists.
    func text(_ tag: BodyTag) throws(OrchestrationError) -> String {
        guard let text = Self.text(try bytes(tag)) else { throw CommandEnvelope.malformed }
        return text
    }

    /// A number that its type always lists.
    func number<Number: FixedWidthInteger>(_ tag: BodyTag) throws(OrchestrationError) -> Number {
        Number(bigEndian: try bytes(tag))
    }

    /// A text of UTF-8 without NUL; `nil` for anything else.
    static func text(_ bytes: some Collection<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.elementsEqual(bytes) && !bytes.contains(0) ? text : nil
    }
}

/// A body that is being written; secrets in it are cleared.
struct BodyWriter {
    private var parts: [Secret] = []

    /// Adds a value. The caller adds them in the order of their tags, as ``CommandBody`` asks.
    mutating func add(_ tag: BodyTag, _ value: Secret) {
        parts.append(Secret(tag.rawValue.bigEndianBytes + UInt16(value.count).bigEndianBytes))
        parts.append(value)
    }

    /// Adds a value that isn't a secret.
    mutating func add(_ tag: BodyTag, _ value: some Collection<UInt8>) {
        add(tag, Secret(value))
    }

    var body: Secret { Secret(joining: parts) }
}

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
