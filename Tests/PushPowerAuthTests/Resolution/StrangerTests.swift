import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

/// What gateways, firewalls and portals answer to an answer is nobody's word.
@Suite struct StrangerTests {
    let phone: PowerAuthHarness
    let id: Enrollment.ID

    init() async throws { (phone, id) = try await PowerAuthHarness.active() }

    private func state(_ id: Challenge.ID) async throws -> ChallengeRecord.State? {
        try await phone.authenticator.record(of: id)?.state
    }

    /// What another decision is told.
    private func rival(_ challenge: Challenge, _ resolution: Resolution) async -> PushError.Code? {
        await code { try await phone.authenticator.resolve(challenge, with: resolution) }
    }

    @Test(arguments: Gateway.Answer.strangers)
    func `a denial that a stranger answered stays, and is sent again`(
        _ answer: Gateway.Answer
    ) async throws {
        let challenge = try await phone.opened(at: id)
        await phone.gateway.answer(.cancel, with: answer)
        let outcome = try? await phone.authenticator.resolve(challenge, with: .deny(.fraud))
        let isFinal =
            switch outcome {
            case nil, .unknown: false
            default: true
            }
        #expect(!isFinal)
        #expect(try await state(challenge.id) == .decided(.deny(.fraud)))
        // A second try that the stranger answers, too, changes nothing; nor does another decision.
        try await phone.authenticator.resume()
        #expect(await rival(challenge, .approve) != nil)
        #expect(try await state(challenge.id) == .decided(.deny(.fraud)))
        await phone.gateway.answer(.cancel, with: nil)
        try await phone.authenticator.resume()
        #expect(try await state(challenge.id) == .answered(.deny(.fraud), .delivered))
        #expect(await rival(challenge, .approve) == .decidedOtherwise(.deny(.fraud)))
        #expect(await phone.calls(.authorize) == 0)
        #expect(try await phone.bank.status(challenge.id) == .rejected)
    }

    @Test(arguments: Gateway.Answer.strangers)
    func `an approval that a stranger answered stays, and only the user sends it again`(
        _ answer: Gateway.Answer
    ) async throws {
        let challenge = try await phone.opened(at: id)
        await phone.gateway.answer(.authorize, with: answer)
        _ = try? await phone.authenticator.resolve(challenge, with: .approve)
        #expect(try await state(challenge.id) == .decided(.approve))
        #expect(await rival(challenge, .deny(.fraud)) == .decidedOtherwise(.approve))
        await phone.gateway.answer(.authorize, with: nil)
        try await phone.authenticator.resume()
        #expect(try await state(challenge.id) == .decided(.approve))
        #expect(await phone.calls(.authorize) == 1)
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await phone.simulator.activation(id.name).failedAttempts == 0)
    }

    @Test(arguments: [
        Gateway.Answer(403, "<html>"), Gateway.Answer(401, ""), Gateway.Answer(404, "{}"),
    ])
    func `a denial that arrived isn't undone by what a stranger says of its copy`(
        _ answer: Gateway.Answer
    ) async throws {
        let challenge = try await phone.opened(at: id)
        await phone.fail(.cancel, .dropBefore)
        _ = try await phone.authenticator.resolve(challenge, with: .deny(.fraud))
        await phone.gateway.answer(.cancel, with: answer)
        phone.pass(3)
        try await phone.authenticator.resume()
        #expect(await rival(challenge, .approve) != nil)
        await phone.gateway.answer(.cancel, with: nil)
        #expect(await rival(challenge, .approve) == .decidedOtherwise(.deny(.fraud)))
        #expect(try await phone.bank.status(challenge.id) == .rejected)
        #expect(await phone.calls(.authorize) == 0)
    }
}
