import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import Testing

@testable import PushKeycloak

/// What needs the device's key where a guard has it:
/// `docs/vendors/keycloak.md#what-a-guard-can-seal`.
@Suite struct GuardTests {
    /// What asks the realm, and is no answer.
    enum Question: CaseIterable {
        case list, refresh, rotation, lockout
    }

    private func guarded() async throws -> ScriptedHarness {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.know(try Vectors().deviceKey)
        try await harness.authenticator.setGuard(.deviceOwner, of: harness.id)
        return harness
    }

    private func ask(
        _ question: Question, _ harness: ScriptedHarness
    ) async throws(PushError) {
        switch question {
        case .list: _ = try await harness.authenticator.pending(for: harness.id)
        case .refresh: _ = try await harness.authenticator.refresh(harness.id)
        case .rotation: try await harness.rotateKey()
        case .lockout: try await harness.lockOut()
        }
    }

    /// Does something after the user has opened the guard.
    private func open(
        _ harness: ScriptedHarness,
        _ body: @Sendable () async throws(PushError) -> Void
    ) async throws {
        try await harness.authenticator.withOpenGuards(of: [harness.id], body)
    }

    private func keys(_ harness: ScriptedHarness) async throws -> [DeviceKey] {
        let read = Locked<[Secret]>([])
        try await open(harness) { () async throws(PushError) in
            let account = try await harness.accounts.existing(harness.id)
            let keys = try account.credential(as: KeycloakCredential.self).answerSecrets
            read.withLock { $0 = keys }
        }
        return try read.withLock(\.self).map { try DeviceKey(stored: $0) }
    }

    @Test func `a push is read, and what is on record shown, without a question`() async throws {
        let harness = try await guarded()
        #expect(try await harness.authenticator.receive(harness.push()).map(\.isNew) == [true])
        #expect(try await harness.authenticator.enrollments().map(\.guardPolicy) == [.deviceOwner])
        #expect(try await harness.state(of: harness.challengeID) == .open)
        #expect(await harness.keyGuard.requests.isEmpty)
    }

    @Test(arguments: [Resolution.approve, .deny(.unexpected)])
    func `opening a challenge asks, and so does its answer, be it a yes or a no`(
        resolution: Resolution
    ) async throws {
        let harness = try await guarded()
        let challenge = try await harness.challenge()
        #expect(await harness.keyGuard.requests.count == 1)
        #expect(
            try await harness.authenticator.resolve(challenge, with: resolution) == .delivered)
        #expect(await harness.keyGuard.requests.count == 2)
    }

    @Test func `a notice that was never opened is denied by one question`() async throws {
        let harness = try await guarded()
        _ = try await harness.authenticator.receive(harness.push())
        #expect(try await harness.authenticator.deny(harness.challengeID) == .delivered)
        #expect(await harness.keyGuard.requests.count == 1)
    }

    @Test func `opened at once by the app, a challenge is read and answered by one question`()
        async throws
    {
        let harness = try await guarded()
        await harness.server.list(
            try Vectors().object("listed").with(["userVerification": nil]))
        _ = try await harness.authenticator.receive(harness.push())
        let (authenticator, id) = (harness.authenticator, harness.challengeID)
        let outcome = try await authenticator.withOpenGuards(of: [harness.id]) {
            () async throws(PushError) in
            try await authenticator.resolve(try await authenticator.challenge(id), with: .approve)
        }
        #expect(outcome == .delivered)
        #expect(await harness.keyGuard.requests.count == 1)
    }

    @Test(arguments: [PushError.Code.cancelled, .verificationFailed, .locked, .guardLost])
    func `a guard that isn't opened decides nothing, and sends nothing`(
        code: PushError.Code
    ) async throws {
        let harness = try await guarded()
        let challenge = try await harness.challenge()
        await harness.keyGuard.refuse(with: code)
        for answer in [Resolution.approve, .deny(.unexpected)] {
            let error = try await refusal {
                try await harness.authenticator.resolve(challenge, with: answer)
            }
            #expect(error.code == code)
        }
        #expect(
            try await refusal { try await harness.authenticator.challenge(challenge.id) }.code
                == code)
        #expect(try await harness.state(of: challenge.id) == .open)
        #expect(await harness.exchanges(.answer).isEmpty)
    }

    @Test(arguments: Question.allCases)
    func `what asks the realm is locked, and works once the user has opened the guard`(
        question: Question
    ) async throws {
        let harness = try await guarded()
        #expect(try await refusal { try await ask(question, harness) }.code == .locked)
        #expect(await harness.keyGuard.requests.isEmpty)
        #expect(await harness.transport.exchanges.isEmpty)
        try await open(harness) { () async throws(PushError) in try await ask(question, harness) }
        #expect(await harness.keyGuard.requests.count == 1)
        #expect(await !harness.transport.exchanges.isEmpty)
        // Nothing stays open.
        #expect(try await refusal { try await ask(question, harness) }.code == .locked)
    }

    @Test func `a new device token waits for the user, and is told first once it is open`()
        async throws
    {
        let harness = try await guarded()
        try await harness.authenticator.deviceTokenChanged(.fcm("fcm-token-3"))
        #expect(await harness.exchanges(.address).isEmpty)
        #expect(try await harness.authenticator.deviceTokenState(of: harness.id) != .current)
        try await open(harness) { () async throws(PushError) in }
        #expect(try await harness.bodies(.address).last?["pushProviderId"] == "fcm-token-3")
        #expect(await harness.keyGuard.requests.count == 1)
    }

    @Test(arguments: [FaultPlan.Fault.refuse, .dropAfter])
    func `an answer that wasn't confirmed waits for the user, as sending it signs again`(
        fault: FaultPlan.Fault
    ) async throws {
        let harness = try await guarded()
        let challenge = try await harness.challenge()
        await harness.faults.next(fault) { ScriptedServer.Kind($0) == .answer }
        _ = try? await harness.authenticator.resolve(challenge, with: .approve)
        let (sent, asked) = (
            await harness.exchanges(.answer).count, await harness.keyGuard.requests.count
        )
        #expect(try await harness.authenticator.resume()[challenge.id] == .verifyAgain)
        #expect(await harness.exchanges(.answer).count == sent)
        #expect(await harness.keyGuard.requests.count == asked)
        #expect(
            try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await harness.keyGuard.requests.count == asked + 1)
    }

    @Test func `while it is locked, an enrollment is removed here alone`() async throws {
        let harness = try await guarded()
        try await harness.authenticator.remove(harness.id, from: .everywhere)
        #expect(try await harness.authenticator.enrollments().isEmpty)
        #expect(await harness.transport.exchanges.isEmpty)
        #expect(await harness.keyGuard.parts.count == 0)
    }

    // MARK: Keys

    @Test(arguments: [nil, FaultPlan.Fault.dropBefore, .dropAfter])
    func `keys that change are sealed again, whatever becomes of the change`(
        fault: FaultPlan.Fault?
    ) async throws {
        let harness = try await guarded()
        if let fault {
            await harness.faults.next(fault) { ScriptedServer.Kind($0) == .rotate }
        }
        _ = try? await open(harness) { () async throws(PushError) in
            try await harness.rotateKey()
        }
        let record = try await harness.record(of: harness.id)
        let kept = try await keys(harness)
        #expect(kept.count == (fault == nil ? 1 : 2))
        for key in kept { #expect(!isReadable(key.stored.copied, in: record)) }
        try await open(harness) { () async throws(PushError) in
            try await ask(.list, harness)
        }
        let known = await harness.server.knownKey
        #expect(try await keys(harness).first?.thumbprint == known)
        #expect((known != (try Vectors().deviceKey.thumbprint)) == (fault != .dropBefore))
        // Each part that is replaced is given up.
        #expect(await harness.keyGuard.parts.count == 1)
    }

    @Test func `the store of a guarded enrollment has no form of its key, and can't answer`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        let number = try Vectors().deviceKey.stored.copied
        #expect(isReadable(number, in: try await harness.record(of: harness.id)))
        try await harness.authenticator.setGuard(.currentBiometry, of: harness.id)
        #expect(!isReadable(number, in: try await harness.record(of: harness.id)))
        let challenge = try await harness.challenge()
        #expect(!isReadable(number, in: try await harness.record(of: harness.id)))
        let thief = try await ScriptedHarness(sharing: harness, keyGuard: ScriptedGuard())
        for answer in [Resolution.approve, .deny(.unexpected)] {
            let error = try await refusal {
                try await thief.authenticator.resolve(challenge, with: answer)
            }
            #expect(error.code == .guardLost)
        }
        for question in Question.allCases {
            #expect(try await refusal { try await ask(question, thief) }.code == .locked)
        }
        #expect(await thief.transport.exchanges.isEmpty)
        // The owner's answer leaves nothing either.
        #expect(
            try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(!isReadable(number, in: try await harness.record(of: harness.id)))
    }

    @Test(arguments: [false, true])
    func `a device enrolled with a guard never has its key in the store, and logs in`(
        isReplyLost: Bool
    ) async throws {
        let harness = try await SimulatedHarness()
        let offers = try harness.authenticator.offers(
            for: .scanned(text: try await harness.code()))
        if isReplyLost {
            await harness.faults.next(.dropAfter) { ScriptedServer.Kind($0) == .complete }
        }
        let enrollment = try await harness.authenticator.enroll(
            #require(offers.first), guardedBy: .currentBiometry)
        #expect(enrollment.guardPolicy == .currentBiometry)
        #expect((enrollment.state == .active) != isReplyLost)
        #expect(await harness.keyGuard.requests.isEmpty)
        let record = try await harness.record(of: enrollment.id)
        let (login, challenge) = try await harness.opened()
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.status(login) == .approved)
        try await harness.authenticator.setGuard(nil, of: enrollment.id)
        let key = try await harness.accounts.existing(enrollment.id)
            .credential(as: KeycloakCredential.self).key.copied
        #expect(key.count == 32 && !isReadable(key, in: record))
        #expect(isReadable(key, in: try await harness.record(of: enrollment.id)))
    }
}
