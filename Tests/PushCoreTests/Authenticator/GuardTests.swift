import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// A guard is opened for the step that needs it, and for nothing else.
struct GuardTests {
    private static let yes: GuardedPart.Uses = [.approval, .denial]

    // MARK: A yes

    @Test
    func `a guarded yes opens the guard once, and the verifier is asked for nothing it proved`()
        async throws
    {
        let app = try await GuardedApp.enrolled(
            Self.yes, .currentBiometry, ["ada"], .init(verification: [[.pin], [.biometry]]),
            verifier: .absent())
        let challenge = try await app.authenticator.open(try AcmeWire.ask("1"))
        #expect(await app.questions == 0)
        #expect(try await app.authenticator.resolve(challenge, with: .approve) == .delivered)
        let requests = await app.keyGuard.requests
        guard requests.count == 1, case .answer(let asked, .approve)? = requests.first else {
            Issue.record("\(requests)")
            return
        }
        #expect(asked.id == .ada("1"))
        #expect(await app.harness.verifier.requests.isEmpty)
        #expect(await app.harness.server.taken == ["1": "approve"])
    }

    @Test(
        arguments: [
            (GuardPolicy.presence, [[.biometry, .pin]]), (.deviceOwner, [[.biometry, .pin]]),
            (.currentBiometry, [[.pin]]),
        ] as [(GuardPolicy, [[Factor]])])
    func `the verifier is asked for what the policy doesn't prove`(
        policy: GuardPolicy, rest: [[Factor]]
    ) async throws {
        let app = try await GuardedApp.enrolled(
            Self.yes, policy, ["ada"], .init(verification: [[.biometry, .pin]]),
            verifier: .willing(pin: "7890"))
        let challenge = try await app.authenticator.open(try AcmeWire.ask("1"))
        #expect(try await app.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await app.harness.verifier.requests.map(\.alternatives) == [rest])
        #expect(await app.harness.server.answers.first?["pin"] == "7890")
        #expect(await app.questions == 1)
    }

    @Test func `a passcode is no biometry, and a style that forbids it leaves the rest to prove`()
        async throws
    {
        let app = try await GuardedApp.enrolled(
            Self.yes, .deviceOwner, ["ada"],
            .init(verification: [[.deviceCredential], [.pin]]), verifier: .willing(pin: "7890"))
        let style = VerificationStyle(allowsDeviceCredential: false)
        let challenge = try await app.authenticator.open(try AcmeWire.ask("1"))
        #expect(
            try await app.authenticator.resolve(challenge, with: .approve, style: style)
                == .delivered)
        #expect(await app.harness.verifier.requests.map(\.alternatives) == [[[.pin]]])
    }

    @Test func `a style that leaves no alternative opens nothing`() async throws {
        let app = try await GuardedApp.enrolled(
            Self.yes, .deviceOwner, ["ada"], .init(verification: [[.deviceCredential]]))
        let style = VerificationStyle(allowsDeviceCredential: false)
        let challenge = try await app.authenticator.open(try AcmeWire.ask("1"))
        #expect(
            await code {
                try await app.authenticator.resolve(challenge, with: .approve, style: style)
            } == .invalidArgument)
        #expect(await app.questions == 0)
    }

    @Test(
        arguments: [
            .cancelled, .verificationFailed, .locked, .guardLost, .storage,
        ] as [PushError.Code])
    func `a guard that isn't opened decides nothing, and nothing takes its place`(
        refusal: PushError.Code
    ) async throws {
        let app = try await GuardedApp.enrolled(
            Self.yes, .currentBiometry, ["ada"], .init(verification: [[.pin], [.biometry]]))
        let challenge = try await app.authenticator.open(try AcmeWire.ask("1"))
        await app.keyGuard.refuse(with: refusal)
        #expect(
            await code { try await app.authenticator.resolve(challenge, with: .approve) }
                == refusal)
        #expect(await app.harness.server.answers.isEmpty)
        #expect(await app.harness.verifier.requests.isEmpty)
        #expect(try await app.authenticator.record(of: .ada("1"))?.state == .open)
        await app.keyGuard.refuse(with: nil)
        #expect(try await app.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `an environment without a guard receives, and is locked`() async throws {
        let app = try await GuardedApp.enrolled(Self.yes)
        let other = try app.otherProcess(keyGuard: nil)
        let challenge = try await other.open(try AcmeWire.ask("1"))
        #expect(challenge.id == .ada("1"))
        #expect(await code { try await other.resolve(challenge, with: .approve) } == .locked)
        #expect(await code { try await other.join("bob", guardedBy: .presence) } == .unsupported)
        #expect(try await other.enrollment(.bob) == nil)
    }

    // MARK: What biometry unlocks

    private static let factors = Acme.Options(
        asks: [[.newPIN, .newBiometry], [.newPIN]], verification: [[.pin], [.biometry]])

    @Test func `what biometry unlocks is made by the core, and brought by it`() async throws {
        let app = try await GuardedApp.enrolled(nil, .currentBiometry, ["ada"], Self.factors)
        #expect(await app.harness.verifier.requests.map(\.alternatives) == [[[.newPIN]]])
        let secret = try #require(app.acme.biometry.withLock { $0 })
        #expect(secret.count == 32)
        let challenge = try await app.authenticator.open(try AcmeWire.ask("1"))
        #expect(try await app.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await app.questions == 1)
        #expect(await app.harness.verifier.requests.count == 1)
        // A no is the vendor's to take without it.
        _ = try await app.authenticator.receive(try AcmeWire.ask("2"))
        #expect(try await app.authenticator.deny(.ada("2")) == .delivered)
        #expect(await app.questions == 1)
    }

    @Test(arguments: [.guardLost, .verificationFailed, .locked] as [PushError.Code])
    func `the PIN takes the place of what biometry can't unlock`(
        refusal: PushError.Code
    ) async throws {
        let app = try await GuardedApp.enrolled(nil, .deviceOwner, ["ada"], Self.factors)
        await app.keyGuard.refuse(with: refusal)
        let challenge = try await app.authenticator.open(try AcmeWire.ask("1"))
        #expect(try await app.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await app.harness.verifier.requests.last?.alternatives == [[.pin]])
        #expect(await app.harness.server.answers.first?["pin"] == "1234")
    }

    @Test func `a user who gives up is asked for nothing else`() async throws {
        let app = try await GuardedApp.enrolled(nil, .deviceOwner, ["ada"], Self.factors)
        await app.keyGuard.refuse(with: .cancelled)
        let challenge = try await app.authenticator.open(try AcmeWire.ask("1"))
        #expect(
            await code { try await app.authenticator.resolve(challenge, with: .approve) }
                == .cancelled)
        #expect(await app.harness.verifier.requests.count == 1)
        #expect(await app.harness.server.answers.isEmpty)
    }

    @Test func `a challenge that takes no biometry opens nothing`() async throws {
        var options = Self.factors
        options.verification = [[.pin]]
        let app = try await GuardedApp.enrolled(nil, .deviceOwner, ["ada"], options)
        let challenge = try await app.authenticator.open(try AcmeWire.ask("1"))
        #expect(try await app.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await app.questions == 0)
    }

    @Test func `a vendor's door asks for the proof itself, and replaces what biometry unlocks`()
        async throws
    {
        let app = try await GuardedApp.enrolled(nil, .deviceOwner, ["ada"], Self.factors)
        let old = app.acme.biometry.withLock { $0?.copiedText() }
        try await app.authenticator.turn(of: Enrollment.ID.ada) {
            (account) async throws(PushError) in
            let proof = try await account.biometry(for: .manage(.ada, "a test"))
            #expect([proof].biometricSecret?.copiedText() == old)
            let new = try await account.change(guarding: .currentBiometry) {
                (half: inout GuardedAcme.Half, _, secret: Secret?) in
                half.note = "changed with it"
                return secret
            }
            #expect(new?.count == 32)
            app.acme.biometry.withLock { $0 = new }
        }
        #expect(try await app.authenticator.enrollment(.ada)?.guardPolicy == .currentBiometry)
        #expect(await app.keyGuard.parts.count == 1)
        let challenge = try await app.authenticator.open(try AcmeWire.ask("1"))
        #expect(try await app.authenticator.resolve(challenge, with: .approve) == .delivered)
        try await app.authenticator.turn(of: Enrollment.ID.ada) {
            (account) async throws(PushError) in
            try await account.change(guarding: nil) {
                (_: inout GuardedAcme.Half, _, secret: Secret?) in #expect(secret == nil)
            }
            #expect(!account.isGuarded)
        }
        #expect(await app.keyGuard.parts.isEmpty)
        #expect(try await app.authenticator.enrollment(.ada)?.guardPolicy == nil)
    }

    // MARK: A no

    @Test func `a no opens nothing where another key signs it`() async throws {
        let app = try await GuardedApp.enrolled(.approval)
        _ = try await app.authenticator.receive(try AcmeWire.ask("1"))
        #expect(try await app.authenticator.deny(.ada("1")) == .delivered)
        #expect(await app.questions == 0)
    }

    @Test func `a no asks where one key signs all, and proves nothing to the vendor`() async throws
    {
        let app = try await GuardedApp.enrolled(Self.yes)
        _ = try await app.authenticator.receive(try AcmeWire.ask("1"))
        #expect(try await app.authenticator.deny(.ada("1")) == .delivered)
        let requests = await app.keyGuard.requests
        guard requests.count == 1, case .manage(.ada, _)? = requests.first else {
            Issue.record("\(requests)")
            return
        }
    }

    // MARK: What is open

    @Test
    func `what is open is gone with the step, and a task that was started in it finds nothing`()
        async throws
    {
        let gate = Gate()
        let late = Locked<Task<Bool, Never>?>(nil)
        let app = try await GuardedApp.enrolled(
            Self.yes,
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
        let app = try await GuardedApp.enrolled(Self.yes)
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
            Self.yes, .currentBiometry, ["ada"], .init(verification: [[.biometry]]),
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
