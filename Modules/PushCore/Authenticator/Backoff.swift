/// When a failed attempt is repeated: exponential backoff with full jitter.
///
/// Each pause is drawn evenly from zero to a limit that doubles with each failure, so that devices
/// that failed together don't come back together. A server's `Retry-After` is always kept.
public struct Backoff: Hashable, Sendable {
    /// The limit of the first pause; 1 second by default.
    public var base: Duration

    /// The largest limit of a pause; 5 minutes by default.
    public var cap: Duration

    /// The most tries after the first one, until the next ``PushAuthenticator/resume()``; 20 by
    /// default. 0 switches background delivery off.
    public var tries: Int

    /// Creates a backoff; omitted values keep their defaults.
    public init(base: Duration = .seconds(1), cap: Duration = .seconds(300), tries: Int = 20) {
        self.base = base
        self.cap = cap
        self.tries = tries
    }

    /// The pause before a try, which is drawn; `failures` is how many failed in a row, from 1.
    func pause(after failures: Int, _ random: any RandomSource) -> Duration {
        let doublings = min(max(failures, 1) - 1, 40)
        let limit = min(cap.inSeconds, base.inSeconds * Double(1 << doublings))
        return .seconds(max(0, limit) * random.fraction())
    }
}

extension RandomSource {
    /// The same values in an order that is drawn.
    func shuffled<Value>(_ values: [Value]) -> [Value] {
        var values = values
        for index in values.indices.dropFirst().reversed() {
            values.swapAt(index, Int(fraction() * Double(index + 1)))
        }
        return values
    }

    /// A number from 0 up to, but not including 1, evenly.
    func fraction() -> Double { Double(bits() >> 11) * 0x1p-53 }
}

extension PushError {
    /// Whether an answer that failed this way is sent again later.
    var maySendAgain: Bool {
        switch code {
        case .unreachable, .interrupted, .cancelled: true
        case .server(let status): status >= 500 || status == 429
        case .untrusted, .malformed, .unknownEnrollment, .movedAway, .unsupported: false
        case .invalidInvitation, .invitationSpent, .alreadyEnrolled, .missingDeviceToken: false
        case .over, .invalidResolution, .decidedOtherwise, .notTaken, .verificationFailed: false
        case .locked, .guardLost: false
        case .blocked, .untrustedServer, .pinMismatch, .insecureRequest, .oversizedReply: false
        case .listRefused, .duplicateProvider, .notFound, .conflict, .storage: false
        case .storageUnknown, .unsupportedRecord, .notificationRefused, .invalidArgument: false
        }
    }

    /// Whether it says that this device can't right now, such as a store that is locked.
    var isPassing: Bool { [.storage, .storageUnknown, .conflict].contains(code) }

    /// Whether what failed this way may have reached the server all the same.
    package var mayHaveArrived: Bool {
        switch code {
        case .unreachable, .cancelled, .untrustedServer, .pinMismatch, .insecureRequest: false
        // Nothing was sent, or the vendor doesn't take it.
        case .blocked, .locked, .guardLost, .unknownEnrollment, .movedAway: false
        case .untrusted, .malformed, .unsupported, .interrupted, .oversizedReply, .server: true
        case .invalidInvitation, .invitationSpent, .alreadyEnrolled, .missingDeviceToken: true
        case .over, .invalidResolution, .decidedOtherwise, .notTaken, .verificationFailed: true
        case .listRefused, .duplicateProvider, .notFound, .conflict, .storage: true
        case .storageUnknown, .unsupportedRecord, .notificationRefused, .invalidArgument: true
        }
    }
}
