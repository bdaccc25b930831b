#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How long the ledger remembers finished challenges.
///
/// A replayed push can't open a remembered challenge. So each is known until it has expired, and
/// each decision stays until its outcome is known.
public struct Retention: Hashable, Sendable {
    /// How long a finished challenge is remembered after its expiry, by its server's clock; 30 days
    /// by default. One without an expiry counts as expired when the server's time is known first
    /// after its end.
    public var age: Duration

    /// How many finished challenges of each enrollment are remembered; 500 by default, never more
    /// than 2,000. The oldest are forgotten first.
    public var count: Int

    /// How many of them are remembered whole, for ``PushAuthenticator/records(of:)``; 16 by default.
    /// Of the others, a trace is left by which a replay is known.
    public var rows: Int

    /// The shortest time that a challenge is remembered after its expiry, because clocks differ; 10
    /// minutes by default.
    public var skew: Duration

    /// Creates a retention; omitted values keep their defaults.
    public init(
        age: Duration = .seconds(30 * 86_400), count: Int = 500, rows: Int = 16,
        skew: Duration = .seconds(600)
    ) {
        self.age = age
        self.count = count
        self.rows = rows
        self.skew = skew
    }
}

/// What a change of a document's rows goes by.
struct DocumentRules: Sendable {
    /// The device's time.
    let now: Date

    /// A moment that has certainly passed at the server; `nil` if none is known.
    let passed: CompactDate?

    let limits: Retention

    /// Whether what opens a challenge goes once it is over.
    let isSingleUse: Bool

    /// Whether the vendor judges itself what comes too late.
    var takesLateAnswers = false
}
