import Foundation
import PushTesting
import Testing

@testable import FictionalVendor
@testable import PushCore

/// A process is killed, or another one works, while enrollments move.
struct MovingFaultTests {
    private let one = AuthenticatorHarness()
    private let other = AuthenticatorHarness()

    /// A process over a harness's store.
    private func life(
        _ harness: AuthenticatorHarness, _ cord: Cord
    ) throws -> PushAuthenticator {
        let environment = PushEnvironment(
            transport: CordedTransport(cord: cord, behind: harness.transport),
            store: CordedStore(cord: cord, behind: harness.store), verifier: harness.verifier,
            clock: harness.clock, random: SeededRandom(seed: 2), device: Device(name: "test"),
            observer: harness.observer)
        return try harness.movable(in: environment)
    }

    @Test(arguments: Cord.Moment.allCases, 0..<4)
    func `killed at any write of an export, the enrollment is in use, or the next export gives it`(
        moment: Cord.Moment, number: Int
    ) async throws {
        let first = try one.movable()
        _ = try await first.join("ada")
        #expect(try await first.code(for: .ada).text.copiedText() == "1")
        _ = try await first.receive(try AcmeWire.ask("1"))
        let cord = Cord()
        await cord.cut(moment, number: number)
        let dying = try life(one, cord)
        let given = try await dying.export()
        let second = try one.movable()
        let state = try await second.enrollment(.ada)?.state
        if state == .active {
            // Nobody got what this device still uses.
            #expect(try await other.movable().importEnrollments(from: given.content).isEmpty)
            #expect(try await second.code(for: .ada).text.copiedText() == "2")
        } else {
            #expect(state == .movedAway)
            #expect(await code { try await second.code(for: .ada) } == .movedAway)
        }
        let counter = state == .active ? "3" : "2"
        let again = try await second.export()
        let new = try other.movable()
        #expect(try await new.importEnrollments(from: again.content).count == 1)
        #expect(try await new.code(for: .ada).text.copiedText() == counter)
        #expect(await code { try await second.challenge(.ada("1")) } == .over)
    }

    @Test(arguments: Cord.Moment.allCases, 0..<4)
    func `killed at any write of an import, the next one goes on`(
        moment: Cord.Moment, number: Int
    ) async throws {
        let first = try one.movable()
        _ = try await first.join("ada")
        _ = try await first.join("bob")
        let content = try await first.export().content
        let cord = Cord()
        await cord.cut(moment, number: number)
        _ = try await life(other, cord).importEnrollments(from: content)
        let new = try other.movable()
        _ = try await new.importEnrollments(from: content)
        #expect(Set(try await new.enrollments().map(\.id)) == [.ada, .bob])
        #expect(try await new.code(for: .ada).text.copiedText() == "1")
    }

    @Test func `no code is shown twice, however many processes show codes while it moves`()
        async throws
    {
        for _ in 0..<20 {
            let (one, other) = (AuthenticatorHarness(), AuthenticatorHarness())
            let first = try one.movable()
            let second = try one.movable()
            _ = try await first.join("ada")
            let shown = Locked<[String]>([])
            let content = try await withThrowingTaskGroup(of: Secret?.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        guard let code = try? await second.code(for: .ada) else { return nil }
                        shown.withLock { $0.append(code.text.copiedText()) }
                        return nil
                    }
                }
                group.addTask { try await first.export().content }
                return try await group.reduce(nil) { $0 ?? $1 }
            }
            let new = try other.movable()
            _ = try await new.importEnrollments(from: try #require(content))
            let next = try await new.code(for: .ada).text.copiedText()
            let all = shown.withLock { $0 }
            #expect(Set(all).count == all.count)
            #expect(next == "\(all.count + 1)")
        }
    }

    @Test func `two processes that export at once give one counter`() async throws {
        let (first, second) = (try one.movable(), try one.movable())
        _ = try await first.join("ada")
        async let left = first.export()
        async let right = second.export()
        for export in try await [left, right] {
            let new = try AuthenticatorHarness().movable()
            _ = try await new.importEnrollments(from: export.content)
            #expect(try await new.code(for: .ada).text.copiedText() == "1")
        }
    }

    @Test func `two processes that import at once make one enrollment`() async throws {
        let old = try one.movable()
        _ = try await old.join("ada")
        let content = try await old.export().content
        let (first, second) = (try other.movable(), try other.movable())
        async let left = first.importEnrollments(from: content)
        async let right = second.importEnrollments(from: content)
        var taken = 0
        for result in try await (left + right).map(\.result) {
            if case .taken = result { taken += 1 }
            if case .left(let error) = result { Issue.record(error) }
        }
        #expect(taken == 1)
        #expect(try await first.enrollments().count == 1)
    }

    @Test func `an answer that another process decides meanwhile calls the move off`()
        async throws
    {
        let (store, gate) = (FaultyStore(one.store), Gate())
        let app = try one.movable()
        let leaving = try one.movable(
            in: PushEnvironment(
                transport: one.transport, store: store, verifier: one.verifier,
                clock: one.clock, random: SeededRandom(seed: 2), device: Device(name: "test"),
                observer: one.observer))
        _ = try await app.join("ada")
        await store.hold(readingsOf: "enrollment", at: gate)
        async let export = leaving.export([.ada])
        // It has looked for answers, and found none.
        await gate.arrival()
        let challenge = try await app.open(try AcmeWire.ask("1"))
        await one.faults.next(.refuse)
        _ = try await app.resolve(challenge, with: .approve)
        await gate.open()
        let given = try await export
        guard case .failed(let error)? = given.entries.first?.result else {
            Issue.record("It left.")
            return
        }
        #expect(error.code == .interrupted)
        #expect(try await other.movable().importEnrollments(from: given.content).isEmpty)
        #expect(try await app.enrollment(.ada)?.state == .active)
        #expect(try await app.resume() == [.ada("1"): .delivered])
    }

    @Test func `an export that is called off brings nothing back that has left`() async throws {
        let (store, gate) = (FaultyStore(one.store), Gate())
        let app = try one.movable()
        let late = try one.movable(
            in: PushEnvironment(
                transport: one.transport, store: store, verifier: one.verifier,
                clock: one.clock, random: SeededRandom(seed: 2), device: Device(name: "test"),
                observer: one.observer))
        _ = try await app.join("ada")
        let challenge = try await app.open(try AcmeWire.ask("1"))
        await one.faults.next(.refuse)
        _ = try await app.resolve(challenge, with: .approve)
        await store.hold(readingsOf: "enrollment", at: gate)
        async let called = late.export([.ada])
        // It has found an answer that is on its way.
        await gate.arrival()
        #expect(try await app.resume() == [.ada("1"): .delivered])
        let given = try await app.export([.ada])
        #expect(given.entries.map(\.enrollment.state) == [.active])
        await gate.open()
        guard case .failed(let error)? = try await called.entries.first?.result else {
            Issue.record("It left, though it had seen an answer on its way.")
            return
        }
        #expect(error.code == .interrupted)
        #expect(try await app.enrollment(.ada)?.state == .movedAway)
        #expect(try await other.movable().importEnrollments(from: given.content).count == 1)
    }

    @Test func `while a row can't be read nothing leaves, and nothing comes back`() async throws {
        let app = try one.movable()
        _ = try await app.join("ada")
        _ = try await app.receive(try AcmeWire.ask("1"))
        let asItWas = try await one.store.document(.ada).rows.slots
        // A newer version may be sending it.
        let newer = asItWas.map(\.asOfNewerVersion)
        try await one.store.edit(.ada) { try $0.with(newer) }
        #expect(await interrupts(try one.movable()))
        #expect(try await app.enrollment(.ada)?.state == .active)
        #expect(try await one.store.document(.ada).rows.slots.map(\.bytes) == newer.map(\.bytes))
        // Once it has left, nothing that comes later brings it back.
        try await one.store.edit(.ada) { try $0.with(asItWas) }
        let given = try await one.movable().export()
        try await one.store.edit(.ada) { try $0.with(newer) }
        #expect(await interrupts(try one.movable()))
        #expect(try await app.enrollment(.ada)?.state == .movedAway)
        #expect(try await other.movable().importEnrollments(from: given.content).count == 1)
    }

    private func interrupts(_ authenticator: PushAuthenticator) async -> Bool {
        guard let entry = try? await authenticator.export().entries.first,
            case .failed(let error) = entry.result
        else { return false }
        return error.code == .interrupted
    }

    @Test func `a push that comes while its enrollment moves away leaves no row`() async throws {
        let store = ContestedStore(one.store)
        let app = try one.movable(
            in: PushEnvironment(
                transport: one.transport, store: store, verifier: one.verifier,
                clock: one.clock, random: SeededRandom(seed: 2), device: Device(name: "test"),
                observer: one.observer))
        _ = try await app.join("ada")
        let leaving = try one.movable()
        await store.interrupt("enrollment") { _ in _ = try? await leaving.export() }
        #expect(await code { try await app.receive(try AcmeWire.ask("1")) } == .movedAway)
        #expect(await store.remaining == 0)
        #expect(try await one.store.document(.ada).rows.slots.isEmpty)
    }
}
