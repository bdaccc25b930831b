import Foundation
import IndependentEncodings
import PushCore
import PushTesting
import Testing

@testable import PushPlusAuth

/// What needs the account's secrets where a guard has them:
/// `docs/vendors/plusauth.md#what-a-guard-can-seal`.
@Suite struct GuardTests {
    enum Use: CaseIterable { case yes, no, code }

    private func guarded(
        _ configuration: PlusAuth.Configuration = .ec()
    ) async throws -> PlusAuthHarness {
        let harness = try PlusAuthHarness(configuration)
        let enrollment = try await harness.enroll(guardedBy: .deviceOwner)
        #expect(enrollment.guardPolicy == .deviceOwner)
        return harness
    }

    private func perform(
        _ use: Use, _ harness: PlusAuthHarness, _ challenge: Challenge
    ) async throws {
        switch use {
        case .yes: _ = try await harness.authenticator.resolve(challenge, with: .approve)
        case .no: _ = try await harness.authenticator.resolve(challenge, with: .deny(.fraud))
        case .code: _ = try await harness.code()
        }
    }

    private func record(_ harness: PlusAuthHarness) async throws -> [UInt8] {
        let key = RecordKey.enrollment(try await harness.account().id)
        return try #require(try await harness.store.read(key)).value.copied
    }

    @Test(arguments: [false, true])
    func `a push is read and opened without a question`(isSplit: Bool) async throws {
        let harness = try await guarded(.ec { $0.splitKey = isSplit })
        let challenge = try await harness.challenge(ContextJWT(harness.key()))
        #expect(challenge.prompt == .approve)
        #expect(try await harness.authenticator.refresh(harness.account().id).state == .active)
        #expect(await harness.keyGuard.requests.isEmpty)
    }

    @Test(arguments: Use.allCases)
    func `a yes, a no and a code ask once each, and are locked without the user`(
        use: Use
    ) async throws {
        let harness = try await guarded()
        let challenge = try await harness.challenge(ContextJWT(harness.key()))
        for code in [PushError.Code.locked, .cancelled, .verificationFailed, .guardLost] {
            await harness.keyGuard.refuse(with: code)
            let error = try await refusal { try await perform(use, harness, challenge) }
            #expect(error.code == code)
        }
        #expect(await harness.answers().isEmpty)
        #expect(try await harness.authenticator.record(of: challenge.id)?.state == .open)
        await harness.keyGuard.refuse(with: nil)
        let asked = await harness.keyGuard.requests.count
        try await perform(use, harness, challenge)
        #expect(await harness.keyGuard.requests.count == asked + 1)
        #expect(await harness.answers().count == (use == .code ? 0 : 1))
        // The guard has proved the user.
        #expect(await harness.verifier.requests.isEmpty)
    }

    @Test func `a guarded account makes the codes that it would make unguarded`() async throws {
        let harness = try await guarded()
        let code = try await harness.code()
        try await harness.authenticator.setGuard(nil, of: harness.account().id)
        #expect(try await harness.code() == code)
    }

    @Test func `the account's details, which hold the codes' secret, are locked`() async throws {
        let harness = try await guarded()
        let id = try await harness.account().id
        let provider = harness.provider
        #expect(try await refusal { try await provider.accountDetails(of: id) }.code == .locked)
        let details = try await harness.authenticator.withOpenGuards(of: [id]) {
            () async throws(PushError) in try await provider.accountDetails(of: id)
        }
        #expect(details.json["secret"]?.string == WorkedExample.secret)
    }

    // MARK: What was answered

    @Test(arguments: [FaultPlan.Fault.refuse, .dropBefore, .dropAfter], [false, true])
    func `what was answered goes out without a question, after whatever trouble`(
        fault: FaultPlan.Fault, isSplit: Bool
    ) async throws {
        let harness = try await guarded(.ec { $0.splitKey = isSplit })
        let challenge = try await harness.challenge(ContextJWT(harness.key()))
        await harness.faults.next(fault)
        _ = try? await harness.authenticator.resolve(challenge, with: .approve)
        let later = try PlusAuthHarness(sharing: harness)
        await later.keyGuard.refuse(with: .locked)
        #expect(try await later.authenticator.resume() == [challenge.id: .delivered])
        #expect(await later.keyGuard.requests.count == 1)
    }

    @Test(arguments: [false, true])
    func `whether an answer came too late is known while the key is locked`(
        isSplit: Bool
    ) async throws {
        let harness = try await guarded(.ec { $0.splitKey = isSplit })
        let challenge = try await harness.challenge(ContextJWT(harness.key()))
        await harness.faults.next(.refuse)
        _ = try? await harness.authenticator.resolve(challenge, with: .approve)
        // The answer's own end is over, the challenge's isn't.
        await harness.server.refuse(400)
        harness.clock.advance(by: .seconds(300))
        _ = try await harness.authenticator.resume()
        #expect(try await harness.authenticator.record(of: challenge.id)?.state == .open)
    }

    // MARK: The store

    /// All forms of what answers, which the record of the unguarded account has.
    private func secrets(_ harness: PlusAuthHarness) async throws -> [[UInt8]] {
        let account = try await harness.accounts.existing(harness.account().id)
        let kept = try account.credential(as: PlusAuthCredential.self).answerSecrets
        let jwk = try #require(await harness.enrollments().last).object("private_key")
        let isSplit = harness.provider.configuration.splitKey
        let numbers = try ["d", "p", "q", "dp", "dq", "qi"].compactMap { jwk[$0]?.string }
            .map { try Array(data(base64url: $0)) }
        return kept.map(\.copied) + (isSplit ? [] : numbers)
    }

    @Test(
        arguments: [(.rs256, false), (.es256, false), (.es256, true)]
            as [(PlusAuth.KeyAlgorithm, Bool)])
    func `the store of a guarded account has no form of its secrets, and can't answer`(
        algorithm: PlusAuth.KeyAlgorithm, isSplit: Bool
    ) async throws {
        let harness = try await PlusAuthHarness.enrolled(
            .ec {
                $0.keyAlgorithm = algorithm
                $0.splitKey = isSplit
            })
        let secrets = try await secrets(harness)
        let before = try await record(harness)
        #expect(secrets.allSatisfy { isReadable($0, in: before) })
        try await harness.authenticator.setGuard(.currentBiometry, of: harness.account().id)
        let challenge = try await harness.challenge(ContextJWT(harness.key()))
        let after = try await record(harness)
        #expect(!secrets.contains { isReadable($0, in: after) })
        let thief = try PlusAuthHarness(sharing: harness, keyGuard: ScriptedGuard())
        for use in Use.allCases {
            let error = try await refusal { try await perform(use, thief, challenge) }
            #expect(error.code == .guardLost)
        }
        #expect(await thief.transport.exchanges.isEmpty)
        // The owner's answer, and a code, leave nothing either.
        try await perform(.code, harness, challenge)
        await harness.faults.next(.dropAfter)
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        let answered = try await record(harness)
        #expect(!secrets.contains { isReadable($0, in: answered) })
    }

    @Test(arguments: [false, true])
    func `an account enrolled with a guard never has its secrets in the store`(
        isReplyLost: Bool
    ) async throws {
        let harness = try PlusAuthHarness()
        if isReplyLost { await harness.faults.next(.dropAfter) }
        let enrollment = try await harness.enroll(guardedBy: .currentBiometry)
        #expect(enrollment.guardPolicy == .currentBiometry)
        #expect((enrollment.state == .active) != isReplyLost)
        let first = try await record(harness)
        // A push confirms it by the public half.
        let challenge = try await harness.challenge(ContextJWT(harness.key()))
        #expect(await harness.keyGuard.requests.isEmpty)
        #expect(
            try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        try await harness.authenticator.setGuard(nil, of: enrollment.id)
        let (unguarded, secrets) = (try await record(harness), try await secrets(harness))
        #expect(!secrets.contains { isReadable($0, in: first) })
        #expect(secrets.allSatisfy { isReadable($0, in: unguarded) })
    }
}
