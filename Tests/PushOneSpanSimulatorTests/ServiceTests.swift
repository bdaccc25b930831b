import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

struct ServiceTests {
    private let login = "/v1/users/alice@example-domain/login"

    @Test func `register gives an activation password that checks itself`() async throws {
        let bench = Bench()
        let reply = await bench.post(
            "/v1/users/register", ["objectType": "RegisterUserInputEx", "userID": "alice"])
        #expect(reply.status == 200)
        let password = try #require(reply.json?["activationPassword"]?.string)
        let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ")
        let indices = password.compactMap { alphabet.firstIndex(of: $0) }
        #expect(indices.count == 8)
        let weighted = zip(indices, [1, 3, 5, 7, 9, 11, 13]).reduce(0) { $0 + $1.0 * $1.1 }
        #expect(indices.last == weighted % 32)
        #expect(reply.json?["serialNumber"]?.string?.isEmpty == false)
        #expect(reply.json?["registrationID"]?.string?.count == 36)
        #expect(reply.json?["riskResponseCode"] == nil)
        var phone = try bench.phone()
        #expect(try await bench.introduce(&phone, password: password).type == 0x04)
        let adaptive = await bench.post(
            "/v1/users/register", ["objectType": "AdaptiveRegisterUserInput", "userID": "bob"])
        #expect(adaptive.json?["riskResponseCode"] == 0)
        #expect(reply.headers[try #require(HTTPField.Name("log-correlation-id"))] != nil)
    }

    @Test func `register refuses a user without a usable name`() async {
        let bench = Bench()
        for body: JSON in [
            [:], [], ["userID": ""], ["userID": 1], ["userID": "a\u{0}b"],
            ["userID": .string(String(repeating: "a", count: 256))],
        ] {
            #expect(await bench.post("/v1/users/register", body).status == 400)
        }
    }

    @Test(arguments: [("PIN", UInt8(1)), ("Fingerprint", 2), (nil, 0)])
    func `a login's passKey chooses the method`(passKey: String?, method: UInt8) async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        var body: JSON.Object = [
            "objectType": "LoginInput",
            "loginMessage": [
                "title": ["text": "Hello"], "subject": "World", "challenge": "alice#example",
            ],
        ]
        if let passKey { body["credentials"] = ["passKey": .string(passKey)] }
        let reply = await bench.post(login, .object(body))
        #expect(reply.status == 200)
        #expect(reply.json?["sessionStatus"] == "pending")
        #expect(reply.json?["requestMessage"] == nil)
        let request = try #require(reply.json?["requestID"]?.string)
        let alert = try JSON(parsing: try #require(await bench.server.takePushes().first).payload)[
            "aps"]?["alert"]
        #expect(alert?["title"] == "Hello")
        #expect(alert?["body"] == "World")
        let fetched = try await bench.fetch(request, by: &phone)
        #expect(fetched.fields[0x22] == [method])
        #expect(fetched.text(0x25) == "alice#example")
    }

    @Test func `a request message comes in place of a push where it is asked for`() async throws {
        let bench = Bench()
        let phone = try await bench.activated()
        let reply = await bench.post(login, ["orchestrationDelivery": ["requestMessage"]])
        let command = bytes(hex: try #require(reply.json?["requestMessage"]?.string))
        #expect(try phone.read(command).type == 0x20)
        #expect(await bench.server.takePushes().isEmpty)
        let both: JSON = ["orchestrationDelivery": ["requestMessage", "pushNotification"]]
        #expect(await bench.post(login, both).json?["requestMessage"] != nil)
        #expect(await bench.server.takePushes().count == 1)
    }

    @Test(
        arguments: [
            ["credentials": ["passKey": "Iris"]], ["timeout": -1], ["timeout": 301],
            ["timeout": "0"], ["orchestrationDelivery": []], ["orchestrationDelivery": ["pigeon"]],
            ["loginMessage": ["challenge": ""]], ["sessionID": ""],
        ] as [JSON])
    func `an odd login is refused`(body: JSON) async throws {
        let bench = Bench()
        _ = try await bench.activated()
        #expect(await bench.post(login, body).status == 400)
        #expect(await bench.server.sessions.isEmpty)
    }

    @Test func `a login says why it can't be`() async throws {
        let bench = Bench()
        #expect(await bench.post(login, [:]).status == 404)
        _ = try await bench.password(for: "alice")
        let none = await bench.post(login, [:])
        #expect(none.status == 409)
        #expect(none.json?["message"]?.string?.contains("No applicable digipass found") == true)
        try await bench.server.disable("alice")
        #expect(await bench.post(login, [:]).json?["message"] == "User is disabled")
        try await bench.server.disable("alice", false)
        try await bench.server.lock("alice")
        #expect(await bench.post(login, [:]).json?["message"] == "User is locked")
    }

    @Test func `a transaction has at least one field`() async throws {
        let bench = Bench()
        _ = try await bench.activated()
        let path = "/v1/users/alice@example-domain/transactions/validate"
        func body(_ fields: [JSON]) -> JSON {
            ["data": ["transactionMessage": ["dataFields": .array(fields)]]]
        }
        let field: JSON = ["key": ["text": "Amount"], "value": ["text": "1"]]
        let long: JSON = [
            "key": ["text": .string(String(repeating: "k", count: 65))], "value": ["text": "1"],
        ]
        for fields in [[], [[:]], [long], Array(repeating: field, count: 17)] {
            #expect(await bench.post(path, body(fields)).status == 400)
        }
        #expect(await bench.post(path, [:]).status == 400)
        let reply = await bench.post(path, body([field]))
        let request = try #require(reply.json?["requestID"]?.string)
        #expect(await bench.server.session(request)?.isTransaction == true)
        #expect(await bench.server.session(request)?.method == .password)
    }

    @Test func `a session's status is asked for by its request`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        func status(_ request: String) async -> String? {
            await bench.request(.get, "/v1/sessions/\(request)").json?["sessionStatus"]?.string
        }
        #expect(await status("none") == "unknown")
        let refused = try await bench.login()
        #expect(await status(refused) == "pending")
        let fetched = try await bench.fetch(refused, by: &phone)
        _ = try await bench.answer(.refusing(fetched), by: &phone)
        #expect(await status(refused) == "refused")
        let late = try await bench.login()
        bench.clock.advance(by: .seconds(61))
        #expect(await status(late) == "timeout")
        #expect(await status(refused) == "refused")
    }

    @Test func `unregistering removes the devices and voids the registration`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let password = try await bench.password(for: "alice")
        let path = "/v1/users/alice@EXAMPLE-DOMAIN/unregister"
        #expect(await bench.post(path, [:]).status == 200)
        let command = try phone.command(
            0x21, tlv([0x20: [0x41]]), flow: phone.random.array(16))
        let answered = await bench.send(command)
        #expect(answered.status == 409)
        #expect(try phone.read(answered.command).code == -1300)
        var new = try bench.phone()
        #expect(try await bench.introduce(&new, password: password).code == -1200)
        #expect(
            await bench.post("/v1/users/bob@example-domain/unregister", [:]).status == 404)
    }

    @Test func `a login with a timeout waits for its end`() async throws {
        for (ending, status, message) in [
            ("accepted", 200, nil), ("refused", 409, "User refused"),
            ("failed", 409, "Authentication failed"), ("timeout", 409, "Timed out"),
        ] {
            let bench = Bench { $0.wrongResponsesPerSession = 1 }
            var phone = try await bench.activated()
            async let reply = bench.post(login, ["timeout": 30])
            await bench.clock.sleeper()
            let request = try #require(await bench.server.sessions.first?.id)
            if ending == "timeout" {
                bench.clock.advance(by: .seconds(30))
            } else {
                let fetched = try await bench.fetch(request, by: &phone)
                var draft =
                    ending == "refused" ? try Draft.refusing(fetched) : try Draft(to: fetched)
                draft.spoilsResponse = ending == "failed"
                _ = try await bench.answer(draft, by: &phone)
            }
            let answered = await reply
            #expect(answered.status == status)
            #expect(answered.json?["message"]?.string == message)
            if status == 200 { #expect(answered.json?["sessionStatus"] == "accepted") }
        }
    }

    @Test func `paths and methods are the documented ones`() async throws {
        let bench = Bench()
        _ = try await bench.password(for: "alice")
        for path in [
            "/", "/v1", "/v1/users", "/v1/users/alice@other/login", "/v1/users/alice/login",
            "/v2/users/register", "/v1/orchestration-commands-v3", "/v1/sessions",
            "/v1/users/%ZZ@example-domain/login", "/v1/users/alice@example-domain/transactions",
        ] {
            #expect(await bench.post(path, [:]).status == 404, "\(path)")
        }
        for path in ["/commands", "/v1/users/register", "/v1/orchestration-commands-v2", login] {
            #expect(await bench.request(.get, path).status == 405, "\(path)")
        }
        #expect(await bench.post("/v1/sessions/none", [:]).status == 405)
        _ = try await bench.password(for: "a b@c")
        let escaped = await bench.post("/v1/users/a%20b%40c@example-domain/login?x=1", [:])
        #expect(escaped.status == 409)
    }

    @Test func `forced replies come first, and every exchange is recorded`() async throws {
        let bench = Bench()
        await bench.server.force(status: 503, times: 2)
        #expect(await bench.post("/commands", [:]).status == 503)
        #expect(await bench.post("/v1/users/register", ["userID": "alice"]).status == 503)
        #expect(await bench.post("/v1/users/register", ["userID": "alice"]).status == 200)
        let exchanges = await bench.server.exchanges
        #expect(exchanges.map(\.status) == [503, 503, 200])
        #expect(exchanges[2].request.path == "/v1/users/register")
        #expect(try JSON(parsing: exchanges[2].body) == ["userID": "alice"])
        #expect(try JSON(parsing: exchanges[2].responseBody)["activationPassword"] != nil)
    }

    @Test func `it is where it was moved to`() async throws {
        let bench = Bench { $0.commandPath = "/api/oos" }
        try await bench.server.move(to: "http://localhost:8080")
        #expect(await bench.server.commandURL == "http://localhost:8080/api/oos")
        await #expect(throws: PushError.self) {
            try await bench.server.move(to: "http://localhost:8080/path")
        }
        #expect(await bench.post("/api/oos", ["command": ""]).status == 400)
        #expect(await bench.post("/commands", ["command": ""]).status == 404)
    }

    @Test func `equal seeds make equal servers`() async throws {
        func passwords(_ seed: UInt64) async throws -> [String] {
            let bench = Bench(seed: seed)
            return try await [bench.password(for: "a"), bench.password(for: "b")]
        }
        #expect(Bench(seed: 7).server.serverKey == Bench(seed: 7).server.serverKey)
        #expect(Bench(seed: 7).server.serverKey != Bench(seed: 8).server.serverKey)
        #expect(try await passwords(7) == passwords(7))
        #expect(try await passwords(7) != passwords(8))
    }
}
