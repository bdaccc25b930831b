import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// How an enrollment is guarded is chosen, shown, changed and kept.
struct GuardPolicyTests {
    private typealias Half = GuardedAcme.Half

    // MARK: Choosing

    @Test(arguments: GuardPolicy.allCases)
    func `a policy is chosen at enrolling, shown, changed, and taken away`(
        policy: GuardPolicy
    ) async throws {
        let app = try await GuardedApp.enrolled(.approval, nil)
        let authenticator = app.authenticator
        #expect(try await authenticator.join("bob", guardedBy: policy).guardPolicy == policy)
        #expect(
            try await authenticator.enrollments().map(\.guardPolicy) == [nil, policy])
        for next in GuardPolicy.allCases {
            #expect(try await authenticator.setGuard(next, of: .ada).guardPolicy == next)
            #expect(try await authenticator.enrollment(.ada)?.guardPolicy == next)
            // The part of the policy before is gone.
            #expect(await app.keyGuard.parts.count == 2)
        }
        #expect(try await authenticator.setGuard(nil, of: .ada).guardPolicy == nil)
        #expect(await app.keyGuard.parts.count == 1)
        let questions = await app.questions
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        #expect(try await authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await app.questions == questions)
    }

    @Test func `a change of the policy opens the guard, or changes nothing`() async throws {
        let app = try await GuardedApp.enrolled(.approval, .deviceOwner)
        await app.keyGuard.refuse(with: .verificationFailed)
        for policy in [nil, .presence] as [GuardPolicy?] {
            #expect(
                await code { try await app.authenticator.setGuard(policy, of: .ada) }
                    == .verificationFailed)
        }
        #expect(try await app.authenticator.enrollment(.ada)?.guardPolicy == .deviceOwner)
        #expect(await !app.hasWritten(GuardedAcme.key))
        #expect(await app.keyGuard.parts.count == 1)
    }

    @Test func `what can't be guarded is refused before anything is sent`() async throws {
        let harness = AuthenticatorHarness(keyGuard: ScriptedGuard())
        let plain = try await harness.enrolled(["ada"])
        #expect(await code { try await plain.join("bob", guardedBy: .presence) } == .unsupported)
        #expect(await code { try await plain.setGuard(.presence, of: .ada) } == .unsupported)
        #expect(await harness.server.enrolled.count == 1)
        // A policy that asks nobody stands for no user's biometry.
        let asks = Acme.Options(asks: [[.newPIN, .newBiometry]])
        let app = try GuardedApp(nil, asks)
        #expect(
            await code { try await app.authenticator.join("ada", guardedBy: .presence) }
                == .unsupported)
        #expect(await app.harness.server.enrolled.isEmpty)
        _ = try await app.authenticator.join("ada", guardedBy: .deviceOwner)
        for policy in [nil, .presence] as [GuardPolicy?] {
            #expect(
                await code { try await app.authenticator.setGuard(policy, of: .ada) }
                    == .unsupported)
        }
        _ = try await app.authenticator.setGuard(.currentBiometry, of: .ada)
        // Nor is biometry set up where the offer doesn't ask for it.
        let other = try GuardedApp(nil)
        #expect(
            await code { try await other.authenticator.join("ada", guardedBy: .deviceOwner) }
                == .unsupported)
    }

    @Test
    func `what biometry unlocks is sealed before an invitation is spent, and discarded with it`()
        async throws
    {
        let asks = Acme.Options(asks: [[.newPIN, .newBiometry]])
        for keyGuard in [nil, ScriptedGuard([.presence])] as [ScriptedGuard?] {
            let harness = AuthenticatorHarness(keyGuard: keyGuard)
            let authenticator = try harness.authenticator(
                of: GuardedAcme(nil, asks, in: harness.environment))
            #expect(
                await code { try await authenticator.join("ada", guardedBy: .deviceOwner) }
                    == .unsupported)
            #expect(await harness.server.requests["/enroll"] == nil)
        }
        let app = try GuardedApp(nil, asks)
        await app.harness.faults.next(.refuse)
        #expect(
            await code { try await app.authenticator.join("ada", guardedBy: .deviceOwner) }
                == .unreachable)
        #expect(await app.keyGuard.sealed.count == 1)
        #expect(await app.keyGuard.parts.isEmpty)
    }

    @Test
    func `a policy that the device can't keep leaves no enrollment, and no guard the old one`()
        async throws
    {
        let keyGuard = ScriptedGuard([.presence])
        let harness = AuthenticatorHarness(keyGuard: keyGuard)
        let authenticator = try harness.authenticator(
            of: GuardedAcme(.approval, in: harness.environment))
        #expect(
            await code { try await authenticator.join("ada", guardedBy: .deviceOwner) }
                == .unsupported)
        #expect(try await authenticator.enrollments().isEmpty)
        // Some plugins write their record after the vendor's word.
        #expect(await harness.server.requests["/enroll"] == nil)
        _ = try await authenticator.join("ada", guardedBy: .presence)
        #expect(
            await code { try await authenticator.setGuard(.deviceOwner, of: .ada) }
                == .unsupported)
        #expect(try await authenticator.enrollment(.ada)?.guardPolicy == .presence)
        #expect(await keyGuard.parts.count == 1)
    }

    @Test func `what a removed enrollment had behind its guard is discarded`() async throws {
        let app = try await GuardedApp.enrolled(.approval)
        try await app.authenticator.remove(.ada)
        #expect(await app.keyGuard.parts.isEmpty)
        // So is what was sealed for one that couldn't be written.
        await app.store.refuseWrites { _ in PushError(.storage, "Full.") }
        #expect(
            await code { try await app.authenticator.join("ada", guardedBy: .presence) }
                == .storage)
        #expect(await app.keyGuard.parts.isEmpty)
    }

    // MARK: Changes

    @Test func `a part that changes is sealed again, in the write that changes the rest`()
        async throws
    {
        let app = try await GuardedApp.enrolled(.approval, .deviceOwner)
        let (authenticator, before) = (app.authenticator, await app.store.written.count)
        let sealed = await app.keyGuard.sealed
        try await authenticator.withOpenGuards(of: [.ada]) { () async throws(PushError) in
            try await authenticator.turn(of: Enrollment.ID.ada) {
                (account) async throws(PushError) in
                try await account.change { (half: inout Half, _) in
                    half.answerSecrets = [secret("a later key")]
                    half.note = "later"
                }
                let half: Half = try account.credential()
                #expect(half.answerSecrets.map { $0.copiedText() } == ["a later key"])
            }
        }
        #expect(await app.store.written.count == before + 1)
        #expect(await app.questions == 1)
        #expect(await app.keyGuard.parts.count == 1)
        #expect(await app.keyGuard.sealed == sealed + [.deviceOwner])
        #expect(await !app.hasWritten("a later key"))
        try await authenticator.setGuard(nil, of: .ada)
        #expect(await app.hasWritten("a later key"))
    }

    @Test func `while it is locked the rest changes, and the part doesn't`() async throws {
        let app = try await GuardedApp.enrolled(.approval)
        let (authenticator, sealed) = (app.authenticator, await app.keyGuard.sealed)
        try await authenticator.turn(of: Enrollment.ID.ada) { (account) async throws(PushError) in
            #expect(account.isGuarded)
            try await account.change { (half: inout Half, _) in half.note = "changed" }
            let half: Half = try account.credential()
            #expect(half.note == "changed" && half.answerSecrets.isEmpty)
        }
        let refused = await code {
            try await authenticator.turn(of: Enrollment.ID.ada) {
                (account) async throws(PushError) in
                try await account.change { (half: inout Half, _) in
                    half.answerSecrets = [secret("another key")]
                }
            }
        }
        #expect(refused == .locked)
        #expect(await app.keyGuard.sealed == sealed)
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        #expect(try await authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `a public half that is made anew keeps the policy`() async throws {
        let app = try await GuardedApp.enrolled(.approval, .deviceOwner)
        try await app.authenticator.turn(of: Enrollment.ID.ada) {
            (account) async throws(PushError) in
            try await account.changeEnrollment {
                $0 = Enrollment(id: .ada, issuer: "anew", state: .active, created: morning)
            }
        }
        let enrollment = try #require(try await app.authenticator.enrollment(.ada))
        #expect(enrollment.issuer == "anew" && enrollment.guardPolicy == .deviceOwner)
    }

    @Test func `an enrollment that takes another's place is guarded as that was`() async throws {
        let app = try await GuardedApp.enrolled(.approval, .deviceOwner)
        let account = try await app.acme.acme.accounts.existing(.ada)
        let new = Enrollment(id: .ada, issuer: "new", state: .active, created: morning)
        try await account.replace(new, Half(secret("push"), secret("the new key")))
        #expect(try await app.authenticator.enrollment(.ada)?.guardPolicy == .deviceOwner)
        #expect(await !app.hasWritten("the new key"))
        #expect(await app.keyGuard.parts.count == 1)
        // There is nothing to seal in this one, so it isn't left unguarded in silence.
        #expect(
            await code { try await account.replace(new, Half(secret("push"))) } == .unsupported)
    }

    @Test func `of two processes one changes the guard, and the other hears of it`() async throws {
        let app = try await GuardedApp.enrolled(.approval, .deviceOwner)
        let late = LateGuard(keyGuard: app.keyGuard)
        let other = try app.otherProcess(keyGuard: late)
        await late.setBeforeSealing { [authenticator = app.authenticator] in
            _ = try? await authenticator.setGuard(.currentBiometry, of: .ada)
        }
        #expect(await code { try await other.setGuard(.presence, of: .ada) } == .conflict)
        #expect(try await other.enrollment(.ada)?.guardPolicy == .currentBiometry)
        #expect(await app.keyGuard.parts.count == 1)
        // Nor is anything left of what was sealed for one that is gone.
        await late.setBeforeSealing { [authenticator = app.authenticator] in
            _ = try? await authenticator.remove(.ada)
        }
        #expect(
            await code { try await other.setGuard(.presence, of: .ada) } == .unknownEnrollment)
        #expect(await app.keyGuard.parts.isEmpty)
    }

    // MARK: The store

    @Test func `no write ever holds what is behind the guard`() async throws {
        let app = try await GuardedApp.enrolled(
            [.approval, .denial, .delivery, .questions], .deviceOwner, ["ada"],
            .init(counts: true))
        let authenticator = app.authenticator
        for fault in [.dropBefore, .dropAfter, nil] as [FaultPlan.Fault?] {
            let name = "\(fault.map { "\($0)" } ?? "none")"
            let challenge = try await authenticator.open(try AcmeWire.ask(name))
            if let fault { await app.harness.faults.next(fault) }
            _ = try await authenticator.resolve(challenge, with: .approve)
            _ = try await authenticator.resume()
            _ = try await authenticator.resolve(challenge, with: .approve)
        }
        try await authenticator.withOpenGuards(of: [.ada]) { () async throws(PushError) in
            _ = try await authenticator.refresh(.ada)
            _ = try await authenticator.pending(for: .ada)
        }
        try await authenticator.setGuard(.presence, of: .ada)
        _ = try await authenticator.exportPreview()
        #expect(await app.store.written.count > 8)
        #expect(await !app.hasWritten(GuardedAcme.key))
        #expect(await app.harness.server.taken.count == 3)
    }

    @Test func `nor what biometry unlocks`() async throws {
        let options = Acme.Options(
            asks: [[.newPIN, .newBiometry]], verification: [[.biometry]], counts: true)
        let app = try await GuardedApp.enrolled(nil, .deviceOwner, ["ada"], options)
        let challenge = try await app.authenticator.open(try AcmeWire.ask("1"))
        #expect(try await app.authenticator.resolve(challenge, with: .approve) == .delivered)
        try await app.authenticator.setGuard(.currentBiometry, of: .ada)
        let made = try #require(app.acme.biometry.withLock { $0 })
        let unlocked = made.withBytes { Array($0) }
        #expect(await app.store.written.allSatisfy { $0.firstRange(of: unlocked) == nil })
    }

    @Test func `an unguarded key is in the store, so that the search can fail`() async throws {
        let app = try await GuardedApp.enrolled(.approval, nil)
        #expect(await app.hasWritten(GuardedAcme.key))
    }
}

/// A guard before whose sealing something happens.
private actor LateGuard: KeyGuard {
    private let keyGuard: any KeyGuard
    private var beforeSealing: @Sendable () async -> Void = {}

    init(keyGuard: any KeyGuard) { self.keyGuard = keyGuard }

    func setBeforeSealing(_ body: @escaping @Sendable () async -> Void) { beforeSealing = body }

    func seal(_ part: Secret, under policy: GuardPolicy) async throws(PushError) -> Secret {
        await beforeSealing()
        return try await keyGuard.seal(part, under: policy)
    }

    func open(
        _ sealed: [Secret], for purpose: VerificationRequest.Purpose, title: String?
    ) async throws(PushError) -> [Secret] {
        try await keyGuard.open(sealed, for: purpose, title: title)
    }

    func discard(_ sealed: Secret) async { await keyGuard.discard(sealed) }
}
