import Testing

@testable import PushAuthCommand

@Suite(.timeLimit(.minutes(10))) struct SlotsTests {
    @Test func `a caller waits until a slot is free`() async {
        let slots = Slots(1)
        await slots.enter()
        let (order, source) = AsyncStream<Int>.makeStream()
        let first = Event()
        let waiting = Task {
            first.happen()
            await slots.enter()
            source.yield(1)
            source.finish()
        }
        await first.wait()
        await slots.leave()
        await waiting.value
        #expect(await order.reduce(into: []) { $0.append($1) } == [1])
    }

    @Test func `what takes too long goes on without its slot, so that the next can begin`() async {
        let slots = Slots(1)
        let (gate, next, end) = (Event(), Event(), Event())
        await slots.begin(for: .zero) {
            await gate.wait()
            end.happen()
        }
        await slots.begin { next.happen() }
        await next.wait()
        gate.happen()
        await end.wait()
        // There is a slot as before.
        await slots.begin {}
        await slots.enter()
    }
}
