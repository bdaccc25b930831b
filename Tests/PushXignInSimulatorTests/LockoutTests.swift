import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignInSimulator
import Testing

/// Wrong factors in a row: attempts, a lockout that passes, one that doesn't.
struct LockoutTests {
    /// Tries a wrong PIN at the challenge that counts, and returns what the device is told of it.
    private func fail(_ bench: Bench, _ phone: Phone, _ login: inout (id: String, data: JSON))
        async throws -> JSON
    {
        let answer = try await bench.tryPIN("13579", phone, login.id, login.data)
        let result = try #require(answer.data["result"], "\(answer.verdict)")
        var data = login.data.object ?? [:]
        data["challenge"] = result["challenge"]
        login.data = .object(data)
        return result["lockout"] ?? .null
    }

    @Test func `attempts count down to a lockout that ends by itself`() async throws {
        let bench = Bench()
        let phone = try await bench.personalized()
        var login = try await bench.started(phone)
        for remaining: Int64 in [2, 1, 0] {
            let told = try await fail(bench, phone, &login)
            #expect(
                told == [
                    "kind": "attempt", "seconds": 30, "remaining": .number(.init(remaining)),
                    "permanent": false,
                ])
        }
        bench.clock.advance(by: .seconds(12))
        let state = try await bench.manager.lockout(of: phone.activation)
        #expect(state.failures == 3)
        #expect(state.remaining == 0)
        #expect(state.end == bench.clock.now.addingTimeInterval(18))
        let answer = try await bench.tryPIN("24680", phone, login.id, login.data)
        #expect(answer.verdict == "403 activation_locked")
        #expect(
            answer.data["lockout"] == [
                "kind": "pending", "seconds": 18, "remaining": 0, "permanent": false,
            ])
        // The process is dead, so the login page need not wait.
        #expect(try await bench.status(login.id) == .failed)
        bench.clock.advance(by: .seconds(18))
        let late = try await bench.tryPIN("24680", phone, login.id, login.data)
        #expect(late.verdict == "409 process_finished")

        let next = try await bench.started(phone)
        #expect(try await bench.manager.lockout(of: phone.activation).remaining == 3)
        let right = try await bench.tryPIN("24680", phone, next.id, next.data)
        #expect(right.data["result"]?["type"] == "user_login")
        #expect(try await bench.manager.lockout(of: phone.activation).failures == 0)
    }

    @Test func `a right factor forgets the wrong ones`() async throws {
        let bench = Bench()
        let phone = try await bench.personalized()
        for _ in 0..<3 {
            var login = try await bench.started(phone)
            _ = try await fail(bench, phone, &login)
            #expect(try await fail(bench, phone, &login)["remaining"] == 1)
            let right = try await bench.tryPIN("24680", phone, login.id, login.data)
            #expect(right.data["result"]?["type"] == "user_login")
        }
    }

    @Test func `a locked device can neither open nor take over a process, but say no`()
        async throws
    {
        let bench = Bench { $0.lockouts.attempts = 1 }
        let phone = try await bench.personalized()
        let (id, pushes) = try await bench.login()
        let nonce = try await bench.initialize(phone, pushes[0]).data["nonce"]
        var other = try await bench.started(phone)
        _ = try await fail(bench, phone, &other)
        #expect(try await bench.initialize(phone, pushes[0]).verdict == "403 activation_locked")
        let start = try await bench.ask(
            phone, .post, "processes/\(id)/start", ["nonce": nonce ?? .null])
        #expect(start.verdict == "403 activation_locked")
        // It hadn't taken this one over: another device still may.
        #expect(try await bench.status(id) == .waiting)
        #expect(try await bench.reject(phone, id, "not_me").status == 200)
        let token = try await bench.ask(
            phone, .put, "activations/\(phone.activation)/push-token",
            ["token": "new", "platform": "test"])
        #expect(token.status == 200)
    }

    @Test func `a judged assertion gets its result again, even while locked`() async throws {
        let bench = Bench { $0.lockouts.attempts = 1 }
        let phone = try await bench.personalized()
        let (id, pushes) = try await bench.login()
        let data = try await bench.start(phone, pushes[0]).data
        let body = try bench.finishBody(phone, data, pin: "13579")
        let first = try await bench.finish(phone, id, body)
        #expect(first.data["result"]?["type"] == "lockout")
        #expect(try await bench.initialize(phone, pushes[0]).status == 403)
        #expect(try await bench.finish(phone, id, body).data == first.data)
    }

    @Test func `another device of the account isn't locked with it`() async throws {
        let bench = Bench { $0.lockouts.attempts = 1 }
        let one = try await bench.personalized(label: "one")
        let two = try await bench.personalized(label: "two")
        var login = try await bench.started(one)
        _ = try await fail(bench, one, &login)
        let next = try await bench.started(two)
        #expect(try await bench.tryPIN("24680", two, next.id, next.data).status == 200)
    }

    @Test func `too many for good lock for good, until an administrator unlocks`() async throws {
        let bench = Bench {
            $0.lockouts.attempts = 2
            $0.lockouts.permanentAfter = 3
        }
        let phone = try await bench.personalized()
        var login = try await bench.started(phone)
        #expect(try await fail(bench, phone, &login)["remaining"] == 1)
        #expect(try await fail(bench, phone, &login)["remaining"] == 0)
        bench.clock.advance(by: .seconds(30))
        #expect(try await bench.manager.lockout(of: phone.activation).remaining == 1)
        #expect(
            try await fail(bench, phone, &login) == [
                "kind": "attempt", "seconds": 0, "remaining": 0, "permanent": true,
            ])
        bench.clock.advance(by: .seconds(100_000))
        #expect(try await bench.manager.lockout(of: phone.activation).isPermanent)
        #expect(try await bench.manager.lockout(of: phone.activation).end == nil)
        let (_, pushes) = try await bench.login()
        let answer = try await bench.initialize(phone, pushes[0])
        #expect(answer.verdict == "403 activation_locked")
        #expect(
            answer.data["lockout"] == [
                "kind": "pending", "seconds": 0, "remaining": 0, "permanent": true,
            ])
        try await bench.manager.unlock(phone.activation)
        #expect(try await bench.initialize(phone, pushes[0]).status == 200)
    }

    @Test func `without a limit nothing is counted down`() async throws {
        let bench = Bench { $0.lockouts.attempts = nil }
        let phone = try await bench.personalized()
        var login = try await bench.started(phone)
        for _ in 0..<5 {
            #expect(
                try await fail(bench, phone, &login) == [
                    "kind": "attempt", "seconds": 0, "remaining": nil, "permanent": false,
                ])
        }
        #expect(try await bench.tryPIN("24680", phone, login.id, login.data).status == 200)
    }

    @Test func `who isn't the device can't lock it`() async throws {
        let bench = Bench { $0.lockouts.attempts = 1 }
        let phone = try await bench.personalized()
        let login = try await bench.started(phone)
        let body = try bench.finishBody(phone, login.data, pin: "13579")
        let stranger = try Phone.key("stranger")
        let answer = try await bench.ask(
            phone, .post, "processes/\(login.id)/finish", body
        ) { $0.key = stranger }
        #expect(answer.status == 401)
        #expect(try await bench.manager.lockout(of: phone.activation).failures == 0)
        await #expect(throws: PushError.self) { try await bench.manager.lockout(of: "act-none") }
    }
}
