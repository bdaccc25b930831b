import Foundation
import HTTPTypes
import PushTesting
import Testing

@testable import FictionalVendor
@testable import PushCore

/// What a server asks one process to wait, where several share a store.
@Suite(.timeLimit(.minutes(5))) struct SharedPauseTests {
    private let shared = InMemoryStore(isShared: true)
    private let harness: AuthenticatorHarness

    init() {
        harness = AuthenticatorHarness(store: shared)
    }

    private var isAnswer: @Sendable (HTTPRequest) -> Bool { { $0.path == "/answer" } }

    /// Lets a process decide a challenge whose answer doesn't get out.
    private func decide(_ id: String, at machine: Machine) async throws {
        _ = try await machine.authenticator.receive(try AcmeWire.ask(id))
        await harness.faults.next(.dropBefore, where: isAnswer)
        _ = try await machine.authenticator.deny(.ada(id))
        try await eventually("It sleeps.") { machine.clock.sleepers == 1 }
    }

    /// Lets a process be told to wait for two minutes.
    private func refuse(_ id: String, at machine: Machine) async throws {
        _ = try await machine.authenticator.receive(try AcmeWire.ask(id))
        await harness.faults.next(.reply(.busy(retryAfter: "120")), where: isAnswer)
        _ = try await machine.authenticator.deny(.ada(id))
        #expect(try await shared.names(in: SharedPause.collection).count == 1)
    }

    private func record() async throws -> (key: RecordKey, revision: Revision?) {
        let name = try #require(try await shared.names(in: SharedPause.collection).first)
        let key = RecordKey(SharedPause.collection, name)
        return (key, try await shared.read(key)?.revision)
    }

    @Test(arguments: [0, 0.02, -0.02, 5, -5, 299, -299, 3600, 1e9])
    func `one process's Retry-After stops the others, whatever its clock says`(
        skew: Double
    ) async throws {
        let told = try harness.machine("told", skew: skew)
        let other = try harness.machine("other")
        _ = try await told.authenticator.join("ada")
        try await decide("1", at: other)
        try await refuse("2", at: told)
        let before = await harness.transport.exchanges.count
        // Its background wakes, and the app asks it to go on: neither sends anything.
        other.clock.advance(by: .seconds(30))
        _ = try await other.authenticator.resume()
        other.clock.advance(by: .seconds(85))
        _ = try await other.authenticator.resume()
        #expect(await harness.transport.exchanges.count == before)
        // It never waits longer than the server asked, once it has heard.
        other.clock.advance(by: .seconds(36))
        try await eventually("It arrives.") {
            _ = try await other.authenticator.resume()
            return await harness.server.choices(for: "1") == ["deny:unexpected"]
        }
    }

    @Test func `without the record nobody would wait, and a fresh decision doesn't`() async throws {
        let told = try harness.machine("told")
        let other = try harness.machine("other")
        _ = try await told.authenticator.join("ada")
        try await decide("1", at: other)
        try await refuse("2", at: told)
        // The user waits, so a decision is tried once.
        _ = try await other.authenticator.receive(try AcmeWire.ask("3"))
        #expect(try await other.authenticator.deny(.ada("3")) == .delivered)
        let (key, revision) = try await record()
        try await shared.write(nil, for: key, replacing: revision)
        let third = try harness.machine("third")
        try await eventually("Nobody told it.") {
            _ = try await third.authenticator.resume()
            return await harness.server.choices(for: "1") == ["deny:unexpected"]
        }
    }

    @Test func `a process that starts waits as well, and no longer than a pause by its clock`()
        async throws
    {
        let told = try harness.machine("told")
        let other = try harness.machine("other")
        _ = try await told.authenticator.join("ada")
        try await decide("1", at: other)
        try await refuse("2", at: told)
        let before = await harness.transport.exchanges.count
        // It starts when most of the pause is over, and can't know whose clock is right.
        let late = try harness.machine("late", skew: 100)
        _ = try await late.authenticator.resume()
        #expect(await harness.transport.exchanges.count == before)
        // One that began long ago by any clock has ended.
        let later = try harness.machine("later", skew: 500)
        _ = try await later.authenticator.resume()
        #expect(await harness.server.choices(for: "1") == ["deny:unexpected"])
    }

    @Test(arguments: [
        SharedPause(since: morning + 1e10, length: .seconds(86_400)),
        SharedPause(since: morning + 1e10, length: .seconds(1e15)),
        SharedPause(since: morning, length: .seconds(-1)),
    ])
    func `a record that lies stops nobody for more than a day`(lie: SharedPause) async throws {
        let told = try harness.machine("told")
        let other = try harness.machine("other")
        _ = try await told.authenticator.join("ada")
        try await decide("1", at: other)
        try await refuse("2", at: told)
        let (key, revision) = try await record()
        try await shared.write(lie.sealed, for: key, replacing: revision)
        _ = try await other.authenticator.resume()
        other.clock.advance(by: .seconds(86_401))
        try await eventually("It arrives.") {
            _ = try await other.authenticator.resume()
            return await harness.server.choices(for: "1") == ["deny:unexpected"]
        }
    }

    @Test func `a record that is damaged stops nobody, and is made again`() async throws {
        let told = try harness.machine("told")
        let other = try harness.machine("other")
        _ = try await told.authenticator.join("ada")
        try await decide("1", at: other)
        try await refuse("2", at: told)
        await shared.damage(try await record().key)
        try await eventually("It arrives.") {
            _ = try await other.authenticator.resume()
            return await harness.server.choices(for: "1") == ["deny:unexpected"]
        }
        told.clock.advance(by: .seconds(60))
        try await refuse("3", at: told)
    }

    @Test(arguments: [PushError.Code.storage, .storageUnknown, .conflict])
    func `a pause that can't be shared is reported, and counts for nothing`(
        code: PushError.Code
    ) async throws {
        let told = try harness.machine("told")
        _ = try await told.authenticator.join("ada")
        await shared.refuseWrites { key in
            key.collection == SharedPause.collection ? PushError(code, "It can't.") : nil
        }
        _ = try await told.authenticator.receive(try AcmeWire.ask("1"))
        await harness.faults.next(.reply(.busy(retryAfter: "120")), where: isAnswer)
        _ = try await told.authenticator.deny(.ada("1"))
        #expect(
            harness.observer.observations.contains {
                $0.kind == .refused(code) && $0.summary.contains("pause")
            })
        // What it was told itself it keeps to.
        _ = try await told.authenticator.resume()
        #expect(await harness.server.choices(for: "1").isEmpty)
        told.clock.advance(by: .seconds(121))
        try await eventually("It arrives.") {
            _ = try await told.authenticator.resume()
            return await harness.server.choices(for: "1") == ["deny:unexpected"]
        }
    }

    @Test func `of many replies that say the same one is put on record, and the longest stays`()
        async throws
    {
        let clock = ManualClock(morning)
        let counting = CountingStore(shared)
        let pauses = ServerPauses(counting, clock, SilentObserver())
        let server = Endpoint.ServerID(host: "acme.example", of: "acme")
        func hear(_ seconds: Int) async {
            await pauses.note(
                .busy(retryAfter: "\(seconds)"), from: server, at: clock.elapsed, now: nil,
                isDocumented: true)
        }
        for _ in 0..<10 { await hear(100) }
        #expect(await counting.writes == 1)
        await hear(50)
        #expect(await counting.writes == 1)
        let other = ServerPauses(shared, clock, SilentObserver())
        await other.note(
            .busy(retryAfter: "40"), from: server, at: clock.elapsed, now: nil, isDocumented: true)
        #expect(await other.rest(at: server, elapsed: clock.elapsed) == .seconds(100))
        await hear(300)
        clock.advance(by: .seconds(2))
        await other.look(at: server)
        #expect(await other.rest(at: server, elapsed: clock.elapsed) == .seconds(300))
    }

    @Test func `no trip to the store is made for it while a challenge is opened and answered`()
        async throws
    {
        let told = try harness.machine("told")
        let other = try harness.machine("other")
        _ = try await told.authenticator.join("ada")
        _ = try await other.authenticator.receive(try AcmeWire.ask("0"))
        _ = try await other.authenticator.deny(.ada("0"))
        func trips(_ id: String) async throws -> Int {
            let before = await other.store.trips
            let challenge = try await other.authenticator.open(try AcmeWire.ask(id))
            _ = try await other.authenticator.resolve(challenge, with: .approve)
            return await other.store.trips - before
        }
        let before = try await trips("1")
        try await refuse("2", at: told)
        #expect(try await trips("3") == before)
        // Opening brought it along.
        await harness.faults.next(.dropBefore, where: isAnswer)
        let challenge = try await other.authenticator.open(try AcmeWire.ask("4"))
        _ = try await other.authenticator.resolve(challenge, with: .approve)
        let exchanges = await harness.transport.exchanges.count
        other.clock.advance(by: .seconds(110))
        _ = try await other.authenticator.resume()
        #expect(await harness.transport.exchanges.count == exchanges)
    }
}
