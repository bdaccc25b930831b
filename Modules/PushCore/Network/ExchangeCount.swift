/// How many exchanges with vendors there were: what was read before one may be old after it.
final class ExchangeCount: Sendable {
    private let count = Locked(0)

    var now: Int { count.withLock { $0 } }

    func add() { count.withLock { $0 += 1 } }
}
