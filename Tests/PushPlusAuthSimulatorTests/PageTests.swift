import Foundation
import HTTPTypes
import PushCore
import PushPlusAuthSimulator
import PushTesting
import Testing

/// What the login page's browser sees.
struct PageTests {
    private static let xhr: HTTPFields = {
        var fields: HTTPFields = [:]
        if let name = HTTPField.Name("X-Requested-With") { fields[name] = "XMLHttpRequest" }
        return fields
    }()

    private func poll(
        _ bench: Bench, _ login: SimulatedLogin, _ headers: HTTPFields = xhr
    ) async throws -> Bench.Reply {
        try await bench.send(.post, bench.tenant.path(of: login.id), [:], headers: headers)
    }

    @Test func `a page waits, and is sent on once the user said yes`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let (login, push) = try await bench.login()
        let pending = try await poll(bench, login)
        #expect(pending.status == 400)
        #expect(pending.error == "authorization_pending")
        #expect(try await bench.answer(push, by: phone).status == 200)
        let location = "https://tenant.plusauth.example/signin/complete?login=\(login.id)"
        let done = try await poll(bench, login)
        #expect(done.status == 400)
        #expect(done.error == "xhr_request")
        #expect(done.json?["error_description"]?.string != nil)
        #expect(done.json?["location"]?.string == location)
        let plain = try await poll(bench, login, [:])
        #expect(plain.status == 302)
        #expect(plain.headers[.location] == location)
    }

    @Test func `a page is told of a refusal, a wrong number and the end`() async throws {
        let bench = Bench { $0.challengeLifetime = .seconds(60) }
        let phone = try await bench.enrolled()
        let denial: JSON.Object = ["response": "rejected", "reject_reason": "fraud_suspicion"]
        let (denied, first) = try await bench.login()
        #expect(try await bench.answer(first, by: phone, denial).status == 200)
        let (failed, second) = try await bench.login(asking: .number)
        #expect(
            try await bench.answer(second, by: phone, ["selected_value": "50"]).status == 200)
        let (expired, _) = try await bench.login()
        bench.clock.advance(by: .seconds(60))
        for (login, error) in [
            (denied, "invalid_code"), (failed, "invalid_code"), (expired, "code_expired"),
        ] {
            let reply = try await poll(bench, login)
            #expect(reply.status == 400)
            #expect(reply.error == error)
            #expect(reply.json?["location"] == nil)
        }
    }

    @Test func `a page's context has the number, the devices and no QR code`() async throws {
        let bench = Bench { $0.challenges = ["push", "otp"] }
        try await bench.enrolled()
        bench.random.draw(2, 0, 0, 0)
        let (login, _) = try await bench.login(asking: .number)
        let reply = try await bench.send(.get, bench.tenant.path(of: login.id))
        #expect(reply.status == 200)
        #expect(
            reply.json == [
                "challenges": ["push", "otp"],
                "devices": [["vendor": "Google", "model": "Pixel 8"]], "resend_after": 30000,
                "push_code": "02",
            ])
        let prompt = try await bench.tenant.page(of: bench.login().login.id)
        #expect(prompt["push_code"] == nil)
    }

    @Test func `without a device a page shows a QR code, and asks once it has brought one`()
        async throws
    {
        let bench = Bench()
        let login = try await bench.tenant.openPage(for: "ada@example.com", asking: .number)
        let page = try await bench.tenant.page(of: login.id)
        #expect(page["devices"] == [] && page["push_code"] == nil)
        let ticket = try await bench.ticket(on: login)
        #expect(try await poll(bench, login).error == "authorization_pending")
        await #expect { try await bench.tenant.proceed(with: login.id) } throws: {
            ($0 as? PushError)?.code == .notFound
        }
        await #expect(throws: PushError.self) { try await bench.tenant.resend(login.id) }
        let phone = try Phone()
        #expect(try await bench.enroll(phone, ticket).status == 200)
        #expect(await bench.tenant.takePushes().isEmpty)
        #expect(try await poll(bench, login).error == "authorization_pending")
        let pushes = await bench.tenant.takePushes()
        #expect(pushes.count == 1)
        #expect(try await poll(bench, login).error == "authorization_pending")
        #expect(await bench.tenant.takePushes().isEmpty)
        let context = try await bench.tenant.page(of: login.id)
        #expect(context["dataUrl"] == nil)
        #expect(context["push_code"]?.string == login.shown)
        let push = try Received(try #require(pushes.first))
        let claims: JSON.Object = ["selected_value": .string(try #require(login.shown))]
        #expect(try await bench.answer(push, by: phone, claims).status == 200)
        #expect(try await bench.status(login) == .approved)
    }

    @Test func `a page with a QR code ends with it, and asks nobody after that`() async throws {
        let bench = Bench()
        let login = try await bench.tenant.openPage(for: "ada@example.com", asking: .confirm)
        bench.clock.advance(by: .seconds(600))
        try await bench.enrolled()
        #expect(try await poll(bench, login).error == "code_expired")
        await #expect(throws: PushError.self) { try await bench.tenant.proceed(with: login.id) }
        #expect(await bench.tenant.takePushes().isEmpty)
    }

    @Test func `the page of a user with a device asks at once`() async throws {
        let bench = Bench()
        try await bench.enrolled()
        let login = try await bench.tenant.openPage(for: "ada@example.com", asking: .confirm)
        #expect(await bench.tenant.takePushes().count == 1)
        #expect(try await bench.tenant.page(of: login.id)["dataUrl"] == nil)
    }

    @Test(arguments: [false, true])
    func `a push can be sent again, after a while`(isSame: Bool) async throws {
        let bench = Bench { $0.resendsSameToken = isSame }
        let phone = try await bench.enrolled()
        let (login, first) = try await bench.login(asking: .number)
        let path = try await bench.tenant.path(of: login.id).replacing("?", with: "/resend?")
        bench.clock.advance(by: .milliseconds(28_500))
        let early = try await bench.send(.get, path)
        #expect(early.status == 429)
        #expect(early.headers[.retryAfter] == "2")
        bench.clock.advance(by: .milliseconds(1500))
        #expect(try await bench.send(.get, path).status == 200)
        #expect(try await bench.send(.get, path).status == 429)
        let second = try Received(try #require(await bench.tenant.takePushes().first))
        #expect((second.jwt == first.jwt) == isSame)
        #expect((second.token == first.token) == isSame)
        #expect(second.claims["values"] == first.claims["values"])
        let claims: JSON.Object = ["selected_value": .string(try #require(login.shown))]
        #expect(try await bench.answer(first, by: phone, claims).status == 200)
        #expect(try await bench.answer(second, by: phone, claims).status == 401)
        bench.clock.advance(by: .seconds(30))
        #expect(try await bench.send(.get, path).status == 400)
        #expect(await bench.tenant.takePushes().isEmpty)
    }

    @Test func `passwordless and second factor differ in their page alone`() async throws {
        var claims: [JSON.Object] = []
        for (flow, path) in [
            (PlusAuthSimulator.Configuration.Flow.multiFactor, "/signin/challenge/push"),
            (.passwordless, "/signin/passwordless/push"),
        ] {
            let bench = Bench { $0.flow = flow }
            try await bench.enrolled()
            let (login, push) = try await bench.login()
            #expect(try await bench.tenant.path(of: login.id) == "\(path)?login=\(login.id)")
            #expect(try await poll(bench, login).error == "authorization_pending")
            claims.append(push.claims)
        }
        #expect(claims[0] == claims[1])
    }

    @Test func `what isn't there is refused`() async throws {
        let bench = Bench()
        try await bench.enrolled()
        let (login, _) = try await bench.login()
        let path = try await bench.tenant.path(of: login.id)
        for (method, path, status) in [
            (HTTPRequest.Method.post, "/signin/challenge/push", 404),
            (.post, "/signin/challenge/push?login=nobody's", 404),
            (.post, "/signin/passwordless/push?login=\(login.id)", 404),
            (.get, "/?login=\(login.id)", 404), (.put, path, 405),
            (.post, path.replacing("?", with: "/resend?"), 405),
        ] {
            #expect(try await bench.send(method, path, [:]).status == status, "\(path)")
        }
        #expect(try await bench.send(.post, path, []).status == 400)
        #expect(try await bench.send(.post, path).status == 400)
        for body in [
            { _ = try await bench.tenant.path(of: "nobody's") },
            { _ = try await bench.tenant.page(of: "nobody's") },
            { _ = try await bench.tenant.status(of: "nobody's") },
            { _ = try await bench.tenant.answers(to: "nobody's") },
            { _ = try await bench.tenant.resend("nobody's") },
            { _ = try await bench.tenant.proceed(with: "nobody's") },
            { _ = try await bench.tenant.submitCode("1", for: "nobody's") },
        ] as [() async throws -> Void] {
            await #expect(throws: PushError.self) { try await body() }
        }
    }
}
