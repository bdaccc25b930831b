import PushCore
import PushPrivacyIDEASimulator
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// What needs the device's key where a guard has it:
/// `docs/vendors/privacyidea.md#what-a-guard-can-seal`.
@Suite struct GuardTests {
    /// What asks the server, and is no answer.
    enum Question: CaseIterable { case list, refresh }

    private func guarded() async throws -> ScriptedHarness {
        let harness = try await ScriptedHarness.enrolled()
        try await harness.authenticator.setGuard(.deviceOwner, of: harness.id)
        return harness
    }

    private func ask(
        _ question: Question, _ harness: ScriptedHarness
    ) async throws(PushError) {
        switch question {
        case .list: _ = try await harness.authenticator.pending(for: harness.id)
        case .refresh: _ = try await harness.authenticator.refresh(harness.id)
        }
    }

    /// Does something after the user has opened the guard.
    private func open(
        _ harness: ScriptedHarness,
        _ body: @Sendable () async throws(PushError) -> Void = { () throws(PushError) in }
    ) async throws {
        try await harness.authenticator.withOpenGuards(of: [harness.id], body)
    }

    @Test func `a push is read and opened without a question, and nobody is asked for more`()
        async throws
    {
        let harness = try await guarded()
        let challenge = try await harness.challenge()
        #expect(challenge.prompt == .approve)
        #expect(try await harness.authenticator.enrollments().map(\.guardPolicy) == [.deviceOwner])
        #expect(await harness.keyGuard.requests.isEmpty)
        #expect(await harness.sent(.poll).isEmpty)
    }

    @Test(arguments: [Resolution.approve, .deny(.unexpected), .deny(.ignore)])
    func `a yes asks once, and so does a no`(resolution: Resolution) async throws {
        let harness = try await guarded()
        let challenge = try await harness.challenge()
        #expect(
            try await harness.authenticator.resolve(challenge, with: resolution) == .delivered)
        #expect(await harness.keyGuard.requests.count == 1)
        // The guard has proved the user.
        #expect(await harness.verifier.requests.isEmpty)
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
        #expect(try await harness.authenticator.record(of: challenge.id)?.state == .open)
        #expect(await harness.sent(.answer).isEmpty)
    }

    @Test(arguments: Question.allCases)
    func `what asks the server is locked, and works once the user has opened the guard`(
        question: Question
    ) async throws {
        let harness = try await guarded()
        #expect(try await refusal { try await ask(question, harness) }.code == .locked)
        #expect(await harness.keyGuard.requests.isEmpty)
        #expect(await harness.sent(.poll).isEmpty)
        try await open(harness) { () async throws(PushError) in try await ask(question, harness) }
        #expect(await harness.keyGuard.requests.count == 1)
        #expect(await harness.sent(.poll).count == 1)
        // Nothing stays open.
        #expect(try await refusal { try await ask(question, harness) }.code == .locked)
    }

    @Test func `a new device token waits for the user, and is told first once it is open`()
        async throws
    {
        let harness = try await guarded()
        try await harness.authenticator.deviceTokenChanged(Sample.token)
        #expect(await harness.sent(.token).isEmpty)
        #expect(try await harness.authenticator.deviceTokenState(of: harness.id) != .current)
        try await open(harness)
        #expect(await harness.sent(.token).count == 1)
        #expect(try await harness.authenticator.deviceTokenState(of: harness.id) == .current)
        #expect(await harness.keyGuard.requests.count == 1)
    }

    @Test func `while it is locked, a token is removed here alone`() async throws {
        let harness = try await guarded()
        try await open(harness) { () async throws(PushError) in
            try await harness.authenticator.deviceTokenChanged(Sample.token)
        }
        let sent = await harness.transport.exchanges.count
        try await harness.authenticator.remove(harness.id, from: .everywhere)
        #expect(try await harness.authenticator.enrollments().isEmpty)
        #expect(await harness.transport.exchanges.count == sent)
        #expect(await harness.keyGuard.parts.count == 0)
    }

    // MARK: What was answered

    @Test func `an answer that never left goes out without a question`() async throws {
        let harness = try await guarded()
        let challenge = try await harness.challenge()
        await harness.faults.next(.refuse)
        _ = try? await harness.authenticator.resolve(challenge, with: .approve)
        #expect(await harness.sent(.answer).isEmpty)
        #expect(try await harness.authenticator.resume()[challenge.id] == .delivered)
        #expect(
            await harness.sent(.answer)
                == [try harness.vectors.request("accept")["body"]?.string])
        #expect(await harness.keyGuard.requests.count == 1)
    }

    @Test func `an answer whose reply was lost waits for the user, and then for the list's word`()
        async throws
    {
        let harness = try await guarded()
        let challenge = try await harness.challenge()
        await harness.faults.next(.dropAfter)
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(try await harness.authenticator.resume()[challenge.id] == .verifyAgain)
        #expect(await harness.sent(.answer).count == 1)
        #expect(await harness.keyGuard.requests.count == 1)
        // The list lacks it: no copy may go out, which might count as another answer.
        await harness.server.list()
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(await harness.keyGuard.requests.count == 2)
        #expect(await harness.sent(.poll).count == 1)
        #expect(await harness.sent(.answer).count == 1)
    }

    @Test func `a word that only the list explains waits for the user`() async throws {
        let harness = try await guarded()
        let challenge = try await harness.challenge()
        await harness.faults.next(.refuse)
        _ = try? await harness.authenticator.resolve(challenge, with: .approve)
        await harness.server.reply(to: .answer, .value(false))
        guard case .unknown? = try await harness.authenticator.resume()[challenge.id] else {
            Issue.record("Nobody can know why the server didn't take it.")
            return
        }
        #expect(try await harness.authenticator.resume()[challenge.id] == .verifyAgain)
        #expect(
            try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await harness.keyGuard.requests.count == 2)
    }

    // MARK: Keys

    @Test func `no key of a guarded token stays read`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        #expect(await !harness.provider.deviceKeys.isEmpty)
        try await harness.authenticator.setGuard(.currentBiometry, of: harness.id)
        #expect(
            try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await harness.provider.deviceKeys.isEmpty)
    }

    @Test func `the store of a guarded token has no form of its key, and can't answer`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        #expect(try await harness.hasNumbers(in: harness.id))
        try await harness.authenticator.setGuard(.currentBiometry, of: harness.id)
        #expect(try await !harness.hasNumbers(in: harness.id))
        let challenge = try await harness.challenge()
        #expect(try await !harness.hasNumbers(in: harness.id))
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
        await harness.faults.next(.dropAfter)
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(try await !harness.hasNumbers(in: harness.id))
    }

    @Test func `what can't be guarded as chosen isn't enrolled, and the code stays good`()
        async throws
    {
        for keyGuard in [nil, ScriptedGuard([.presence])] as [ScriptedGuard?] {
            let harness = try await SimulatedHarness(keyGuard: keyGuard)
            let code = try await harness.server.enrollmentURI(for: "ada")
            let offer = try #require(
                try harness.authenticator.offers(for: .scanned(text: code)).first)
            let error = try await refusal {
                try await harness.authenticator.enroll(offer, guardedBy: .deviceOwner)
            }
            #expect(error.code == .unsupported)
            #expect(await harness.count(.enroll) == 0)
            #expect(try await harness.enroll(code).guardPolicy == nil)
        }
    }

    @Test func `a token enrolled with a guard is never in the store, nor is its next key`()
        async throws
    {
        let harness = try await SimulatedHarness()
        let code = try await harness.server.enrollmentURI(for: "ada")
        let offers = try harness.authenticator.offers(for: .scanned(text: code))
        let enrollment = try await harness.authenticator.enroll(
            #require(offers.first), guardedBy: .currentBiometry)
        #expect(enrollment.guardPolicy == .currentBiometry)
        #expect(try await !harness.hasNumbers(in: enrollment.id))
        let (login, challenge) = try await harness.opened()
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.status(login) == .approved)
        // Another code for the same token replaces its keys; nobody chose another guard.
        let serial = try #require(await harness.server.tokens(of: "ada").first).serial
        let again = try await harness.enroll("ada", serial: serial)
        #expect(again.id == enrollment.id)
        #expect(
            try await harness.authenticator.enrollment(again.id)?.guardPolicy == .currentBiometry)
        for key in ["device", "otherDevice"] {
            #expect(try await !harness.hasNumbers(of: key, in: again.id))
        }
        #expect(await harness.keyGuard.parts.count == 1)
        try await harness.authenticator.setGuard(nil, of: again.id)
        #expect(try await harness.hasNumbers(of: "otherDevice", in: again.id))
    }
}
