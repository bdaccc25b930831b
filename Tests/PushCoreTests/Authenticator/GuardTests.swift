import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// A guard is opened for the step that needs it, and for nothing else.
struct GuardTests {
    private static let yes: Capabilities.GuardedPart.Uses = [.approval, .denial]

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
                (record: inout PlainHalf, _, secret: Secret?) in
                record.half.note = "changed with it"
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
                (_: inout PlainHalf, _, secret: Secret?) in #expect(secret == nil)
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
}

/// A half of which nothing is a guard's.
private struct PlainHalf: ProviderCredential {
    var half: GuardedAcme.Half

    init(reading sealed: Secret) throws(PushError) { half = try GuardedAcme.Half(reading: sealed) }

    var sealed: Secret { half.sealed }
}
