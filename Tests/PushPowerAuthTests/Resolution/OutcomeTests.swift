import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct OutcomeTests {
    private static func notTaken(
        _ why: Outcome.Refusal.Reason, _ mayRetry: Bool, _ status: Int,
        appliesToAllCopies: Bool = false
    ) -> Outcome {
        .notTaken(
            .init(why, mayRetry: mayRetry, appliesToAllCopies: appliesToAllCopies, status: status))
    }

    @Test(
        arguments: [
            (400, "OPERATION_EXPIRED", .expired), (400, "OPERATION_ALREADY_CANCELED", .cancelled),
            (400, "OPERATION_ALREADY_FINISHED", .answeredElsewhere),
            (
                400, "OPERATION_ALREADY_FAILED",
                notTaken(.stateChanged, false, 400, appliesToAllCopies: true)
            ),
            (400, "OPERATION_REQUIRES_ACTIVATION_FLAG", notTaken(.unavailable, true, 400)),
            (400, "INVALID_OPERATION", notTaken(.stateChanged, false, 400)),
            (400, "INVALID_ACTIVATION", notTaken(.stateChanged, false, 400)),
            (400, "INVALID_APPLICATION", notTaken(.unavailable, true, 400)),
            (400, "INVALID_REQUEST", notTaken(.other, true, 400)),
            (404, "ERROR_NOT_FOUND", notTaken(.unavailable, true, 404)),
        ] as [(Int, String, Outcome)])
    func `each refusal has a meaning`(
        _ status: Int, _ name: String, _ outcome: Outcome
    ) async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let challenge = try await phone.opened(at: id)
        await phone.simulator.spoil(by: .refusal(status: status, code: name), at: .authorize)
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == outcome)
        let other = try await phone.received(at: id)
        await phone.simulator.spoil(by: .refusal(status: status, code: name), at: .cancel)
        #expect(try await phone.authenticator.deny(other) == outcome)
    }

    @Test(arguments: [(500, "ERROR_GENERIC"), (503, ""), (409, "REMOTE_COMMUNICATION_ERROR")])
    func `a server that has trouble has said nothing`(_ status: Int, _ name: String) async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let challenge = try await phone.opened(at: id)
        await phone.simulator.spoil(by: .refusal(status: status, code: name), at: .authorize)
        let outcome = try await phone.authenticator.resolve(challenge, with: .approve)
        let isUnknown = if case .unknown = outcome { true } else { false }
        #expect(isUnknown)
        // The server still waits, and only the user can sign again.
        let record = try await phone.authenticator.record(of: challenge.id)
        #expect(record?.state == .decided(.approve))
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `an approval that fails wasn't signed wrong, and may be tried again while it waits`()
        async throws
    {
        let (phone, id) = try await PowerAuthHarness.active()
        let open = try await phone.opened(at: id)
        await phone.simulator.spoil(
            by: .refusal(status: 401, code: "OPERATION_FAILED"), at: .authorize)
        #expect(
            try await phone.authenticator.resolve(open, with: .approve)
                == Self.notTaken(.other, true, 401))
        let over = try await phone.opened(at: id)
        try await phone.simulator.failOperation(over.id.name)
        await phone.simulator.spoil(
            by: .refusal(status: 401, code: "OPERATION_FAILED"), at: .authorize)
        #expect(
            try await phone.authenticator.resolve(over, with: .approve)
                == Self.notTaken(.stateChanged, false, 401, appliesToAllCopies: true))
    }

    @Test func `a refusal whose reason can't be asked for isn't called a wrong PIN`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let challenge = try await phone.opened(at: id)
        await phone.customer.type("9999")
        await phone.fail(.status, .refuse)
        #expect(
            try await phone.authenticator.resolve(challenge, with: .approve)
                == Self.notTaken(.other, true, 401))
    }

    @Test func `a yes that says neither yes nor no isn't taken for one`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let name = try await phone.received(at: id)
        let simulator = phone.simulator
        let transport = SimulatedTransport { request, body in
            let (response, data) = await simulator.respond(to: request, body: body)
            let isAnswer = request.path == PowerAuthSimulator.Call.cancel.rawValue
            return (response, isAnswer ? Data("{}".utf8) : data)
        }
        let provider = phone.anotherProvider(over: transport)
        var announcement = try await phone.authenticator.announcement(of: name)
        let no = Decision(announcement, .deny(.ignore), challenge: nil, evidence: [], extras: nil)
        let account = try await provider.channel.accounts.existing(id)
        #expect(
            await code {
                try await provider.resolver.send(
                    try await phone.answer(to: no), for: &announcement, of: account, again: false)
            } == .interrupted)
    }

    @Test func `an activation that is still being verified can't approve with the device alone`()
        async throws
    {
        let (phone, id) = try await PowerAuthHarness.active()
        try await phone.simulator.setFlags(["VERIFICATION_PENDING"], of: id.name)
        let challenge = try await phone.opened(.oneFactor, at: id)
        #expect(
            try await phone.authenticator.resolve(challenge, with: .approve)
                == Self.notTaken(.other, true, 401, appliesToAllCopies: true))
        // Such a refusal looks like one of counters that had parted by one, and costs nothing.
        #expect(await phone.calls(.authorize) == 2)
        #expect(try await phone.authenticator.record(of: challenge.id)?.state == .open)
    }

    @Test func `a PIN that was right isn't called wrong when the activation can't approve yet`()
        async throws
    {
        let (phone, id) = try await PowerAuthHarness.active()
        try await phone.simulator.setFlags(["VERIFICATION_PENDING"], of: id.name)
        let challenge = try await phone.opened(at: id)
        #expect(
            try await phone.authenticator.resolve(challenge, with: .approve)
                == Self.notTaken(.other, true, 401, appliesToAllCopies: true))
        #expect(await phone.calls(.authorize) == 1)
        try await phone.simulator.setFlags([], of: id.name)
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test(arguments: [1, 3])
    func `an approval that met parted counters isn't called a wrong PIN, and the next is taken`(
        _ steps: Int
    ) async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let challenge = try await phone.opened(at: id)
        // Ahead of this device, as after a backup was restored here, and within the look-ahead.
        let number = try await phone.simulator.activation(id.name).counter ?? 0
        try await phone.simulator.setCounter(of: id.name, to: Int(number) + steps)
        let refused = try await phone.authenticator.resolve(challenge, with: .approve)
        guard case .notTaken(let refusal) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(refusal.reason == .stateChanged && refusal.mayRetry)
        #expect(refusal.attemptsLeft == 4)
        #expect(
            try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `a refused signature of a removed activation ends the enrollment`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let challenge = try await phone.opened(at: id)
        try await phone.simulator.remove(id.name)
        #expect(
            try await phone.authenticator.resolve(challenge, with: .approve)
                == Self.notTaken(.stateChanged, false, 401))
        #expect(try await phone.state(id) == .needsReenrollment)
    }

    @Test func `what was answered by a copy of this answer is perhaps this device's`() async throws
    {
        let (phone, id) = try await PowerAuthHarness.active()
        let challenge = try await phone.opened(at: id)
        var announcement = try await phone.authenticator.announcement(of: challenge.id)
        let pin = [Evidence.pin(Secret(Customer.pin.utf8))]
        let yes = Decision(
            announcement, .approve, challenge: challenge, evidence: pin, extras: nil)
        let no = Decision(
            announcement, .deny(.ignore), challenge: nil, evidence: [], extras: nil)
        let resolver = phone.provider.resolver
        try await phone.simulator.approveElsewhere(challenge.id.name)
        func outcome(_ decision: Decision, again: Bool) async throws -> Outcome {
            try await resolver.send(
                try await phone.answer(to: decision), for: &announcement,
                of: try await phone.account(id), again: again)
        }
        #expect(try await outcome(yes, again: false) == .answeredElsewhere)
        #expect(try await outcome(no, again: false) == .answeredElsewhere)
        #expect(try await outcome(no, again: true) == .answeredElsewhere)
        let perhaps = try await outcome(yes, again: true)
        let isUnknown = if case .unknown = perhaps { true } else { false }
        #expect(isUnknown)
    }

    @Test func `a signature of two factors is not kept, one of possession is made again`()
        async throws
    {
        let (phone, id) = try await PowerAuthHarness.active()
        func answer(
            _ template: PowerAuthSimulator.OperationTemplate, _ resolution: Resolution
        ) async throws -> Answer {
            let challenge = try await phone.opened(template, at: id)
            let announcement = try await phone.authenticator.announcement(of: challenge.id)
            return try await phone.answer(
                to: Decision(
                    announcement, resolution, challenge: challenge,
                    evidence: [.pin(Secret(Customer.pin.utf8))], extras: nil))
        }
        // Makes the token first, which takes a signature.
        _ = try await phone.authenticator.pending(for: id)
        let before = try await phone.record(id).counter
        #expect(try await answer(.oneFactor, .approve).kept.form == .wholeOnceOpen)
        #expect(try await answer(.payment, .deny(.ignore)).kept.form == .wholeOnceOpen)
        #expect(try await phone.record(id).counter == before)
        #expect(try await answer(.payment, .approve).kept.form == .nothing)
        #expect(try await phone.record(id).counter == before.next())
    }

    @Test func `a lost reply to a PIN is asked for, and the PIN isn't sent again`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let challenge = try await phone.opened(at: id)
        await phone.fail(.authorize, .dropAfter)
        _ = try await phone.authenticator.resolve(challenge, with: .approve)
        let second = try await phone.authenticator.resolve(challenge, with: .approve)
        let isUnknown = if case .unknown = second { true } else { false }
        #expect(isUnknown)
        #expect(await phone.calls(.authorize) == 1)
        #expect(try await phone.bank.status(challenge.id) == .approved)
    }
}
