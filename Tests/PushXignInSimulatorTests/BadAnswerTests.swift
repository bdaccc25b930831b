import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import PushXignInSimulator
import Testing

/// Answers that a device must not believe, on demand.
struct BadAnswerTests {
    private let bench = Bench()

    private func initialization(_ phone: Phone, _ push: Received) throws -> Draft {
        let body: JSON = ["message_jti": push.claims["jti"] ?? .null]
        return bench.draft(phone, .post, "processes/\(push.process)/initialization", body.data)
    }

    private func answer(
        to fault: XignInSimulator.BadAnswer
    ) async throws -> (phone: Phone, draft: Draft, answer: Answer) {
        let phone = try await bench.personalized(label: bench.nextJTI())
        let push = try #require(try await bench.login().pushes.last)
        await bench.manager.spoil(by: fault)
        let draft = try initialization(phone, push)
        let answer = try await bench.send(draft)
        // The fault is spent.
        #expect(try await bench.initialize(phone, push).status == 200)
        return (phone, draft, answer)
    }

    @Test func `an answer without a signature is plain JSON`() async throws {
        let (_, _, answer) = try await answer(to: .unsigned)
        #expect(answer.contentType == "application/json")
        #expect(try JSON(parsing: answer.body)["nonce"] != nil)
    }

    @Test func `another key signs in the name of the manager's, or in its own`() async throws {
        let (phone, _, wrong) = try await answer(to: .wrongKey)
        let name = JSON.string(thumbprint(phone.managerKey))
        #expect(wrong.token?.isSigned(by: phone.managerKey) == false)
        #expect(wrong.token?.header["kid"] == name)
        let (_, _, unknown) = try await answer(to: .unknownKey)
        #expect(unknown.token?.isSigned(by: phone.managerKey) == false)
        #expect(unknown.token?.header["kid"] != name)
    }

    @Test func `a member is replaced after signing, or before`() async throws {
        let service: JSON = ["id": "evil", "name": "Evil"]
        let (phone, _, tampered) = try await answer(
            to: .tampered(member: "service", value: service))
        #expect(tampered.data["service"] == service)
        #expect(tampered.token?.isSigned(by: phone.managerKey) == false)
        let (_, _, replaced) = try await answer(to: .replaced(member: "service", value: service))
        #expect(replaced.data["service"] == service)
        #expect(replaced.token?.isSigned(by: phone.managerKey) == true)
    }

    @Test func `each claim that binds an answer can be wrong, under a good signature`()
        async throws
    {
        let faults: [(XignInSimulator.BadAnswer, String, JSON)] = [
            (.request("req-other"), "req", "req-other"), (.claimedStatus(409), "st", 409),
            (.manager("idm-other"), "iss", "idm-other"),
            (.audience("act-other"), "aud", "act-other"),
        ]
        for (fault, claim, value) in faults {
            let (phone, _, answer) = try await answer(to: fault)
            #expect(answer.token?.claims[claim] == value)
            #expect(answer.status == 200)
            #expect(answer.token?.isSigned(by: phone.managerKey) == true)
        }
        #expect(
            try await answer(to: .manager("idm-other")).answer.token?.header["idm"] == "idm-other")
        #expect(
            try await answer(to: .type("oxrw-push+jwt")).answer.token?.header["typ"]
                == "oxrw-push+jwt")
    }

    @Test func `the HTTP status can differ from the signed one`() async throws {
        let (_, _, answer) = try await answer(to: .status(410))
        #expect(answer.status == 410)
        #expect(answer.token?.claims["st"] == 200)
    }

    @Test func `a chosen refusal is genuine, and nothing was done`() async throws {
        let phone = try await bench.personalized()
        let (id, data) = try await bench.started(phone)
        await bench.manager.spoil(by: .refusal(status: 409, error: "process_finished"), times: 2)
        let body = try bench.finishBody(phone, data, pin: "24680")
        for _ in 0..<2 {
            #expect(try await bench.finish(phone, id, body).verdict == "409 process_finished")
        }
        #expect(try await bench.status(id) == .waiting)
        #expect(try await bench.finish(phone, id, body).status == 200)
    }

    @Test func `a fault waits for its call`() async throws {
        let phone = try await bench.personalized()
        let (_, pushes) = try await bench.login()
        await bench.manager.spoil(by: .claimedStatus(500), at: .start)
        let nonce = try await bench.initialize(phone, pushes[0]).data["nonce"] ?? .null
        let body: JSON = ["nonce": nonce]
        let draft = bench.draft(phone, .post, "processes/\(pushes[0].process)/start", body.data)
        #expect(try await bench.send(draft).token?.claims["st"] == 500)
    }

    @Test func `a spoiled answer's request was processed all the same`() async throws {
        let phone = try await bench.personalized()
        let (id, data) = try await bench.started(phone)
        await bench.manager.spoil(by: .unsigned, at: .finish)
        let body = try bench.finishBody(phone, data, pin: "24680")
        #expect(try await bench.finish(phone, id, body).isSigned == false)
        #expect(try await bench.status(id) == .approved)
        #expect(try await bench.finish(phone, id, body).data["result"]?["type"] == "user_login")
    }

    @Test func `an answer of personalization can be spoiled, too`() async throws {
        let phone = try Phone(scanning: await bench.manager.personalizationLink(for: "jane"))
        await bench.manager.spoil(by: .wrongKey, at: .personalization)
        let answer = try await bench.send(try bench.personalizationDraft(phone))
        #expect(answer.token?.isSigned(by: phone.managerKey) == false)
        #expect(try await bench.personalize(phone).status == 200)
    }
}
