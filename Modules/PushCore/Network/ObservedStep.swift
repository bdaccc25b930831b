/// One step of a challenge from push to outcome: its kind, its duration, and its result.
///
/// It holds no content: no message's text, no choice, no name of a user or a device. Make logs,
/// counters and spans of it.
public struct ObservedStep: Hashable, Sendable {
    /// What was done.
    @nonexhaustive
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// A message was verified and put on record.
        case receive
        /// The provider opened the challenge, which may have asked the vendor.
        case open
        /// The app's ``UserVerifier`` verified the user.
        case verify
        /// The provider made the answer's bytes.
        case answer
        /// The answer was sent once, or the vendor was asked about it.
        case attempt
        /// The challenge has an outcome, or is over without one.
        case outcome
    }

    /// What came of it.
    @nonexhaustive
    public enum Ending: Hashable, Sendable {
        /// It was done.
        case done
        /// What the vendor said, or why the challenge is over: the name of an ``Outcome``'s or a
        /// ``Withdrawal/Reason``'s case, such as `delivered` or `expired`.
        case outcome(String)
        /// The name of a ``PushError/Code``, such as `unreachable`.
        case failed(String)

        /// `done`, or the name.
        public var name: String {
            switch self {
            case .done: "done"
            case .outcome(let name), .failed(let name): name
            }
        }
    }

    /// What was done.
    public let kind: Kind

    /// The challenge's trace; `nil` for a message without a challenge.
    public let trace: TraceID?

    /// The provider that was at work, if any.
    public let provider: ProviderID?

    /// What came of it.
    public let ending: Ending

    /// How long it took, by ``PushClock/elapsed``; zero for a challenge that is over without an
    /// answer.
    public let duration: Duration

    /// Whether it was done before: the challenge was known, or a copy of the answer may have left.
    public let isRepeated: Bool

    /// Creates a step, such as for a test of an observer.
    public init(
        _ kind: Kind, of trace: TraceID?, by provider: ProviderID?, _ ending: Ending = .done,
        taking duration: Duration, isRepeated: Bool = false
    ) {
        self.kind = kind
        self.trace = trace
        self.provider = provider
        self.ending = ending
        self.duration = duration
        self.isRepeated = isRepeated
    }
}

/// One identifier for all steps of a challenge, from its push to its outcome.
///
/// It depends on the challenge's identifier alone, so every process makes the same one, also after
/// a restart. It has 16 bytes, not all zero, as W3C's Trace Context asks of a `trace-id`. It is no
/// secret: whoever knows the challenge's identifier can make it.
public struct TraceID: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// Makes the identifier of a challenge.
    public init(of challenge: Challenge.ID) {
        let enrollment = challenge.enrollment
        let parts = [enrollment.provider.rawValue, enrollment.name, challenge.name]
        high = Self.hash(parts, from: 0xcbf2_9ce4_8422_2325)
        low = Self.hash(parts, from: 0x8422_2325_cbf2_9ce4) | 1
    }

    /// FNV-1a, mixed at the end as its upper bits hardly depend on the last bytes.
    private static func hash(_ parts: [String], from start: UInt64) -> UInt64 {
        var hash = start
        func take(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        for part in parts {
            for byte in part.utf8 { take(byte) }
            // No part has this byte, so none runs into the next.
            take(0xFF)
        }
        hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
        return hash ^ hash >> 31
    }

    /// 32 hexadecimal digits in lower case.
    public var description: String {
        [high, low].map { withUnsafeBytes(of: $0.bigEndian) { Hexadecimal.text($0) } }.joined()
    }
}
