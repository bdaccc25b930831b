import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

/// Where a copy may have left, only the server's word that none was taken opens a challenge again.
@Suite struct CopyTests {
    let phone: PowerAuthHarness
    let id: Enrollment.ID

    init() async throws { (phone, id) = try await PowerAuthHarness.active() }

    private func outcome(
        _ resolution: Resolution, of challenge: Challenge, again: Bool = false
    ) async throws -> Outcome {
        var announcement = try await phone.authenticator.announcement(of: challenge.id)
        let resolver = phone.provider.resolver
        let decision = Decision(
            announcement, resolution, challenge: challenge,
            evidence: [.pin(Secret(Customer.pin.utf8))], extras: nil)
        return try await resolver.send(
            try await phone.answer(to: decision), for: &announcement,
            of: try await phone.account(id), again: again)
    }

    private func refusal(_ outcome: Outcome) throws -> Outcome.Refusal {
        guard case .notTaken(let refusal) = outcome else {
            throw PushError(.notFound, "It isn't a refusal: \(outcome)")
        }
        return refusal
    }

    @Test(arguments: ["INVALID_REQUEST", "INVALID_APPLICATION"])
    func `a refused copy opens nothing while an earlier one may be taken`(
        _ name: String
    ) async throws {
        let challenge = try await phone.opened(at: id)
        // The first copy is lost: its value is one that the server would still take.
        await phone.fail(.cancel, .dropBefore)
        #expect(await code { try await outcome(.deny(.fraud), of: challenge) } == .interrupted)
        await phone.simulator.spoil(by: .refusal(status: 400, code: name), at: .cancel)
        let second = try refusal(try await outcome(.deny(.fraud), of: challenge, again: true))
        #expect(second.mayRetry && !second.appliesToAllCopies)
    }

    @Test func `a copy that the server judged after all that left says that none was taken`()
        async throws
    {
        let challenge = try await phone.opened(at: id)
        await phone.fail(.authorize, .dropBefore)
        #expect(await code { try await outcome(.approve, of: challenge) } == .interrupted)
        // Its signature is right, so no value before it is taken any more.
        try await phone.simulator.setFlags(["VERIFICATION_PENDING"], of: id.name)
        let second = try refusal(try await outcome(.approve, of: challenge, again: true))
        #expect(second.mayRetry && second.appliesToAllCopies)
        #expect(try await phone.bank.status(challenge.id) == .pending)
    }

    @Test func `where the operation can't be asked about, none is said to be open`() async throws {
        let challenge = try await phone.opened(at: id)
        try await phone.simulator.setFlags(["VERIFICATION_PENDING"], of: id.name)
        await phone.fail(.detail, .refuse)
        #expect(
            await code { try await phone.authenticator.resolve(challenge, with: .approve) }
                == .server(status: 401))
        #expect(
            try await phone.authenticator.record(of: challenge.id)?.state == .decided(.approve))
    }

    @Test func `a wrong PIN after a lost copy is told, and keeps the decision`() async throws {
        let challenge = try await phone.opened(at: id)
        await phone.fail(.authorize, .dropBefore)
        _ = try await phone.authenticator.resolve(challenge, with: .approve)
        await phone.customer.type("9999")
        let second = try refusal(
            try await phone.authenticator.resolve(challenge, with: .approve))
        #expect(second.reason == .verification && second.attemptsLeft == 4)
        #expect(
            try await phone.authenticator.record(of: challenge.id)?.state == .decided(.approve))
        await phone.customer.type(Customer.pin)
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test(arguments: [Resolution.deny(.fraud), .approve])
    func `an answer that the network brought twice isn't another's, nor open again`(
        _ resolution: Resolution
    ) async throws {
        for template in [PowerAuthSimulator.OperationTemplate.oneFactor, .payment] {
            let challenge = try await phone.opened(template, at: id)
            let call: PowerAuthSimulator.Call = resolution == .approve ? .authorize : .cancel
            // The first is taken, and the reply is that to its copy: a 401.
            await phone.fail(call, .duplicate)
            let outcome = try await phone.authenticator.resolve(challenge, with: resolution)
            let isUnknown = if case .unknown = outcome { true } else { false }
            #expect(isUnknown, "\(outcome)")
            #expect(
                try await phone.authenticator.record(of: challenge.id)?.state
                    == .answered(resolution, outcome))
            #expect(
                try await phone.bank.status(challenge.id)
                    == (resolution == .approve ? .approved : .rejected))
        }
    }

    @Test func `an approval whose reply was lost isn't called refused after the activation's end`()
        async throws
    {
        let challenge = try await phone.opened(at: id)
        await phone.fail(.authorize, .dropAfter)
        _ = try await phone.authenticator.resolve(challenge, with: .approve)
        #expect(try await phone.bank.status(challenge.id) == .approved)
        try await phone.simulator.remove(id.name)
        // However it is tried again, nobody says that it wasn't taken.
        let outcome = try? await phone.authenticator.resolve(challenge, with: .approve)
        if case .notTaken? = outcome { Issue.record("It was taken.") }
        if case .answered(_, .notTaken)? = try await phone.authenticator.record(of: challenge.id)?
            .state
        {
            Issue.record("It was taken.")
        }
    }

    @Test func `a denial whose reply was lost isn't called refused after the activation's end`()
        async throws
    {
        let challenge = try await phone.opened(at: id)
        await phone.fail(.cancel, .dropAfter)
        _ = try await phone.authenticator.resolve(challenge, with: .deny(.fraud))
        // The server no longer tells of the operation, and refuses the next copy.
        await phone.simulator.spoil(
            by: .replaced(member: "status", value: "PENDING"), at: .detail)
        await phone.simulator.spoil(
            by: .refusal(status: 400, code: "INVALID_ACTIVATION"), at: .cancel)
        let outcome = try await phone.authenticator.resume()[challenge.id]
        let isUnknown = if case .unknown? = outcome { true } else { false }
        #expect(isUnknown, "\(String(describing: outcome))")
    }

    @Test func `an operation that failed has taken no copy`() async throws {
        let challenge = try await phone.opened(at: id)
        await phone.fail(.cancel, .dropBefore)
        _ = try await phone.authenticator.resolve(challenge, with: .deny(.fraud))
        try await phone.simulator.failOperation(challenge.id.name)
        let refusal = try refusal(
            try #require(try await phone.authenticator.resume()[challenge.id]))
        #expect(refusal.reason == .stateChanged && !refusal.mayRetry && refusal.appliesToAllCopies)
    }

    @Test func `the server's word that the operation is over counts for a refused copy`()
        async throws
    {
        let challenge = try await phone.opened(at: id)
        await phone.fail(.cancel, .dropBefore)
        #expect(await code { try await outcome(.deny(.fraud), of: challenge) } == .interrupted)
        await phone.simulator.spoil(
            by: .refusal(status: 400, code: "INVALID_REQUEST"), at: .cancel)
        await phone.gateway.answer(
            .detail,
            with: .init(
                400, #"{"status":"ERROR","responseObject":{"code":"OPERATION_EXPIRED"}}"#))
        // The server has passed both values, so that neither copy is taken any more.
        let number = try await phone.simulator.activation(id.name).counter ?? 0
        try await phone.simulator.setCounter(of: id.name, to: Int(number) + 2)
        #expect(try await outcome(.deny(.fraud), of: challenge, again: true) == .expired)
    }

    @Test func `whatever keeps a second copy back, the first one has left`() async throws {
        for wrong in [
            PushError.Code.pinMismatch, .untrustedServer, .insecureRequest, .unreachable,
            .cancelled,
        ] {
            let (phone, id) = try await PowerAuthHarness.active()
            try await phone.simulator.setFlags(["VERIFICATION_PENDING"], of: id.name)
            let challenge = try await phone.opened(.oneFactor, at: id)
            let simulator = phone.simulator
            let copies = Copies()
            let transport = Stopped { request, body in
                let path = request.path ?? ""
                if path == PowerAuthSimulator.Call.authorize.rawValue, await copies.next() == 2 {
                    return .failure(PushError(wrong, "The second copy was kept back."))
                }
                return .success(await simulator.respond(to: request, body: body))
            }
            let provider = phone.anotherProvider(over: transport)
            var announcement = try await phone.authenticator.announcement(of: challenge.id)
            let yes = Decision(
                announcement, .approve, challenge: challenge, evidence: [], extras: nil)
            let account = try await provider.channel.accounts.existing(id)
            let answer = try await account.signed(
                try await provider.resolver.prepare(yes, of: account))
            let error = await #expect(throws: PushError.self) {
                try await provider.resolver.send(
                    answer, for: &announcement, of: account, again: false)
            }
            #expect(error?.code == .interrupted)
            #expect((error?.underlying as? PushError)?.code == wrong)
        }
    }

    @Test func `a second copy that never left doesn't hide the first`() async throws {
        let challenge = try await phone.opened(.oneFactor, at: id)
        try await phone.simulator.setFlags(["VERIFICATION_PENDING"], of: id.name)
        // A plan has each fault for one exchange: the first passes, the second doesn't.
        await phone.fail(.authorize, .delay(.zero))
        await phone.fail(.authorize, .refuse)
        #expect(await code { try await outcome(.approve, of: challenge) } == .interrupted)
    }
}

/// Counts copies.
private actor Copies {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}

/// A network that keeps some requests back.
private struct Stopped: Transport {
    let body:
        @Sendable (HTTPRequest, Data) async -> Result<
            (response: HTTPResponse, body: Data), PushError
        >

    init(
        _ body:
            @escaping @Sendable (HTTPRequest, Data) async -> Result<
                (response: HTTPResponse, body: Data), PushError
            >
    ) { self.body = body }

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        try await self.body(request, body).get()
    }
}
