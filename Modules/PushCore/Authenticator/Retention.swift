/// How long the ledger remembers what is over.
///
/// What is remembered can't come back: a replayed push finds its row. So nothing goes before its
/// challenge has expired, and a decision whose outcome isn't known doesn't go at all.
public struct Retention: Hashable, Sendable {
    /// For how long after its expiry a challenge that is over is remembered, by its server's clock;
    /// 30 days by default. One without an expiry is forgotten for its number alone.
    public var age: Duration

    /// How many challenges that are over are remembered for each enrollment; the oldest go first;
    /// 500 by default.
    public var count: Int

    /// How long after its expiry a challenge is remembered at the least, for clocks that differ;
    /// 10 minutes by default.
    public var skew: Duration

    /// Creates a retention; each value not given keeps its default.
    public init(
        age: Duration = .seconds(30 * 86_400), count: Int = 500, skew: Duration = .seconds(600)
    ) {
        self.age = age
        self.count = count
        self.skew = skew
    }
}
