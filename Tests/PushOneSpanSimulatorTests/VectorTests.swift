import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

/// The server's half of the published vectors, byte for byte.
struct VectorTests {
    private let vectors: Vectors
    private let clock = ManualClock(Date(timeIntervalSince1970: 1_767_225_000))

    init() throws {
        vectors = try Vectors()
    }

    private func server(_ random: ScriptedRandom) -> OneSpanSimulator {
        OneSpanSimulator(OneSpanSimulator.Configuration(clock: clock, random: random))
    }

    private func reply(_ server: OneSpanSimulator, to command: [UInt8]) async throws -> [UInt8] {
        let request = HTTPRequest(
            method: .post, scheme: "https", authority: "app.example.com", path: "/commands")
        let body: JSON = ["command": .string(hex(command, upperCase: true))]
        let reply = await server.respond(to: request, body: body.data).body
        return bytes(hex: try #require(try JSON(parsing: reply)["command"]?.string))
    }

    /// The draws that make an activation password: one byte for each but its last character.
    private func draws(for password: String) -> [UInt8] {
        let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ")
        return password.dropLast().compactMap { alphabet.firstIndex(of: $0).map { UInt8($0) } }
    }

    private func hash(_ text: String) -> [UInt8] { sha(Array(text.utf8)) }

    @Test func `each reply of a device's life is the published one`() async throws {
        let random = ScriptedRandom(
            try vectors("S.priv"), draws(for: "K7M2Q9XD"), [UInt8](repeating: 0, count: 16),
            try vectors("eS.priv"), hash("server nonce"),
            Array(0xA0...0xAF), hash("challenge K0/K2"), hash("challenge K1"),
            bytes(hex: "6f1c2a545d0f4b7e9a3c0d6c3f1b2a10"), Array(0x40...0x4F),
            hash("session challenge"))
        let server = server(random)
        #expect(try Array(server.serverKey) == vectors("S.pub"))
        guard case .credentials("alice", let password) = try await server.invitation(for: "alice")
        else {
            Issue.record("no credentials")
            return
        }
        #expect(password.withBytes { Array($0) } == Array("K7M2Q9XD".utf8))
        for (command, expected) in [
            ("C1", "S1"), ("C2", "S2"), ("05", "06"), ("07", "08"), ("10", "11"),
        ] {
            #expect(
                try await reply(server, to: vectors(command)) == vectors(expected), "\(command)")
        }

        clock.advance(by: .seconds(600))
        let validation: JSON = [
            "data": [
                "transactionMessage": [
                    "dataFields": [
                        ["key": ["text": "Amount"], "value": ["text": "100.00 EUR"]],
                        ["key": ["text": "To"], "value": ["text": "DE89370400440532013000"]],
                    ]
                ]
            ],
            "orchestrationDelivery": ["requestMessage"],
        ]
        let request = HTTPRequest(
            method: .post, scheme: "https", authority: "app.example.com",
            path: "/v1/users/alice@example-domain/transactions/validate")
        let started = try JSON(
            parsing: await server.respond(to: request, body: validation.data).body)
        let trigger = bytes(hex: try #require(started["requestMessage"]?.string))
        #expect(try trigger == vectors("30"))
        #expect(trigger.count == 132)
        for (command, expected) in [("31", "32"), ("33", "34")] {
            #expect(
                try await reply(server, to: vectors(command)) == vectors(expected), "\(command)")
        }
        let id = "6f1c2a54-5d0f-4b7e-9a3c-0d6c3f1b2a10"
        let session = try #require(await server.session(id))
        #expect(session.status == .accepted)
        #expect(session.sessionID == "session-0001")
        #expect(try session.decision.map { Array($0.displayDigest) } == vectors("digest"))
        #expect(try await reply(server, to: vectors("40")) == vectors("41"))
        #expect(random.isUsedUp)
    }

    @Test func `an unknown registration is told in the published bytes`() async throws {
        let server = server(ScriptedRandom(try vectors("S.priv")))
        #expect(try await reply(server, to: vectors("C1")) == vectors("E1"))
    }

    @Test func `a wrong password is told in the published bytes`() async throws {
        let server = server(
            ScriptedRandom(
                try vectors("S.priv"), draws(for: "22222222"), [UInt8](repeating: 0, count: 16),
                try vectors("eS.priv"), hash("server nonce")))
        _ = try await server.invitation(for: "alice")
        #expect(try await reply(server, to: vectors("C1")) == vectors("S1"))
        #expect(try await reply(server, to: vectors("C2")) == vectors("E2"))
    }

    @Test func `an unknown device is told in the published bytes`() async throws {
        let server = server(ScriptedRandom(try vectors("S.priv")))
        var command = try vectors("10")
        command.replaceSubrange(8..<24, with: Array(0xE0...0xEF))
        #expect(try await reply(server, to: command) == vectors("clear"))
    }
}
