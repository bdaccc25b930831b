import Foundation
import PushCore
import PushTesting
import Testing

/// The doubles that make a test wait for an event, and those that choose the bytes.
@Suite(.timeLimit(.minutes(5))) struct WaitingTests {
    @Test func `a gate holds whoever comes until it is opened`() async {
        let gate = Gate()
        let passed = Locked(0)
        await withTaskGroup { group in
            for _ in 0..<3 {
                group.addTask {
                    await gate.pass()
                    passed.withLock { $0 += 1 }
                }
            }
            await gate.arrival(3)
            #expect(passed.withLock { $0 } == 0)
            await gate.open()
        }
        #expect(passed.withLock { $0 } == 3)
        await gate.pass()
        #expect(await gate.arrived == 4)
    }

    @Test func `a gate lets who is cancelled pass, if it is to`() async {
        let gate = Gate(letsCancelledPass: true)
        let task = Task { await gate.pass() }
        await gate.arrival()
        task.cancel()
        await task.value
    }

    @Test func `a clock tells when somebody sleeps, and a ticking one wakes them`() async {
        let clock = ManualClock(Date(timeIntervalSince1970: 0))
        let sleeper = Task { await clock.sleep(for: .seconds(3)) }
        await clock.sleeper()
        #expect(clock.sleepers == 1)
        let ticking = clock.ticking(by: .seconds(1))
        await sleeper.value
        ticking.cancel()
        await ticking.value
        #expect(clock.elapsed >= .seconds(3))
    }

    @Test func `waiting for a sleeper ends when it is cancelled`() async {
        let clock = ManualClock(Date(timeIntervalSince1970: 0))
        let task = Task { await clock.sleeper() }
        task.cancel()
        await task.value
    }

    @Test func `scripted bytes come in order, then zeros`() {
        let random = ScriptedRandom([1, 2], [3])
        #expect(random.bytes(2).withBytes { Array($0) } == [1, 2])
        #expect(!random.isUsedUp)
        #expect(random.bytes(3).withBytes { Array($0) } == [3, 0, 0])
        #expect(random.isUsedUp)
    }

    @Test func `repeated bytes begin again at every draw`() {
        let random = RepeatingRandom([1, 2])
        #expect(random.bytes(3).withBytes { Array($0) } == [1, 2, 1])
        #expect(random.bytes(1).withBytes { Array($0) } == [1])
    }

    @Test func `a hoarding store remembers what is gone, and takes a backup back`() async throws {
        let store = HoardingStore()
        let (one, two) = (RecordKey("c", "1"), RecordKey("c", "2"))
        _ = try await store.write(Secret([1]), for: one, replacing: nil)
        let backup = await store.backup()
        _ = try await store.write(Secret([2]), for: two, replacing: nil)
        let revision = try await store.read(one)?.revision
        _ = try await store.write(nil, for: one, replacing: revision)
        #expect(await store.now == [two: [2]])
        try await store.restore(backup)
        #expect(await store.now == [one: [1]])
        #expect(await store.written == [[1], [2], [1]])
        #expect(await store.cost.reads == 1)
    }

    @Test func `a refusal is returned, and what isn't one fails`() async throws {
        let error = try await refusal { throw PushError(.notFound, "No.") }
        #expect(error.code == .notFound)
        await #expect(throws: NothingThrown.self) { try await refusal {} }
    }
}
