import Foundation
import PushTesting
import Testing

@testable import FictionalVendor
@testable import PushCore

/// What is over is forgotten at last, and what could come back isn't.
struct RetentionTests {
    private static let day = Duration.seconds(86_400)

    /// A process at a server whose time runs with its own. It keeps traces alone of what is over,
    /// unless it is told to keep rows.
    private func life(
        _ harness: AuthenticatorHarness, _ clock: ManualClock, age: Duration = Self.day,
        count: Int = 500, rows: Int = 0
    ) async throws -> Life {
        await harness.server.tell { morning + clock.elapsed.inSeconds }
        let life = try harness.life(clock: clock) {
            $0.retention = Retention(age: age, count: count, rows: rows)
        }
        if try await life.authenticator.enrollments().isEmpty {
            _ = try await life.authenticator.join("ada")
        }
        return life
    }

    /// Lets time pass, learns the server's, and does what an app does at its start. Then a
    /// challenge comes for each account: whoever writes forgets.
    private func pass(
        _ duration: Duration, _ life: Life, _ accounts: [String] = ["ada"]
    ) async throws {
        life.clock.advance(by: duration)
        _ = try await life.authenticator.pending()
        _ = try await life.authenticator.resume()
        for account in accounts {
            let push = try AcmeWire.ask("at \(life.clock.elapsed)", to: account)
            #expect(try await life.authenticator.receive(push).map(\.isNew) == [true])
        }
    }

    /// Whether anything is left of a challenge.
    private func isKnown(_ id: Challenge.ID, _ life: Life) async throws -> Bool {
        var document = try await life.environment.store.document(id.enrollment)
        if case .never = try document.known(id) { return false }
        return true
    }

    private func expectGone(_ id: String, _ life: Life) async throws {
        #expect(try await !isKnown(.ada(id), life), "Challenge \(id) is remembered.")
    }

    private func expectKept(_ id: String, _ life: Life) async throws {
        for _ in 0..<3 {
            _ = try await life.authenticator.resume()
            #expect(try await isKnown(.ada(id), life), "Challenge \(id) was forgotten.")
        }
    }

    @Test func `what was answered and has expired is forgotten after its age, not before`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let life = try await life(harness, ManualClock(morning))
        _ = try await life.authenticator.receive(try AcmeWire.ask("1", expiry: morning + 60))
        _ = try await life.authenticator.deny(.ada("1"))
        try await pass(.seconds(86_000), life)
        try await expectKept("1", life)
        try await pass(.seconds(1000), life)
        try await expectGone("1", life)
    }

    @Test func `what was answered but hasn't expired is kept, however old`() async throws {
        let harness = AuthenticatorHarness()
        let life = try await life(harness, ManualClock(morning), count: 0)
        _ = try await life.authenticator.receive(
            try AcmeWire.ask("1", expiry: morning + 90 * 86_400))
        _ = try await life.authenticator.deny(.ada("1"))
        try await pass(Self.day * 60, life)
        try await expectKept("1", life)
        #expect(
            try await life.authenticator.receive(
                try AcmeWire.ask("1", expiry: morning + 90 * 86_400)
            ).map(\.isNew) == [false])
    }

    @Test func `what expired a moment ago is kept for clocks that differ`() async throws {
        let harness = AuthenticatorHarness()
        let life = try await life(harness, ManualClock(morning), age: .zero, count: 0)
        _ = try await life.authenticator.receive(try AcmeWire.ask("1", expiry: morning + 60))
        _ = try await life.authenticator.deny(.ada("1"))
        try await pass(.seconds(300), life)
        try await expectKept("1", life)
        try await pass(.seconds(500), life)
        try await expectGone("1", life)
    }

    @Test func `a decision whose outcome isn't known is kept, however old`() async throws {
        let harness = AuthenticatorHarness()
        let clock = ManualClock(morning)
        await harness.server.tell { morning + clock.elapsed.inSeconds }
        let life = try harness.life(.init(kept: .nothing), clock: clock) {
            $0.retention = Retention(age: .zero, count: 0, rows: 0)
            $0.backoff.tries = 0
        }
        _ = try await life.authenticator.join("ada")
        _ = try await life.authenticator.receive(try AcmeWire.ask("1", expiry: morning + 60))
        await harness.faults.next(.dropBefore)
        _ = try await life.authenticator.deny(.ada("1"))
        life.clock.advance(by: Self.day * 365)
        _ = try await life.authenticator.pending()
        // The vendor can't be asked, so nobody knows.
        for _ in 0..<5 {
            await harness.faults.next(.status(500))
            _ = try await life.authenticator.resume()
            guard case .decided? = try await life.authenticator.record(of: .ada("1"))?.state
            else {
                Issue.record("It was forgotten.")
                return
            }
        }
    }

    @Test func `an open challenge without expiry is kept, however old`() async throws {
        let harness = AuthenticatorHarness()
        let life = try await life(harness, ManualClock(morning), count: 0)
        _ = try await life.authenticator.receive(try AcmeWire.ask("1"))
        try await pass(Self.day * 365, life)
        try await expectKept("1", life)
        #expect(try await life.authenticator.deny(.ada("1")) == .delivered)
    }

    @Test func `of what is over the newest are remembered, up to the count`() async throws {
        let harness = AuthenticatorHarness()
        let life = try await life(harness, ManualClock(morning), age: Self.day * 365, count: 3)
        for id in 1...6 {
            _ = try await life.authenticator.receive(
                try AcmeWire.ask("\(id)", expiry: morning + 600))
            _ = try await life.authenticator.deny(.ada("\(id)"))
            life.clock.advance(by: .seconds(1))
        }
        try await pass(.seconds(7200), life)
        for id in ["1", "2", "3"] { try await expectGone(id, life) }
        for id in ["4", "5", "6"] { try await expectKept(id, life) }
    }

    @Test func `of what is over the newest are shown, and a replay of the others is no news`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let life = try await life(harness, ManualClock(morning), rows: 2)
        let pushes = try (1...5).map { try AcmeWire.ask("\($0)", expiry: morning + 600) }
        for (index, push) in pushes.enumerated() {
            _ = try await life.authenticator.receive(push)
            _ = try await life.authenticator.deny(.ada("\(index + 1)"))
        }
        #expect(Set(try await life.authenticator.records().map(\.id.name)) == ["4", "5"])
        for push in pushes {
            let again = try await life.authenticator.receive(push)
            #expect(again.map(\.isNew) == [false])
            #expect(again.map(\.isWaiting) == [false])
        }
        #expect(await code { try await life.authenticator.deny(.ada("1"), .fraud) } == .over)
        #expect(await harness.server.answers.count == 5)
    }

    @Test func `a tombstone isn't forgotten for the number while its request could still come`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let life = try await life(harness, ManualClock(morning), age: Self.day * 30, count: 3)
        for id in 1...10 {
            _ = try await life.authenticator.receive(try AcmeWire.cancel("\(id)"))
        }
        try await pass(Self.day * 29, life)
        try await life.authenticator.resume()
        for id in 1...10 {
            let late = try await life.authenticator.receive(try AcmeWire.ask("\(id)"))
            #expect(late.map(\.isWaiting) == [false])
        }
        #expect(await harness.server.answers.isEmpty)
    }

    @Test func `each enrollment has a count of its own`() async throws {
        let harness = AuthenticatorHarness()
        let life = try await life(harness, ManualClock(morning), age: Self.day * 365, count: 1)
        _ = try await life.authenticator.join("bob")
        for account in ["ada", "bob"] {
            for id in ["1", "2"] {
                _ = try await life.authenticator.receive(
                    try AcmeWire.ask(id, to: account, expiry: morning + 60))
                _ = try await life.authenticator.deny(
                    Challenge.ID(id, of: .init(account, of: "acme")))
                life.clock.advance(by: .seconds(1))
            }
        }
        try await pass(.seconds(7200), life, ["ada", "bob"])
        for id in [Enrollment.ID.ada, .bob] {
            #expect(try await !isKnown(Challenge.ID("1", of: id), life))
            #expect(try await isKnown(Challenge.ID("2", of: id), life))
        }
    }

    @Test func `a replay of what was forgotten isn't shown and can't be answered`() async throws {
        let harness = AuthenticatorHarness()
        let life = try await life(harness, ManualClock(morning), rows: 1)
        let push = try AcmeWire.ask("1", expiry: morning + 60)
        _ = try await life.authenticator.receive(push)
        _ = try await life.authenticator.deny(.ada("1"))
        // A newer one takes the place of its row.
        _ = try await life.authenticator.receive(try AcmeWire.cancel("2"))
        try await pass(Self.day * 2, life)
        try await expectGone("1", life)
        let again = try await life.authenticator.receive(push)
        #expect(again.map(\.kind) == [.over(Withdrawal(.ada("1"), .expired))])
        #expect(await code { try await life.authenticator.deny(.ada("1")) } == .over)
        #expect(await harness.server.answers.count == 1)
    }

    @Test func `a tombstone outlives its age as long as its request could still come`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let life = try await life(harness, ManualClock(morning), age: Self.day * 30)
        _ = try await life.authenticator.receive(try AcmeWire.cancel("1"))
        try await pass(Self.day, life)
        let late = try await life.authenticator.receive(try AcmeWire.ask("1"))
        #expect(late.map(\.isWaiting) == [false])
    }

    @Test(arguments: [-1e9, 365 * 86_400.0])
    func `a wall clock that jumps makes nothing be forgotten that hasn't expired`(
        jump: Double
    ) async throws {
        let harness = AuthenticatorHarness()
        let life = try await life(harness, ManualClock(morning), count: 0)
        let push = try AcmeWire.ask("1", expiry: morning + 3600)
        _ = try await life.authenticator.receive(push)
        _ = try await life.authenticator.deny(.ada("1"))
        life.clock.set(morning + jump)
        try await pass(.seconds(60), life)
        try await expectKept("1", life)
        #expect(try await life.authenticator.receive(push).map(\.isNew) == [false])
    }

    @Test func `what the wall clock alone calls old isn't forgotten after a restart`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let first = try await life(harness, ManualClock(morning), count: 0)
        let push = try AcmeWire.ask("1", expiry: morning + 3600)
        _ = try await first.authenticator.receive(push)
        _ = try await first.authenticator.deny(.ada("1"))
        await first.kill()
        // A year ahead, and nothing is known of the server's time.
        await harness.server.tell(nil)
        let second = try harness.life(clock: ManualClock(morning + 365 * 86_400)) {
            $0.retention = Retention(age: .zero, count: 0, rows: 0)
        }
        for _ in 0..<3 { _ = try await second.authenticator.resume() }
        // Whoever writes forgets.
        _ = try await second.authenticator.receive(try AcmeWire.ask("2"))
        #expect(try await second.authenticator.receive(push).map(\.isNew) == [false])
    }
}
