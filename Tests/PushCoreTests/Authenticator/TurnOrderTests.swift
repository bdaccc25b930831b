import Testing

@testable import PushCore

struct TurnOrderTests {
    private actor Queue {
        private var turns = TurnOrder<String>()
        private(set) var order: [Int] = []

        func take(_ key: String) -> Bool { turns.take(key) }
        func end(_ key: String) { turns.end(key) }

        func wait(
            _ key: String, _ number: Int, asQuestion isQuestion: Bool = false,
            queued: @escaping @Sendable () -> Void
        ) async {
            _ = await withCheckedContinuation { continuation in
                turns.wait(for: key, asQuestion: isQuestion, with: turns.ticket(), continuation)
                queued()
            }
            order.append(number)
            turns.end(key)
        }
    }

    @Test func `whoever waits longest goes next`() async {
        let queue = Queue()
        #expect(await queue.take("a"))
        #expect(await !queue.take("a"))
        #expect(await queue.take("b"))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<10 {
                let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
                group.addTask { await queue.wait("a", number) { continuation.finish() } }
                for await _ in stream {}
            }
            await queue.end("a")
        }
        #expect(await queue.order == Array(0..<10))
        #expect(await queue.take("a"))
    }

    @Test func `questions wait behind all else, in their order`() async {
        let queue = Queue()
        #expect(await queue.take("a"))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<10 {
                let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
                group.addTask {
                    await queue.wait("a", number, asQuestion: number.isMultiple(of: 2)) {
                        continuation.finish()
                    }
                }
                for await _ in stream {}
            }
            await queue.end("a")
        }
        #expect(await queue.order == [1, 3, 5, 7, 9, 0, 2, 4, 6, 8])
    }
}
