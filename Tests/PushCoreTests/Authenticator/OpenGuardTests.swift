import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// What is open, for how long, and what waits for it.
struct OpenGuardTests {
    @Test
    func `what is open is gone with the step, and a task that was started in it finds nothing`()
        async throws
    {
        let gate = Gate()
        let late = Locked<Task<Bool, Never>?>(nil)
        let app = try await GuardedApp.enrolled(
            [.approval, .denial],
            whilePreparing: { (account) async throws(PushError) in
                let half: GuardedAcme.Half = try account.credential()
                #expect(half.answerSecrets.map { $0.copiedText() } == [GuardedAcme.key])
                let task = Task {
                    await gate.pass()
                    let half: GuardedAcme.Half? = try? account.credential()
                    return half?.answerSecrets.isEmpty == true
                }
                late.withLock { $0 = task }
            })
        let challenge = try await app.authenticator.open(try AcmeWire.ask("1"))
        #expect(try await app.authenticator.resolve(challenge, with: .approve) == .delivered)
        await gate.open()
        #expect(await late.withLock { $0 }?.value == true)
    }

    @Test func `receiving asks nobody, and neither does sending what is kept`() async throws {
        let app = try await GuardedApp.enrolled([.approval, .denial])
        let challenge = try await app.authenticator.open(try AcmeWire.ask("1"))
        await app.harness.faults.next(.dropBefore)
        guard case .unknown = try await app.authenticator.resolve(challenge, with: .approve) else {
            Issue.record("It got through.")
            return
        }
        await app.keyGuard.refuse(with: .cancelled)
        let other = try app.otherProcess(keyGuard: app.keyGuard)
        #expect(try await other.resume() == [.ada("1"): .delivered])
        #expect(await app.questions == 1)
    }

    @Test func `an answer that can't be sent locked waits for the user, who sends the same`()
        async throws
    {
        let app = try await GuardedApp.enrolled([.approval, .delivery])
        let challenge = try await app.authenticator.open(try AcmeWire.ask("1"))
        await app.harness.faults.next(.dropBefore)
        _ = try await app.authenticator.resolve(challenge, with: .approve, extras: "first")
        let other = try app.otherProcess(keyGuard: app.keyGuard)
        #expect(try await other.resume() == [.ada("1"): .verifyAgain])
        #expect(await app.harness.server.answers.isEmpty)
        #expect(await app.questions == 1)
        #expect(try await other.resolve(challenge, with: .approve, extras: "next") == .delivered)
        #expect(await app.questions == 2)
        // What was kept went out, as a second answer might say something else.
        #expect(await app.harness.server.answers.map { $0["extras"] } == ["first"])
    }

    @Test func `a state that can't be asked locked waits for the user, who sends no second answer`()
        async throws
    {
        let app = try await GuardedApp.enrolled(
            [.approval, .questions], .currentBiometry, ["ada"], .init(kept: .wholeOnceOpen))
        let challenge = try await app.authenticator.open(try AcmeWire.ask("1"))
        await app.harness.faults.next(.dropAfter)
        _ = try await app.authenticator.resolve(challenge, with: .approve)
        let other = try app.otherProcess(keyGuard: app.keyGuard)
        #expect(try await other.resume() == [.ada("1"): .verifyAgain])
        #expect(try await other.resolve(challenge, with: .approve) == .delivered)
        #expect(await app.harness.server.answers.count == 1)
        #expect(await app.harness.server.statusQuestions == 1)
    }

    // MARK: Everything else

    @Test func `what a locked guard keeps from being done says so`() async throws {
        let app = try await GuardedApp.enrolled([.questions, .codes, .opening])
        let authenticator = app.authenticator
        #expect(await code { try await authenticator.refresh(.ada) } == .locked)
        #expect(await code { try await authenticator.pending(for: .ada) } == .locked)
        #expect(try await authenticator.pending().failures.mapValues(\.code) == [.ada: .locked])
        #expect(await app.questions == 0)
        // What is the user's own wish asks the user.
        #expect(
            try await authenticator.code(for: .ada).text.copiedText()
                == "code by \(GuardedAcme.key)")
        #expect(await app.questions == 1)
        _ = try await authenticator.open(try AcmeWire.ask("1"))
        #expect(await app.questions == 2)
        await app.keyGuard.refuse(with: .guardLost)
        #expect(await code { try await authenticator.code(for: .ada) } == .guardLost)
    }

    @Test func `two enrollments are opened by one question only if the app says so`() async throws {
        let app = try await GuardedApp.enrolled(.questions, .deviceOwner, ["ada", "bob"])
        let authenticator = app.authenticator
        let states = try await authenticator.withOpenGuards(of: [.ada, .bob]) {
            () async throws(PushError) in
            [
                try await authenticator.refresh(.ada).state,
                try await authenticator.refresh(.bob).state,
            ]
        }
        #expect(states == [.active, .active])
        #expect(await app.questions == 1)
        #expect(await code { try await authenticator.refresh(.bob) } == .locked)
    }

    @Test func `within an open guard an answer asks nobody again`() async throws {
        let app = try await GuardedApp.enrolled(
            [.approval, .denial], .currentBiometry, ["ada"], .init(verification: [[.biometry]]),
            verifier: .absent())
        let authenticator = app.authenticator
        let one = try await authenticator.open(try AcmeWire.ask("1"))
        let two = try await authenticator.open(try AcmeWire.ask("2"))
        let outcomes = try await authenticator.withOpenGuards(of: [.ada]) {
            () async throws(PushError) in
            [
                try await authenticator.resolve(one, with: .approve),
                try await authenticator.resolve(two, with: .approve),
            ]
        }
        #expect(outcomes == [.delivered, .delivered])
        #expect(await app.questions == 1)
    }

    @Test func `a new device token waits until the guard is open, and is told first`() async throws
    {
        let app = try await GuardedApp.enrolled(.questions)
        let authenticator = app.authenticator
        let failures = try await authenticator.deviceTokenChanged(.fcm("new"))
        #expect(failures.mapValues(\.code) == [.ada: .locked])
        try await authenticator.resume()
        #expect(await app.harness.server.tokenLog.isEmpty)
        // What waits for the user is no failure.
        #expect(app.harness.observer.observations.isEmpty)
        try await authenticator.withOpenGuards(of: [.ada]) { () async throws(PushError) in
            #expect(await app.harness.server.tokenLog == ["ada=new"])
        }
        #expect(try await authenticator.enrollment(.ada)?.deviceToken == .fcm("new"))
    }

    @Test(.timeLimit(.minutes(2)))
    func `polling asks once for what is locked, and again once it is guarded no more`()
        async throws
    {
        let app = try await GuardedApp.enrolled(.questions)
        let (authenticator, clock) = (app.authenticator, app.harness.clock)
        let failed = Locked<[PushError.Code]>([])
        let loop = Task {
            await authenticator.poll(failed: { _, error in
                failed.withLock { $0.append(error.code) }
            })
        }
        func pass() async throws {
            try await eventually("The loop sleeps.") {
                await authenticator.polledNow == 0 && clock.sleepers == 1
            }
            clock.advance(by: .seconds(120))
        }
        try await eventually("It asks at once.") { !failed.withLock { $0.isEmpty } }
        for _ in 1...3 { try await pass() }
        #expect(await app.harness.server.requests["/pending"] == nil)
        try await authenticator.setGuard(nil, of: .ada)
        try await pass()
        try await eventually("It asks the vendor.") {
            await app.harness.server.requests["/pending"] == 1
        }
        #expect(failed.withLock { $0 } == [.locked])
        loop.cancel()
        await loop.value
    }
}
