/// When something that failed is tried again: exponential backoff with full jitter.
///
/// Each pause is drawn evenly from zero to a limit that doubles with each failure, so that devices
/// that failed together don't come back together. A server's `Retry-After` is waited for in any
/// case.
public struct Backoff: Hashable, Sendable {
    /// The limit of the first pause; 1 second by default.
    public var base: Duration

    /// What no limit exceeds; 5 minutes by default.
    public var cap: Duration

    /// How many tries follow the first one before the next
    /// ``PushAuthenticator/resume()``; 20 by default. 0 switches background delivery off.
    public var tries: Int

    /// Creates a backoff; each value not given keeps its default.
    public init(base: Duration = .seconds(1), cap: Duration = .seconds(300), tries: Int = 20) {
        self.base = base
        self.cap = cap
        self.tries = tries
    }

    /// The pause before a try.
    ///
    /// - Parameters:
    ///   - failures: How many tries failed in a row, from 1.
    ///   - random: Where the jitter comes from.
    func pause(after failures: Int, _ random: any RandomSource) -> Duration {
        let doublings = min(max(failures, 1) - 1, 40)
        let limit = min(cap.inSeconds, base.inSeconds * Double(1 << doublings))
        return .seconds(max(0, limit) * random.fraction())
    }
}

extension RandomSource {
    /// A number from 0 up to, but not including 1, evenly.
    func fraction() -> Double {
        let bits = bytes(8).withBytes { $0.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } }
        return Double(bits >> 11) * 0x1p-53
    }
}
