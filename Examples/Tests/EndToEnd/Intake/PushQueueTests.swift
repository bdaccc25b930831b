import Foundation
import HTTPTypes
import PushCore
import Testing

@testable import PushAuthCommand

struct PushQueueTests {
    /// Takes pushes, the first of them only once it is let.
    private actor Taker {
        private(set) var taken: [String] = []
        private let gate = Event()
        private let began = Event()

        func take(_ push: IncomingPush) async -> TakenPush {
            let isFirst = taken.isEmpty
            let name = push.message["n"]?.string ?? ""
            taken.append(push.drop.map { "\(name) \($0.rawValue)" } ?? name)
            if isFirst {
                began.happen()
                await gate.wait()
            }
            return TakenPush(.taken(taken.count))
        }

        nonisolated func begins() async { await began.wait() }
        nonisolated func open() { gate.happen() }
    }

    private let now = Date(timeIntervalSince1970: 1_790_000_000)

    private func push(
        _ name: String, collapse: String? = nil, expiry: Date? = nil, isUrgent: Bool = false
    ) -> QueuedPush {
        QueuedPush(
            push: IncomingPush(message: PushMessage(fcm: ["n": name]), intake: "test"),
            expiry: expiry, collapse: collapse, isUrgent: isUrgent)
    }

    /// What is taken of some pushes that come while another is being taken.
    private func taken(_ pushes: [QueuedPush], capacity: Int = 1000) async throws -> [String] {
        let taker = Taker()
        let queue = PushQueue(width: 1, capacity: capacity, now: { [now] in now }) {
            await taker.take($0)
        }
        _ = try await queue.add(push("first"))
        await taker.begins()
        for push in pushes { _ = try await queue.add(push) }
        taker.open()
        await queue.close()
        return await Array(taker.taken.dropFirst())
    }

    @Test func `pushes are taken in order, the urgent ones first`() async throws {
        #expect(
            try await taken([push("a"), push("b"), push("c", isUrgent: true), push("d")])
                == ["c", "a", "b", "d"])
    }

    @Test func `of those that wait under one name, the last counts`() async throws {
        #expect(
            try await taken([
                push("a", collapse: "x"), push("b", collapse: "y"), push("c", collapse: "x"),
                push("d", collapse: "x"), push("e"),
            ]) == ["a replaced", "b", "c replaced", "d", "e"])
    }

    @Test func `what is refused takes nobody's place`() async throws {
        let taker = Taker()
        let queue = PushQueue(width: 1, capacity: 1, now: { [now] in now }) {
            await taker.take($0)
        }
        _ = try await queue.add(push("first"))
        await taker.begins()
        _ = try await queue.add(push("a", collapse: "x"))
        await #expect(throws: PushQueue.Refusal.full) {
            _ = try await queue.add(push("b", collapse: "x"))
        }
        taker.open()
        await queue.close()
        #expect(await taker.taken == ["first", "a"])
    }

    @Test func `a push whose time is over is dropped`() async throws {
        #expect(
            try await taken([push("a", expiry: now - 1), push("b", expiry: now)])
                == ["a expired", "b"])
    }

    @Test func `a full queue refuses, and takes what it has`() async throws {
        await #expect(throws: PushQueue.Refusal.full) {
            try await taken([push("a"), push("b")], capacity: 1)
        }
        #expect(try await taken([push("a"), push("b")], capacity: 2) == ["a", "b"])
    }

    @Test func `several are put on record at once, so that a slow one holds up no other`()
        async throws
    {
        let taker = Taker()
        let queue = PushQueue(width: 2) { await taker.take($0) }
        let slow = try await queue.add(push("slow"))
        await taker.begins()
        // Waits for ever unless there is a second way through.
        #expect(try await queue.take(push("fast")) == .taken(2))
        taker.open()
        #expect(await slow.value == .taken(2))
        await queue.close()
    }

    @Test func `the sender hears before what the push leads to is done, which the end waits for`()
        async throws
    {
        let (gate, closing) = (Event(), Event())
        let (done, source) = AsyncStream<String>.makeStream()
        let queue = PushQueue(width: 1, capacity: 1) { _ in
            TakenPush(.taken(1)) {
                await gate.wait()
                source.yield("answered")
            }
        }
        #expect(try await queue.take(push("a")) == .taken(1))
        // It takes no sender's place.
        #expect(try await queue.take(push("b")) == .taken(1))
        let end = Task {
            closing.happen()
            await queue.close()
            source.yield("closed")
            source.finish()
        }
        await closing.wait()
        gate.happen()
        await end.value
        #expect(
            await done.reduce(into: []) { $0.append($1) } == ["answered", "answered", "closed"])
        await #expect(throws: PushQueue.Refusal.closed) { try await queue.take(push("c")) }
    }

    @Test
    func `what is too much for one vendor is left to a later look, and costs another nothing`()
        async throws
    {
        let gate = Event()
        let (done, source) = AsyncStream<String>.makeStream()
        let queue = PushQueue(width: 1, capacity: 1, share: 2) { push in
            let name = push.message["n"]?.string ?? ""
            let vendor: ProviderID = name == "well" ? "well" : "sick"
            var taken = TakenPush(.taken(1), of: vendor) {
                if vendor == "sick" { await gate.wait() }
                source.yield("judged \(name)")
            }
            taken.left = { source.yield("left \(name)") }
            return taken
        }
        for name in ["a", "b", "c", "well"] {
            #expect(try await queue.take(push(name)) == .taken(1))
        }
        var all = done.makeAsyncIterator()
        let first = await all.next()
        let second = await all.next()
        #expect(Set([first, second]) == ["left c", "judged well"])
        gate.happen()
        await queue.close()
        let third = await all.next()
        let fourth = await all.next()
        #expect(Set([third, fourth]) == ["judged a", "judged b"])
    }

    @Test func `a vendor that is asked holds no worker and no place, however many ask`()
        async throws
    {
        let gate = Event()
        let queue = PushQueue(width: 1, capacity: 1, patience: .milliseconds(200)) { push in
            guard push.intake == "ask" else { return TakenPush(.taken(1)) }
            return TakenPush {
                await gate.wait()
                return TakenPush(.taken(2))
            }
        }
        var ask = push("ask")
        ask.push = IncomingPush(message: ask.push.message, intake: "ask")
        var senders: [Task<PushVerdict, Never>] = []
        for _ in 0..<20 {
            senders.append(try await queue.add(ask))
            #expect(try await queue.take(push("other")) == .taken(1))
        }
        // What isn't on record isn't taken: each is to send it again.
        for sender in senders { #expect(await sender.value == .refused(.unreachable)) }
        #expect(await queue.count == 20)
        gate.happen()
        await queue.close()
        #expect(await queue.count == 0)
    }

    @Test func `the sender hears what its vendor said, if that comes in time`() async throws {
        let rest = Event()
        let queue = PushQueue(width: 1, capacity: 1) { _ in
            TakenPush { TakenPush(.taken(3)) { rest.happen() } }
        }
        #expect(try await queue.take(push("ask")) == .taken(3))
        await rest.wait()
        await queue.close()
    }

    @Test func `a sender that hangs up doesn't undo what has begun`() async throws {
        let taker = Taker()
        let queue = PushQueue { push in
            let taken = await taker.take(push)
            return Task.isCancelled ? TakenPush(.foreign) : taken
        }
        let sender = Task { try await queue.take(push("direct")) }
        await taker.begins()
        sender.cancel()
        taker.open()
        #expect(try await sender.value == .taken(1))
    }

    @Test func `a service says when its queue is full or closed`() async throws {
        let taker = Taker()
        let queue = PushQueue(width: 1, capacity: 1) { await taker.take($0) }
        let accepted = IntakeReply(
            status: .ok, headers: [.apnsID: "an-id"], push: push("a"))
        // One is taken, one waits, and there is no room for a third.
        _ = try await queue.add(push("a"))
        await taker.begins()
        _ = try await queue.add(push("b"))
        let refused = await FCMIntake.settle(accepted, queue)
        #expect(refused.googleError == "RESOURCE_EXHAUSTED QUOTA_EXCEEDED")
        let full = await APNsIntake.settle(accepted, queue, at: now)
        #expect(full.body?["reason"] == "TooManyRequests")
        #expect(full.headers[.apnsID] == "an-id")
        taker.open()
        await queue.close()
        let ending = await FCMIntake.settle(accepted, queue, hasOthers: true)
        #expect(ending.googleError == "UNAVAILABLE UNAVAILABLE")
        // Another process of the fleet takes it in a second.
        #expect(ending.headers[.retryAfter] == "1")
        let closed = await APNsIntake.settle(accepted, queue, at: now)
        #expect(closed.body?["reason"] == "Shutdown")
        // What asks for nothing is left as it is.
        let refusal = IntakeReply(status: .gone)
        #expect(await FCMIntake.settle(refusal, queue).status == .gone)
        #expect(await APNsIntake.settle(refusal, queue, at: now).status == .gone)
    }
}
