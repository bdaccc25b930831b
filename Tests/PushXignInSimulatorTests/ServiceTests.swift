import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignInSimulator
import Testing

/// The manager's face to relying parties.
struct ServiceTests {
    private let bench = Bench {
        $0.service = .init(id: "shop", name: "Shop")
        $0.bearer = Secret("key-1".utf8)
        $0.attributes = [.init("email", .required, value: "jane@example.com")]
    }

    private func post(
        _ path: String, _ body: JSON, field: String = "Authorization", bearer: String = "key-1"
    ) async throws -> (status: Int, body: JSON) {
        let request = HTTPRequest(
            method: .post, scheme: "https", authority: "manager.xignin.example",
            path: "/api/push/\(path)",
            headerFields: [try #require(HTTPField.Name(field)): "Bearer \(bearer)"])
        let reply = await bench.manager.answer(to: request, body.data)
        #expect(reply.headers[.contentType] == "application/json")
        return (reply.status, try #require(reply.json))
    }

    private func trigger(_ change: (inout JSON.Object) -> Void = { _ in }) async throws -> (
        status: Int, body: JSON
    ) {
        var body: JSON.Object = ["type": "EMAIL", "identifier": "jane", "clientId": "shop"]
        change(&body)
        return try await post("authenticate", .object(body))
    }

    @Test func `a service starts a login, waits, and learns who signed in`() async throws {
        let phone = try await bench.personalized()
        let session = try await trigger()
        #expect(session.status == 200)
        #expect(session.body.object?.members.map(\.name) == ["loginSessionId", "token"])
        let waiting = try await post("authenticate/status", session.body)
        #expect(waiting.status == 202)
        let push = try #require(try await bench.received().first)
        let data = try await bench.start(phone, push).data
        #expect(try await bench.tryPIN("24680", phone, push.process, data).status == 200)
        let done = try await post("authenticate/status", session.body)
        #expect(done.status == 200)
        #expect(done.body["claims"] == ["sub": "jane", "email": "jane@example.com"])
    }

    @Test func `each other outcome has a status`() async throws {
        let phone = try await bench.personalized()
        let rejected = try await trigger()
        let first = try #require(try await bench.received().first)
        _ = try await bench.reject(phone, first.process)
        #expect(try await post("authenticate/status", rejected.body).status == 403)

        let aborted = try await trigger()
        let second = try #require(try await bench.received().last)
        try await bench.manager.cancel(second.process)
        #expect(try await post("authenticate/status", aborted.body).status == 410)
        #expect(try await post("authenticate/status", aborted.body).body["status"] == "cancelled")

        let expired = try await trigger()
        bench.clock.advance(by: .seconds(180))
        #expect(try await post("authenticate/status", expired.body).status == 410)
        #expect(try await post("authenticate/status", expired.body).body["status"] == "expired")
    }

    @Test func `a session is its token's holder's alone`() async throws {
        _ = try await bench.personalized()
        let session = try await trigger().body
        let id = session["loginSessionId"] ?? .null
        let token = session["token"] ?? .null
        for body: JSON in [
            ["loginSessionId": id, "token": "wrong"],
            ["loginSessionId": "ses-none", "token": token],
        ] {
            #expect(try await post("authenticate/status", body).status == 404)
        }
        #expect(try await post("authenticate/status", ["token": token]).status == 400)
    }

    @Test func `the bearer is taken from either field, and must be right`() async throws {
        _ = try await bench.personalized()
        let body: JSON = ["type": "SUB", "identifier": "jane", "clientId": "shop"]
        #expect(try await post("authenticate", body, field: "Authentication").status == 200)
        #expect(try await post("authenticate", body, bearer: "key-2").status == 401)
        #expect(try await post("authenticate/status", body, bearer: "").status == 401)
        #expect(try await post("authenticate", body, field: "X-Authorization").status == 401)
        #expect(try await bench.received().count == 1)
    }

    @Test func `a trigger that names nobody, no service or no known type starts nothing`()
        async throws
    {
        _ = try await bench.personalized()
        #expect(try await trigger { $0["identifier"] = "joe" }.status == 404)
        #expect(try await trigger { $0["clientId"] = "other" }.status == 403)
        #expect(try await trigger { $0["type"] = "PHONE" }.status == 400)
        #expect(try await trigger { $0["identifier"] = nil }.status == 400)
        #expect(try await bench.received().isEmpty)
    }

    @Test func `the modules are listed for anyone, the core first`() async throws {
        let request = HTTPRequest(
            method: .get, scheme: "https", authority: "manager.xignin.example", path: "/api/modules"
        )
        let (response, body) = await bench.manager.respond(to: request, body: Data())
        #expect(response.status.code == 200)
        #expect(
            try JSON(parsing: body) == [
                ["name": "CORE", "version": "13.0.0"], ["name": "PUSH", "version": "1.0.0"],
            ])
    }

    @Test func `any other path is not found`() async throws {
        for (method, path) in [
            (HTTPRequest.Method.get, "/"), (.post, "/api/modules"),
            (.get, "/api/push/authenticate"),
        ] {
            let request = HTTPRequest(
                method: method, scheme: "https", authority: "manager.xignin.example", path: path)
            let (response, _) = await bench.manager.respond(to: request, body: Data())
            #expect(response.status.code == 404)
        }
    }
}
