import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// The process is killed, and started again over the same store.
struct KillTests {
    @Test(arguments: [Answer.Kept.Form.whole, .wholeOnceOpen])
    func `killed after the decision was stored, it is sent once after the restart`(
        kept: Answer.Kept.Form
    ) async throws {
        let harness = AuthenticatorHarness()
        let options = Acme.Options(kept: kept)
        let first = try harness.life(options)
        _ = try await first.authenticator.join("ada")
        let challenge = try await first.authenticator.open(try AcmeWire.ask("1"))
        await first.cord.cut(.before, .send("/answer"))
        _ = try? await first.authenticator.resolve(challenge, with: .approve)
        #expect(await harness.server.answers.isEmpty)
        let second = try harness.life(options).authenticator
        #expect(try await second.record(of: .ada("1"))?.state == .decided(.approve))
        #expect(try await second.resume() == [.ada("1"): .delivered])
        #expect(await harness.server.choices() == ["approve"])
        #expect(try await second.resume().isEmpty)
    }

    @Test func `killed after a decision by PIN was stored, only the user can make it again`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let options = Acme.Options(kept: .nothing, verification: [[.pin]])
        let first = try harness.life(options)
        _ = try await first.authenticator.join("ada")
        let challenge = try await first.authenticator.open(try AcmeWire.ask("1"))
        await first.cord.cut(.before, .send("/answer"))
        _ = try? await first.authenticator.resolve(challenge, with: .approve)
        let second = try harness.life(options).authenticator
        #expect(try await second.resume() == [.ada("1"): .verifyAgain])
        #expect(await code { try await second.deny(.ada("1")) } == .decidedOtherwise(.approve))
        let reopened = try await second.challenge(.ada("1"))
        #expect(try await second.resolve(reopened, with: .approve) == .delivered)
        #expect(await harness.server.choices() == ["approve"])
    }

    @Test func `killed after sending, before the reply was stored, the same bytes are repeated`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let first = try harness.life()
        _ = try await first.authenticator.join("ada")
        _ = try await first.authenticator.receive(try AcmeWire.ask("1"))
        await first.cord.cut(.after, .send("/answer"))
        _ = try? await first.authenticator.deny(.ada("1"), .fraud)
        let second = try harness.life().authenticator
        #expect(await code { try await second.deny(.ada("1")) } == .decidedOtherwise(.deny(.fraud)))
        _ = try await second.resume()
        #expect(
            try await second.record(of: .ada("1"))?.state == .answered(.deny(.fraud), .delivered))
        #expect(await harness.server.choices() == ["deny:fraud", "deny:fraud"])
        // The repeat says that it may be one.
        #expect(await harness.server.answers.map { $0["again"]?.bool } == [false, true])
    }

    @Test(arguments: [Answer.Kept.Form.wholeOnceOpen, .part, .nothing])
    func `killed after sending, before the reply was stored, the vendor is asked, not told again`(
        kept: Answer.Kept.Form
    ) async throws {
        let harness = AuthenticatorHarness()
        let first = try harness.life(.init(kept: kept))
        _ = try await first.authenticator.join("ada")
        _ = try await first.authenticator.receive(try AcmeWire.ask("1"))
        await first.cord.cut(.after, .send("/answer"))
        _ = try? await first.authenticator.deny(.ada("1"))
        let second = try harness.life(.init(kept: kept)).authenticator
        #expect(try await second.resume() == [.ada("1"): .delivered])
        #expect(await harness.server.answers.count == 1)
        #expect(await harness.server.statusQuestions == 1)
    }

    @Test(arguments: Answer.Kept.Form.allCases, Cord.Moment.allCases)
    func `killed at any effect of an answer, one decision arrives, and no other ever`(
        kept: Answer.Kept.Form, moment: Cord.Moment
    ) async throws {
        let options = Acme.Options(kept: kept, counts: true)
        var number = 0
        while true {
            let harness = AuthenticatorHarness()
            let first = try harness.life(options)
            _ = try await first.authenticator.join("ada")
            let challenge = try await first.authenticator.open(try AcmeWire.ask("1"))
            await first.cord.cut(moment, number: number)
            _ = try? await first.authenticator.resolve(challenge, with: .approve)
            let wasKilled = await first.cord.isCut
            await first.kill()
            let second = try harness.life(options).authenticator
            try await answerOtherwise(second)
            let choices = await harness.server.choices()
            #expect(Set(choices).count == 1, "Killed \(moment) effect \(number).")
            let counters = await harness.server.answers.compactMap { $0["counter"]?.integer }
            #expect(counters == counters.sorted(), "Killed \(moment) effect \(number).")
            guard wasKilled else { break }
            number += 1
        }
        #expect(number >= 3)  // The row, the answer and the reply, at the least.
    }

    /// Says no where a yes may be on record; then does what the authenticator asks for.
    private func answerOtherwise(_ authenticator: PushAuthenticator) async throws {
        _ = try await authenticator.resume()
        let refusal = await code { try await authenticator.deny(.ada("1")) }
        guard let refusal else { return }
        #expect(refusal == .decidedOtherwise(.approve))
        guard case .decided? = try await authenticator.record(of: .ada("1"))?.state else { return }
        let challenge = try await authenticator.challenge(.ada("1"))
        #expect(try await authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test(arguments: Cord.Moment.allCases)
    func `killed at any effect of receiving, the challenge is there once, or comes again`(
        moment: Cord.Moment
    ) async throws {
        var number = 0
        while true {
            let harness = AuthenticatorHarness()
            let first = try harness.life()
            _ = try await first.authenticator.join("ada")
            await first.cord.cut(moment, number: number)
            _ = try? await first.authenticator.receive(try AcmeWire.ask("1"))
            let wasKilled = await first.cord.isCut
            await first.kill()
            let second = try harness.life().authenticator
            _ = try await second.receive(try AcmeWire.ask("1"))
            #expect(try await second.records().map(\.id) == [.ada("1")])
            #expect(try await second.deny(.ada("1")) == .delivered)
            guard wasKilled else { break }
            number += 1
        }
        #expect(number >= 1)
    }

    // MARK: Enrolling

    @Test func `killed mid-enrollment before anything was sent, nothing is left at the vendor`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let first = try harness.life()
        await first.cord.cut(.before, .send("/enroll"))
        _ = try? await first.authenticator.join("ada")
        #expect(await harness.server.enrolled.isEmpty)
        let second = try harness.life().authenticator
        #expect(try await second.enrollments().isEmpty)
        #expect(try await second.join("ada").state == .active)
    }

    @Test
    func `killed mid-enrollment after sending, half of it is listed and its push confirms it`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let options = Acme.Options(isTwoPhase: true)
        let first = try harness.life(options)
        await first.cord.cut(.after, .send("/enroll"))
        _ = try? await first.authenticator.join("ada")
        let second = try harness.life(options).authenticator
        #expect(try await second.enrollments().map(\.state) == [.pending(.unconfirmed)])
        _ = try await second.receive(try AcmeWire.ask("1"))
        #expect(try await second.enrollment(.ada)?.state == .active)
        #expect(try await second.deny(.ada("1")) == .delivered)
    }

    @Test func `half an enrollment that never came about can be removed, and made again`()
        async throws
    {
        let harness = AuthenticatorHarness()
        let options = Acme.Options(isTwoPhase: true)
        let first = try harness.life(options)
        await first.cord.cut(.before, .send("/enroll"))
        _ = try? await first.authenticator.join("ada")
        let second = try harness.life(options).authenticator
        #expect(try await second.enrollments().map(\.state) == [.pending(.unconfirmed)])
        try await second.remove(.ada)
        #expect(try await second.enrollments().isEmpty)
        #expect(try await second.join("ada").state == .active)
    }

    @Test(arguments: Cord.Moment.allCases)
    func `killed at any effect of enrolling in two phases, what the vendor has is accounted for`(
        moment: Cord.Moment
    ) async throws {
        let options = Acme.Options(isTwoPhase: true)
        var number = 0
        while true {
            let harness = AuthenticatorHarness()
            let first = try harness.life(options)
            await first.cord.cut(moment, number: number)
            _ = try? await first.authenticator.join("ada")
            let wasKilled = await first.cord.isCut
            await first.kill()
            let second = try harness.life(options).authenticator
            if await !harness.server.enrolled.isEmpty {
                #expect(try await second.enrollments().map(\.id) == [.ada])
                _ = try await second.receive(try AcmeWire.ask("1"))
                #expect(try await second.enrollment(.ada)?.state == .active)
            }
            guard wasKilled else { break }
            number += 1
        }
        #expect(number >= 3)
    }
}
