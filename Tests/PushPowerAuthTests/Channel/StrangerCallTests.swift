import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

/// What strangers answer to any other call is nobody's word either.
@Suite struct StrangerCallTests {
    let handset: Handset
    let id: Enrollment.ID

    init() async throws { (handset, id) = try await Handset.active() }

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
        let name = try await handset.received(at: id)
        await handset.gateway.answer(.list, with: answer)
        let asked = await handset.transport.exchanges.count
        #expect(
            await code { try await handset.authenticator.pending(for: id) }
                == .server(status: answer.status))
        #expect(await handset.transport.exchanges.count == asked + 1)
        #expect(try await handset.authenticator.record(of: name)?.state == .open)
        await handset.gateway.answer(.list, with: nil)
        _ = try await handset.authenticator.pending(for: id)
        #expect(await handset.calls(.tokenCreation) == 1)
    }

    @Test(arguments: answers, [PowerAuthSimulator.Call.detail, .claim])
    func `an operation that a stranger speaks of stays open`(
        _ answer: Gateway.Answer, _ call: PowerAuthSimulator.Call
    ) async throws {
        let name = try await handset.received(at: id)
        if call == .claim {
            let link = try await handset.simulator.proximityLink(of: name.name)
            _ = try await handset.authenticator.receive(PushMessage(text: link, by: .scanned))
        }
        await handset.gateway.answer(call, with: answer)
        #expect(
            await code { try await handset.authenticator.challenge(name) }
                == .server(status: answer.status))
        #expect(try await handset.authenticator.record(of: name)?.state == .open)
    }

    @Test(arguments: answers)
    func `a status that a stranger answered changes no state`(
        _ answer: Gateway.Answer
    ) async throws {
        await handset.gateway.answer(.status, with: answer)
        #expect(
            await code { try await handset.authenticator.refresh(id) }
                == .server(status: answer.status))
        #expect(try await handset.state(id) == .active)
    }

    @Test(arguments: answers)
    func `a token that a stranger kept from the server is made by the next call`(
        _ answer: Gateway.Answer
    ) async throws {
        await handset.gateway.answer(.tokenCreation, with: answer)
        #expect(
            await code { try await handset.authenticator.pending(for: id) }
                == .server(status: answer.status))
        #expect(await handset.gateway.kept == 1)
        await handset.gateway.answer(.tokenCreation, with: nil)
        _ = try await handset.authenticator.pending(for: id)
        #expect(try await handset.record(id).token != nil)
    }

    @Test(arguments: answers)
    func `a PIN that a stranger refused isn't called wrong`(_ answer: Gateway.Answer) async throws {
        await handset.gateway.answer(.validation, with: answer)
        #expect(
            await code { try await handset.manager(id).validatePIN(Secret("1234".utf8)) }
                == .server(status: answer.status))
        #expect(await handset.gateway.kept == 1)
        #expect(
            await code {
                try await handset.manager(id)
                    .changePIN(from: Secret("1234".utf8), to: Secret("4321".utf8))
            } == .server(status: answer.status))
        await handset.gateway.answer(.validation, with: nil)
        try await handset.manager(id).validatePIN(Secret("1234".utf8))
    }

    @Test(arguments: answers)
    func `an activation that a stranger answered is neither made nor called used`(
        _ answer: Gateway.Answer
    ) async throws {
        let invitation = try await handset.simulator.invitation(for: "petr")
        await handset.gateway.answer(.activation, with: answer)
        let error = await #expect(throws: PushError.self) {
            try await handset.enroll(invitation)
        }
        #expect(error?.code == .server(status: answer.status))
        #expect(try await handset.authenticator.enrollments().map(\.id) == [id])
        await handset.gateway.answer(.activation, with: nil)
        _ = try await handset.enroll(invitation)
    }

    @Test(arguments: answers)
    func `a removal that a stranger answered removes nothing`(
        _ answer: Gateway.Answer
    ) async throws {
        await handset.gateway.answer(.removal, with: answer)
        #expect(
            await code { try await handset.authenticator.remove(id) }
                == .server(status: answer.status))
        #expect(try await handset.state(id) == .active)
        #expect(try await handset.simulator.activation(id.name).state == .active)
    }

    @Test(arguments: answers)
    func `a device token that a stranger refused waits, under one name`(
        _ answer: Gateway.Answer
    ) async throws {
        await handset.gateway.answer(.registration, with: answer)
        let failures = try await handset.authenticator.deviceTokenChanged(.fcm("abc"))
        #expect(failures[id]?.code == .server(status: answer.status))
        #expect(await handset.gateway.kept == 1)
        await handset.gateway.answer(.registration, with: nil)
        try await handset.authenticator.resume()
        #expect(try await handset.simulator.activation(id.name).deviceToken == .fcm("abc"))
    }

    @Test(arguments: answers)
    func `an inbox that a stranger answered is no empty one`(_ answer: Gateway.Answer) async throws
    {
        await handset.gateway.answer(.inboxList, with: answer)
        let push = PushMessage(fcm: ["messageType": "mtoken.inboxMessage.new", "inboxId": "1"])
        #expect(
            await code { try await handset.authenticator.receive(push) }
                == .server(status: answer.status))
    }

    @Test func `a signature that a stranger kept still lets the server follow`() async throws {
        for _ in 0..<11 {
            await handset.fail(.validation, .refuse)
            _ = try? await handset.validate(.possession, of: id)
        }
        await handset.gateway.answer(.validation, with: Gateway.Answer(403, "<html>"))
        for _ in 0..<40 { _ = try? await handset.authenticator.refresh(id) }
        await handset.gateway.answer(.validation, with: nil)
        try await handset.validate(.pin("1234"), of: id)
        #expect(try await handset.state(id) == .active)
    }
}
