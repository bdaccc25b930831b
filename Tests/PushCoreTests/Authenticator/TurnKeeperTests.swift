import PushTesting
import Testing

@testable import PushCore

struct TurnKeeperTests {
    private let keeper = TurnKeeper()

    /// The order in which ten get their turn who came while it was held.
    private func order(isQuestion: @escaping @Sendable (Int) -> Bool) async throws -> [Int] {
        let (gate, order) = (Gate(), Locked<[Int]>([]))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await hold(until: gate) }
            await gate.arrival()
            for number in 0..<10 {
                group.addTask {
                    try await keeper.turn(.deviceToken, asQuestion: isQuestion(number)) {
                        order.withLock { $0.append(number) }
                    }
                }
                try await eventually("It waits.") {
                    let waiting = await keeper.waiting(for: .deviceToken)
                    return waiting.first + waiting.questions == number + 1
                }
            }
            await gate.open()
            try await group.waitForAll()
        }
        return order.withLock { $0 }
    }

    private func hold(until gate: Gate) async {
        try? await keeper.turn(.deviceToken) { () async throws(PushError) in await gate.pass() }
    }

    @Test func `whoever waits longest goes next`() async throws {
        #expect(try await order { _ in false } == Array(0..<10))
        let isFree = await keeper.waiting(for: .deviceToken) == (0, 0)
        #expect(isFree)
    }

    @Test func `questions wait behind all else, in their order`() async throws {
        let order = try await order { $0.isMultiple(of: 2) }
        #expect(order == [1, 3, 5, 7, 9, 0, 2, 4, 6, 8])
    }

    @Test func `another turn waits for none of them`() async throws {
        let gate = Gate()
        async let held: Void = hold(until: gate)
        await gate.arrival()
        let value = try await keeper.turn(.enrollment(.ada)) { 1 }
        #expect(value == 1)
        await gate.open()
        await held
    }
}
