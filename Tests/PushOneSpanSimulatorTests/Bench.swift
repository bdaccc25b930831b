import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

/// A simulator on a clock that the test moves, with a way to speak to it.
struct Bench {
    typealias Field = OneSpanSimulator.Field

    let server: OneSpanSimulator
    let clock = ManualClock(Date(timeIntervalSince1970: 1_767_225_000))
    let random: SeededRandom

    init(seed: UInt64 = 1, _ change: (inout OneSpanSimulator.Configuration) -> Void = { _ in }) {
        random = SeededRandom(seed: seed &+ 1000)
        var configuration = OneSpanSimulator.Configuration(
            clock: clock, random: SeededRandom(seed: seed))
        change(&configuration)
        server = OneSpanSimulator(configuration)
    }

    // MARK: HTTP

    func request(
        _ method: HTTPRequest.Method, _ path: String, _ body: Data = Data()
    ) async -> SimulatedReply {
        let request = HTTPRequest(
            method: method, scheme: "https", authority: "app.example.com", path: path)
        return await server.answer(to: request, body)
    }

    func post(_ path: String, _ body: JSON) async -> SimulatedReply {
        await request(.post, path, body.data)
    }

    /// Sends a command as the app does, to the customer's server.
    func send(_ command: [UInt8]) async -> SimulatedReply {
        await post("/commands", ["command": .string(hex(command, upperCase: true))])
    }

    /// Sends a command and opens the reply.
    func exchange(_ command: [UInt8], by phone: Phone) async throws -> Opened {
        try phone.read(await send(command).command)
    }

    /// The number of an unauthenticated error that answers a command.
    func clearCode(_ command: [UInt8]) async throws -> Int32? {
        try #require(Opened(clear: await send(command).command)).code
    }

    // MARK: Activation

    func password(for user: String) async throws -> String {
        guard case .credentials(_, let password) = try await server.invitation(for: user) else {
            throw PushError(.invalidInvitation, "No credentials.")
        }
        return password.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    func phone(of user: String = "alice", hasBiometry: Bool = true) throws -> Phone {
        try Phone(
            user, at: server.domain, serverKey: server.serverKey, random: random,
            hasBiometry: hasBiometry)
    }

    /// The first two round trips.
    func introduce(_ phone: inout Phone, password: String) async throws -> Opened {
        let challenge = try await phone.read(challenge: send(phone.hello()).command)
        guard challenge.type == 0x02 else { return challenge }
        let proof = try phone.proof(password)
        return try await phone.read(instances: send(proof).command, to: proof)
    }

    func confirm(_ phone: inout Phone) async throws -> Opened {
        var fields: [UInt16: [UInt8]] = [0x29: phone.confirmation(.none)]
        if phone.instanceKeys.count == 3 { fields[0x2E] = phone.confirmation(.biometric) }
        let command = try phone.command(0x05, tlv(fields), flow: phone.activationFlow)
        let opened = try await exchange(command, by: phone)
        phone.challenge = opened.fields[0x23] ?? []
        return opened
    }

    func final(_ phone: inout Phone) throws -> [UInt8] {
        let body = tlv([0x29: phone.confirmation(.password), 0x2A: try phone.finalSignature])
        return try phone.command(0x07, body, flow: phone.activationFlow)
    }

    func register(_ phone: inout Phone, _ identifier: String) async throws -> Opened {
        let command = try phone.command(
            0x10, tlv([0x10: Array(identifier.utf8)]), flow: phone.random.array(16))
        return try await exchange(command, by: phone)
    }

    /// A phone after four round trips: confirmed, without a notification identifier.
    func confirmed(_ user: String = "alice", hasBiometry: Bool = true) async throws -> Phone {
        var phone = try phone(of: user, hasBiometry: hasBiometry)
        let password = try await password(for: user)
        #expect(try await introduce(&phone, password: password).type == 0x04)
        #expect(try await confirm(&phone).type == 0x06)
        let final = try final(&phone)
        #expect(try await exchange(final, by: phone).type == 0x08)
        return phone
    }

    /// A phone after five.
    func activated(
        _ user: String = "alice", token: String = "aa", hasBiometry: Bool = true
    ) async throws -> Phone {
        var phone = try await confirmed(user, hasBiometry: hasBiometry)
        #expect(try await register(&phone, identifier(apns: token)).type == 0x11)
        return phone
    }

    // MARK: Requests

    func login(
        _ user: String = "alice", method: OneSpanSimulator.AuthenticationMethod = .password
    ) async throws -> String {
        if method == .biometric {
            return try await server.startLogin(of: user, asking: .biometry).id
        }
        await server.configure { $0.confirmMethod = method }
        return try await server.startLogin(of: user, asking: .confirm).id
    }

    func transaction(_ user: String = "alice") async throws -> String {
        try await server.startTransaction(
            of: user, fields: [Field("Amount", "100.00 EUR"), Field("To", "Bob")]
        ).id
    }

    func fetch(
        _ request: String, by phone: inout Phone, isTransaction: Bool = false
    ) async throws -> Opened {
        let command = try phone.command(
            isTransaction ? 0x31 : 0x21, tlv([0x20: Array(request.utf8)]),
            flow: phone.random.array(16))
        return try await exchange(command, by: phone)
    }

    func answer(_ draft: Draft, by phone: inout Phone) async throws -> Opened {
        let command = try draft.command(by: &phone)
        return try await exchange(command, by: phone)
    }
}

extension SimulatedReply {
    var command: [UInt8] { bytes(hex: json?["command"]?.string ?? "") }
}

/// An answer on its way: right, until a test changes it.
struct Draft {
    var flow: [UInt8]
    var request: [UInt8]
    var challenge: [UInt8]
    var isTransaction: Bool
    var digest: [UInt8]
    var decision: UInt8 = 1
    var method: UInt8 = 1
    var signer: Phone?
    var spoilsResponse = false
    var spoilsSignature = false
    var hasResponse: Bool?
    var counter: UInt64?

    init(to fetched: Opened) throws {
        flow = fetched.flow
        request = try #require(fetched.fields[0x20])
        challenge = try #require(fetched.fields[0x23])
        isTransaction = fetched.type == 0x32
        digest = sha(try #require(fetched.fields[0x24]) + (fetched.fields[0x25] ?? []))
        method = try #require(fetched.fields[0x22]?.first)
    }

    static func refusing(_ fetched: Opened) throws -> Draft {
        var draft = try Draft(to: fetched)
        draft.decision = 0
        draft.method = 0
        return draft
    }

    func command(by phone: inout Phone) throws -> [UInt8] {
        let counter = counter ?? phone.counter + 1
        let signed = joined(
            Array("OOC1 answer".utf8), [0], phone.id, flow, [isTransaction ? 2 : 1],
            bigEndian(UInt16(request.count)), request, challenge, [decision, method], digest,
            bigEndian(counter))
        var fields: [UInt16: [UInt8]] = [
            0x20: request, 0x23: challenge, 0x26: [decision], 0x27: [method], 0x28: digest,
            0x2A: try phone.signature(spoilsSignature ? [0] : signed),
        ]
        if hasResponse ?? (decision == 1) {
            let key = Phone.Method(rawValue: min(method, 2)) ?? .none
            fields[0x29] = phone.code(key, spoilsResponse ? [0] : signed)
        }
        if self.counter == nil { phone.counter = counter }
        return try phone.command(
            isTransaction ? 0x33 : 0x23, tlv(fields), flow: flow, counter: counter)
    }
}

/// The project's reference form of a notification identifier.
func identifier(apns token: String, isSandbox: Bool = false) -> String {
    identifier(platform: 1, isSandbox ? 1 : 0, bytes(hex: token))
}

func identifier(platform: UInt8, _ environment: UInt8, _ token: [UInt8]) -> String {
    hex(
        joined(Array("ONI1".utf8), [platform, environment], bigEndian(UInt16(token.count)), token),
        upperCase: true)
}
