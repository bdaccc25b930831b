import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

/// What strangers answer to any other call is nobody's word either.
@Suite struct StrangerCallTests {
    let phone: PowerAuthHarness
    let id: Enrollment.ID

    init() async throws { (phone, id) = try await PowerAuthHarness.active() }

    private static let answers = [
        Gateway.Answer(401, "<html>"), Gateway.Answer(403, ""), Gateway.Answer(404, "{}"),
        Gateway.Answer(401, #"{"status":"ERROR","responseObject":{"code":"NEW"}}"#),
        Gateway.Answer(400, #"{"error":"ERR_ACTIVATION"}"#),
        Gateway.Answer(404, #"{"status":"ERROR","responseObject":{"code":"INVALID_OPERATION"}}"#),
    ]

    @Test(arguments: answers)
    func `a list that a stranger answered ends nothing and costs no token`(
        _ answer: Gateway.Answer
    ) async throws {
        let name = try await phone.received(at: id)
        await phone.gateway.answer(.list, with: answer)
        let asked = await phone.transport.exchanges.count
        #expect(
            await code { try await phone.authenticator.pending(for: id) }
                == .server(status: answer.status))
        #expect(await phone.transport.exchanges.count == asked + 1)
        #expect(try await phone.authenticator.record(of: name)?.state == .open)
        await phone.gateway.answer(.list, with: nil)
        _ = try await phone.authenticator.pending(for: id)
        #expect(await phone.calls(.tokenCreation) == 1)
    }

    @Test(arguments: answers, [PowerAuthSimulator.Call.detail, .claim])
    func `an operation that a stranger speaks of stays open`(
        _ answer: Gateway.Answer, _ call: PowerAuthSimulator.Call
    ) async throws {
        let name = try await phone.received(at: id)
        if call == .claim {
            let link = try await phone.simulator.proximityLink(of: name.name)
            _ = try await phone.authenticator.receive(PushMessage(text: link, by: .scanned))
        }
        await phone.gateway.answer(call, with: answer)
        #expect(
            await code { try await phone.authenticator.challenge(name) }
                == .server(status: answer.status))
        #expect(try await phone.authenticator.record(of: name)?.state == .open)
    }

    @Test(arguments: answers)
    func `a status that a stranger answered changes no state`(
        _ answer: Gateway.Answer
    ) async throws {
        await phone.gateway.answer(.status, with: answer)
        #expect(
            await code { try await phone.authenticator.refresh(id) }
                == .server(status: answer.status))
        #expect(try await phone.state(id) == .active)
    }

    @Test(arguments: answers)
    func `a token that a stranger kept from the server is made by the next call`(
        _ answer: Gateway.Answer
    ) async throws {
        await phone.gateway.answer(.tokenCreation, with: answer)
        #expect(
            await code { try await phone.authenticator.pending(for: id) }
                == .server(status: answer.status))
        #expect(await phone.gateway.kept == 1)
        await phone.gateway.answer(.tokenCreation, with: nil)
        _ = try await phone.authenticator.pending(for: id)
        #expect(try await phone.record(id).token != nil)
    }

    @Test(arguments: answers)
    func `a PIN that a stranger refused isn't called wrong`(_ answer: Gateway.Answer) async throws {
        await phone.gateway.answer(.validation, with: answer)
        #expect(
            await code { try await phone.manager(id).validatePIN(Secret(Customer.pin.utf8)) }
                == .server(status: answer.status))
        #expect(await phone.gateway.kept == 1)
        #expect(
            await code {
                try await phone.manager(id)
                    .changePIN(from: Secret(Customer.pin.utf8), to: Secret("4321".utf8))
            } == .server(status: answer.status))
        await phone.gateway.answer(.validation, with: nil)
        try await phone.manager(id).validatePIN(Secret(Customer.pin.utf8))
    }

    @Test(arguments: answers)
    func `an activation that a stranger answered is neither made nor called used`(
        _ answer: Gateway.Answer
    ) async throws {
        let invitation = try await phone.simulator.invitation(for: Bank.user)
        await phone.gateway.answer(.activation, with: answer)
        let error = await #expect(throws: PushError.self) {
            try await phone.enroll(invitation)
        }
        #expect(error?.code == .server(status: answer.status))
        #expect(try await phone.authenticator.enrollments().map(\.id) == [id])
        await phone.gateway.answer(.activation, with: nil)
        _ = try await phone.enroll(invitation)
    }

    @Test(arguments: answers)
    func `a removal that a stranger answered removes nothing`(
        _ answer: Gateway.Answer
    ) async throws {
        await phone.gateway.answer(.removal, with: answer)
        #expect(
            await code { try await phone.authenticator.remove(id) }
                == .server(status: answer.status))
        #expect(try await phone.state(id) == .active)
        #expect(try await phone.simulator.activation(id.name).state == .active)
    }

    @Test(arguments: answers)
    func `a device token that a stranger refused waits, under one name`(
        _ answer: Gateway.Answer
    ) async throws {
        await phone.gateway.answer(.registration, with: answer)
        let failures = try await phone.authenticator.deviceTokenChanged(.fcm("abc"))
        #expect(failures[id]?.code == .server(status: answer.status))
        #expect(await phone.gateway.kept == 1)
        await phone.gateway.answer(.registration, with: nil)
        try await phone.authenticator.resume()
        #expect(try await phone.simulator.activation(id.name).deviceToken == .fcm("abc"))
    }

    @Test(arguments: answers)
    func `an inbox that a stranger answered is no empty one`(_ answer: Gateway.Answer) async throws
    {
        await phone.gateway.answer(.inboxList, with: answer)
        let push = PushMessage(fcm: ["messageType": "mtoken.inboxMessage.new", "inboxId": "1"])
        #expect(
            await code { try await phone.authenticator.receive(push) }
                == .server(status: answer.status))
    }

    @Test func `a signature that a stranger kept still lets the server follow`() async throws {
        for _ in 0..<11 {
            await phone.fail(.validation, .refuse)
            _ = try? await phone.validate(.possession, of: id)
        }
        await phone.gateway.answer(.validation, with: Gateway.Answer(403, "<html>"))
        for _ in 0..<40 { _ = try? await phone.authenticator.refresh(id) }
        await phone.gateway.answer(.validation, with: nil)
        try await phone.validate(.pin(Customer.pin), of: id)
        #expect(try await phone.state(id) == .active)
    }
}
