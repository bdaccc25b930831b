import Foundation
import PushCore
import PushPlusAuthSimulator
import PushTesting
import Testing

struct LateAnswerTests {
    typealias Refusal = PlusAuthSimulator.Configuration.Refusal

    private func word(_ status: Int) -> String? {
        [401: "unauthorized_user", 404: "entity_not_found", 409: "already_exists"][status]
    }

    @Test(arguments: Refusal.allCases)
    func `a context token brings one answer`(refusal: Refusal) async throws {
        let bench = Bench { $0.lateAnswers.used = refusal }
        let phone = try await bench.enrolled()
        let (login, push) = try await bench.login()
        #expect(try await bench.answer(push, by: phone).status == 200)
        let denial: JSON.Object = ["response": "rejected", "reject_reason": "ignore"]
        let again = try await bench.answer(push, by: phone, denial)
        #expect(again.status == refusal.rawValue)
        #expect(again.error == word(again.status))
        #expect(try await bench.status(login) == .approved)
        #expect(try await bench.tenant.answers(to: login.id).count == 1)
    }

    @Test(arguments: Refusal.allCases, [false, true])
    func `the second device comes too late`(refusal: Refusal, isShared: Bool) async throws {
        let bench = Bench {
            $0.lateAnswers.elsewhere = refusal
            $0.sharesContextToken = isShared
        }
        let (a, b) = (try Phone.another("a"), try Phone.another("b"))
        try await bench.enrolled(a)
        try await bench.enrolled(b)
        let login = try await bench.tenant.startLogin(of: "ada@example.com", asking: .confirm)
        let pushes = try await bench.tenant.takePushes().map(Received.init)
        let denial: JSON.Object = ["response": "rejected", "reject_reason": "ignore"]
        #expect(try await bench.answer(pushes[1], by: b, denial).status == 200)
        let late = try await bench.answer(pushes[0], by: a)
        #expect(late.status == refusal.rawValue)
        #expect(late.error == word(late.status))
        #expect(try await bench.status(login) == .denied)
    }

    @Test func `by default the documented errors tell the cases apart`() {
        let late = PlusAuthSimulator.Configuration.LateAnswers()
        #expect(late.used == .unauthorized)
        #expect(late.elsewhere == .conflict)
        #expect(late.expired == .unauthorized)
    }

    @Test(arguments: Refusal.allCases)
    func `an answer is taken until the challenge ends, and not after`(
        refusal: Refusal
    ) async throws {
        let bench = Bench {
            $0.lateAnswers.expired = refusal
            $0.challengeLifetime = .seconds(60)
        }
        let phone = try await bench.enrolled()
        let (login, push) = try await bench.login()
        let (other, open) = try await bench.login()
        bench.clock.advance(by: .seconds(59))
        #expect(try await bench.status(login) == .waiting)
        #expect(try await bench.answer(open, by: phone).status == 200)
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.status(login) == .expired)
        #expect(try await bench.status(other) == .approved)
        let late = try await bench.answer(push, by: phone)
        #expect(late.status == refusal.rawValue)
        #expect(late.error == word(late.status))
        #expect(try await bench.status(login) == .expired)
    }

    @Test func `a removed credential can't answer what it was asked before`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let (login, push) = try await bench.login()
        let device = try #require(await bench.tenant.devices(of: "ada@example.com").first)
        try await bench.tenant.removeCredential(device.id)
        let reply = try await bench.answer(push, by: phone)
        #expect(reply.status == 404)
        #expect(reply.error == "entity_not_found")
        #expect(try await bench.status(login) == .waiting)
    }

    @Test func `a one-time code ends the login for all devices`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let (login, push) = try await bench.login()
        try await bench.tenant.submitCode("435223", for: login.id)
        #expect(try await bench.answer(push, by: phone).status == 409)
        #expect(try await bench.tenant.answers(to: login.id).isEmpty)
    }

    @Test func `both paths take answers, and either can be absent`() async throws {
        let paths = [Bench.resolve, "/push-authenticator/resolve-challenge"]
        for (index, path) in paths.enumerated() {
            for isAbsent in [false, true] {
                let bench = Bench {
                    if index == 0 {
                        $0.servesResolve = !isAbsent
                    } else {
                        $0.servesResolveChallenge = !isAbsent
                    }
                }
                let phone = try await bench.enrolled()
                let push = try await bench.login().push
                let body = try phone.answer(["response": "accepted"])
                let reply = try await bench.answer(body, push.token, to: path)
                #expect(reply.status == (isAbsent ? 404 : 200))
                guard isAbsent else { continue }
                let other = try await bench.answer(body, push.token, to: paths[1 - index])
                #expect(other.status == 200)
            }
        }
    }
}
