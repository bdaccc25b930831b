import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushTesting
import PushXignInSimulator
import Testing

/// Initialization, start and reject, by one device and by two.
struct ProcessTests {
    private let bench = Bench {
        $0.service = .init(id: "shop", name: "Shop")
        $0.organization = .init(
            name: "Shop GmbH", websiteURL: "https://shop.example", address: "Street 1",
            description: "A shop")
    }

    /// A login of a user with two phones, and the push that each got.
    private func pair() async throws -> (
        id: String, one: Phone, two: Phone, oneGot: Received, twoGot: Received
    ) {
        let one = try await bench.personalized(label: "one")
        let two = try await bench.personalized(label: "two")
        let (id, pushes) = try await bench.login()
        try #require(pushes.map { $0.claims["aud"] } == [one, two].map { .string($0.activation) })
        return (id, one, two, pushes[0], pushes[1])
    }

    /// Starts with a nonce that was fetched before.
    private func start(_ phone: Phone, _ id: String, _ nonce: JSON?) async throws -> Answer {
        try await bench.ask(
            phone, .post, "processes/\(id)/start", ["nonce": nonce ?? .null])
    }

    /// The cancel messages sent since the last look: to whom, and why.
    private func cancels(_ id: String) async throws -> [String] {
        try await bench.received().map { push in
            #expect(push.claims["msg"] == "cancel")
            #expect(push.process == id)
            return (push.claims["aud"]?.string ?? "") + " " + (push.claims["reason"]?.string ?? "")
        }
    }

    @Test func `initialization says what it's about, the same each time`() async throws {
        let phone = try await bench.personalized()
        let (id, pushes) = try await bench.login()
        let first = try await bench.initialize(phone, pushes[0])
        #expect(first.data["pid"]?.string == id)
        #expect(first.data["expires_at"] == pushes[0].claims["exp"])
        #expect(first.data["service"] == ["id": "shop", "name": "Shop"])
        #expect(
            first.data["organization"] == [
                "name": "Shop GmbH", "website_url": "https://shop.example", "address": "Street 1",
                "description": "A shop",
            ])
        #expect(try await bench.initialize(phone, pushes[0]).data == first.data)
        #expect(try await bench.start(phone, pushes[0]).status == 200)
        #expect(try await bench.initialize(phone, pushes[0]).data == first.data)
    }

    @Test func `a process nobody knows, or of another account, is unknown`() async throws {
        let (id, one, _, push, _) = try await pair()
        let stranger = try await bench.personalized("joe", label: "joe")
        let calls: [(String, JSON)] = [
            ("initialization", ["message_jti": push.claims["jti"] ?? .null]),
            ("start", ["nonce": "n"]), ("finish", ["assertion": "a", "factors": []]),
            ("reject", ["reason": "not_me"]),
        ]
        for (call, body) in calls {
            let foreign = try await bench.ask(stranger, .post, "processes/\(id)/\(call)", body)
            #expect(foreign.verdict == "404 process_unknown")
            let unknown = try await bench.ask(one, .post, "processes/prc-none/\(call)", body)
            #expect(unknown.verdict == "404 process_unknown")
        }
    }

    @Test func `a device that was sent no message can't open the process`() async throws {
        let phone = try await bench.personalized()
        let (_, pushes) = try await bench.login()
        let late = try await bench.personalized(label: "late")
        #expect(try await bench.initialize(late, pushes[0]).verdict == "404 process_unknown")
        #expect(try await bench.initialize(phone, pushes[0]).status == 200)
    }

    @Test func `the other device's message or nonce is malformed`() async throws {
        let (id, one, two, oneGot, twoGot) = try await pair()
        #expect(try await bench.initialize(one, twoGot).verdict == "400 malformed_request")
        let nonce = try await bench.initialize(two, twoGot).data["nonce"]
        #expect(try await start(one, id, nonce).verdict == "400 malformed_request")
        _ = try await bench.initialize(one, oneGot)
        #expect(try await start(one, id, nonce).verdict == "400 malformed_request")
        #expect(try await start(two, id, nonce).status == 200)
    }

    @Test func `a body that isn't what the call takes is malformed`() async throws {
        let phone = try await bench.personalized()
        let (id, data) = try await bench.started(phone)
        let wrong: [(String, String)] = [
            ("initialization", "{}"), ("initialization", #"{"message_jti":1}"#), ("start", "{}"),
            ("start", ""), ("start", #"{"nonce":"n","nonce":"n"}"#), ("reject", "{}"),
            ("reject", #"{"reason":"bored"}"#), ("finish", "{}"), ("finish", "[]"),
            ("finish", #"{"assertion":"a"}"#), ("finish", #"{"assertion":1,"factors":[]}"#),
            ("finish", #"{"assertion":"a","factors":{}}"#),
            ("start", #"{"nonce":[[[[[[[[1]]]]]]]]}"#), ("start", #"{"nonce":"n","x":0.5}"#),
        ]
        for (call, body) in wrong {
            var draft = bench.draft(phone, .post, "processes/\(id)/\(call)", Data(body.utf8))
            draft.claims["jti"] = .string(bench.nextJTI())
            let answer = try await bench.checked(draft, by: phone.managerKey)
            #expect(answer.verdict == "400 malformed_request", "\(call) \(body)")
        }
        #expect(try await bench.tryPIN("24680", phone, id, data).status == 200)
    }

    @Test func `the first start owns the process, and may be repeated`() async throws {
        let (id, one, two, oneGot, twoGot) = try await pair()
        let nonces = [
            try await bench.initialize(one, oneGot).data["nonce"],
            try await bench.initialize(two, twoGot).data["nonce"],
        ]
        let first = try await start(one, id, nonces[0])
        #expect(first.status == 200)
        #expect(try await cancels(id) == ["\(two.activation) processed_elsewhere"])
        #expect(try await start(two, id, nonces[1]).verdict == "409 process_already_started")
        #expect(
            try await bench.initialize(two, twoGot).verdict == "409 process_already_started")
        #expect(try await start(one, id, nonces[0]).data == first.data)
        #expect(try await cancels(id).isEmpty)
        #expect(try await bench.manager.owner(of: id) == one.activation)
    }

    @Test func `two devices that start at once get one owner`() async throws {
        let (id, one, two, oneGot, twoGot) = try await pair()
        let nonces = [
            try await bench.initialize(one, oneGot).data["nonce"] ?? .null,
            try await bench.initialize(two, twoGot).data["nonce"] ?? .null,
        ]
        let manager = bench.manager
        let requests = try zip([one, two], nonces).map { phone, nonce in
            let body: JSON = ["nonce": nonce]
            return (
                try bench.draft(phone, .post, "processes/\(id)/start", body.data).request(),
                body.data
            )
        }
        async let first = manager.respond(to: requests[0].0, body: requests[0].1)
        async let second = manager.respond(to: requests[1].0, body: requests[1].1)
        let statuses = await [first.response.status.code, second.response.status.code]
        #expect(statuses.sorted() == [200, 409])
    }

    @Test func `what isn't started can't be finished, nor what another started`() async throws {
        let (id, one, two, oneGot, _) = try await pair()
        let body: JSON = ["assertion": "a", "factors": []]
        #expect(try await bench.finish(one, id, body).verdict == "409 process_not_started")
        _ = try await bench.start(one, oneGot)
        #expect(try await bench.finish(two, id, body).verdict == "409 process_already_started")
    }

    @Test(arguments: ["user_declined", "not_me"])
    func `a rejection needs no start, tells the others, and may be repeated`(
        reason: JSON
    ) async throws {
        let (id, one, two, _, twoGot) = try await pair()
        let answer = try await bench.reject(one, id, reason)
        #expect(answer.data == ["result": ["type": "rejected"]])
        #expect(try await cancels(id) == ["\(two.activation) aborted"])
        #expect(try await bench.status(id) == .denied)
        bench.clock.advance(by: .seconds(1000))
        #expect(try await bench.reject(one, id, reason).data == answer.data)
        #expect(try await cancels(id).isEmpty)
        #expect(try await bench.reject(two, id).verdict == "409 process_finished")
        #expect(try await bench.initialize(two, twoGot).verdict == "409 process_finished")
    }

    @Test func `who didn't start may still say no, and the owner is told`() async throws {
        let (id, one, two, oneGot, _) = try await pair()
        let start = try await bench.start(one, oneGot)
        _ = try await cancels(id)
        #expect(try await bench.reject(two, id, "not_me").status == 200)
        #expect(try await cancels(id) == ["\(one.activation) aborted"])
        let answer = try await bench.tryPIN("24680", one, id, start.data)
        #expect(answer.verdict == "409 process_finished")
        #expect(try await bench.status(id) == .denied)
    }

    @Test func `after the owner's approval nobody else gets in`() async throws {
        let (id, one, two, oneGot, twoGot) = try await pair()
        let start = try await bench.start(one, oneGot)
        _ = try await cancels(id)
        #expect(try await bench.tryPIN("24680", one, id, start.data).status == 200)
        #expect(try await cancels(id).isEmpty)
        #expect(try await bench.initialize(two, twoGot).verdict == "409 process_finished")
        #expect(try await bench.reject(two, id).verdict == "409 process_finished")
        #expect(try await bench.status(id) == .approved)
    }

    @Test func `a service's abort tells all, and ends it for all`() async throws {
        let (id, one, two, oneGot, _) = try await pair()
        let start = try await bench.start(one, oneGot)
        _ = try await cancels(id)
        try await bench.manager.cancel(id)
        let told = try await cancels(id)
        #expect(told == [one, two].map { "\($0.activation) aborted" })
        let answer = try await bench.tryPIN("24680", one, id, start.data)
        #expect(answer.verdict == "410 process_cancelled")
        #expect(try await bench.reject(two, id).verdict == "410 process_cancelled")
        #expect(try await bench.status(id) == .failed)
        await #expect(throws: PushError.self) { try await bench.manager.cancel(id) }
    }

    @Test func `the deadline ends it silently, at its second`() async throws {
        let (id, one, two, oneGot, twoGot) = try await pair()
        let start = try await bench.start(one, oneGot)
        _ = try await cancels(id)
        bench.clock.advance(by: .seconds(179))
        #expect(try await bench.status(id) == .waiting)
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.status(id) == .expired)
        #expect(try await bench.initialize(two, twoGot).verdict == "410 process_expired")
        #expect(
            try await bench.tryPIN("24680", one, id, start.data).verdict == "410 process_expired")
        #expect(try await bench.reject(two, id).verdict == "410 process_expired")
        #expect(try await cancels(id).isEmpty)
    }

    @Test func `start says what to approve, as it was when the login began`() async throws {
        await bench.manager.configure {
            $0.transaction = "Pay 1 EUR"
            $0.attributes = [
                .init("email", .required, value: "{{user}}@example.com"),
                .init("birthdate", .optional, value: nil),
            ]
        }
        let phone = try await bench.personalized()
        let (_, pushes) = try await bench.login()
        await bench.manager.configure {
            $0.transaction = nil
            $0.attributes = []
            $0.service.id = "other"
        }
        let data = try await bench.start(phone, pushes[0]).data
        #expect(
            data["info"] == [
                "email": ["requirement": "required", "value": "jane@example.com"],
                "birthdate": ["requirement": "optional", "value": nil],
            ])
        #expect(
            data["transaction"] == [
                "text": "Pay 1 EUR", "sha256": .string(base64url(sha256(Data("Pay 1 EUR".utf8)))),
            ])
        #expect(data["service"]?["id"] == "shop")
    }

    @Test func `a device is told the alternatives it can supply, or all if it can supply none`()
        async throws
    {
        await bench.manager.configure {
            $0.roles[.confirm] = [
                .init(
                    id: "user", name: "User",
                    requestedAuthenticators: [[.biometric, .device], [.pin, .device]]),
                .init(id: "admin", name: "Admin", requestedAuthenticators: [[.pin, .biometric]]),
            ]
        }
        let withPIN = try await bench.personalized(label: "pin", biometry: false)
        let (_, pushes) = try await bench.login()
        let roles = try await bench.start(withPIN, pushes[0]).data["roles"]
        #expect(
            roles == [
                ["id": "user", "name": "User", "requested_authenticators": [["pin", "device"]]],
                [
                    "id": "admin", "name": "Admin",
                    "requested_authenticators": [["pin", "biometric"]],
                ],
            ])
    }
}
