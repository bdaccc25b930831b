import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// The bank's own endpoints, by a device that is written for the tests alone.
struct BankResourceTests {
    private let bench = Bench {
        $0.resources = [
            .init("/pay"), .init("/order", encryption: .activation),
            .init("/read", methods: [.get], proof: .signature([.possession])),
        ]
    }

    private func get(_ phone: Phone, _ query: String, signed: String) async throws -> Int {
        let header = phone.header(
            "possession", "/read", signed.bytes, .init(), method: "GET")
        return try await bench.post(
            "/read" + query, Data(), ["X-PowerAuth-Authorization": header], method: .get
        ).status
    }

    @Test func `a GET's parameters are decoded twice, sorted, and verified`() async throws {
        let phone = try await bench.active()
        #expect(try await get(phone, "?b=2&a=%C5%BE+x", signed: "a=%C5%BE+x&b=2") == 200)
        #expect(try await get(phone, "?b=2&a=1", signed: "b=2&a=1") == 401)
        // Decoded once more, these are other values.
        #expect(try await get(phone, "?a=1%2B1", signed: "a=1%2B1") == 401)
        #expect(try await get(phone, "?a=1%2B1", signed: "a=1+1") == 200)
        #expect(try await get(phone, "?a=x%26b%3D1", signed: "a=x&b=1") == 200)
        #expect(try await get(phone, "?a=50%25", signed: "a=50%25") == 401)
        #expect(try await get(phone, "?a=1&drop", signed: "a=1") == 200)
    }

    @Test func `a signature covers the plain bytes, whoever encrypts them`() async throws {
        let phone = try await bench.active()
        func send(signing inner: Bool) async throws -> Int {
            let plain = #"{"a":1}"#.bytes
            let envelope = try Envelope(
                plain, "/pa/generic/activation", to: await bench.activationTarget(phone),
                at: bench.now)
            let body = JSON.object(envelope.members).data
            let header = phone.header("possession_knowledge", "/order", inner ? plain : body)
            let reply = try await bench.post(
                "/order", body, ["X-PowerAuth-Authorization": header])
            guard reply.status == 200 else { return reply.status }
            #expect(try envelope.open(reply.json) == ["result": "done"])
            return 200
        }
        #expect(try await send(signing: true) == 200)
        #expect(try await send(signing: false) == 401)
        #expect(await bench.server.resourceRequests.map(\.body) == [#"{"a":1}"#.bytes])
    }

    @Test func `without its header an envelope isn't opened, and the bank says so`() async throws {
        let reply = try await bench.post("/order", [:])
        #expect(reply.status == 400)
        #expect(reply.code == "BANK_NOT_ENCRYPTED")
        #expect(try await bench.post("/pay", [:]).status == 401)
        #expect(try await bench.post("/nothing", [:]).status == 404)
    }
}
