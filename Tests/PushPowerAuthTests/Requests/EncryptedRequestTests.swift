import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct EncryptedRequestTests: ServedSuite {
    let served: Served

    init() async throws {
        served = try await Served()
        await served.bank.opensServices()
    }

    private let plain = Secret(copying: #"{"amount":"100.00"}"#)

    private var seen: [PowerAuthSimulator.ResourceCall] {
        get async { await bank.simulator.resourceRequests }
    }

    private func phone(
        _ version: PowerAuthVersion
    ) async throws -> (phone: PowerAuthHarness, id: Enrollment.ID) {
        let phone = try await PowerAuthHarness(of: bank) { $0.version = version }
        return (phone, try await phone.activated())
    }

    private func json(_ secret: Secret?) throws -> JSON {
        try JSON(parsing: Data(try #require(secret).copy))
    }

    @Test func `a bank reads a request of more than 64 KiB`() async throws {
        let (phone, id) = try await phone(try #require(PowerAuthVersion.allCases.last))
        let large = Data(#"{"order":"\#(String(repeating: "x", count: 100_000))"}"#.utf8)
        let reply = try await phone.requests(id).inTurn { (builder) async throws(PushError) in
            try await builder.send(
                try await builder.signedThenEncrypted(
                    phone.request(.post, "/order"), body: Secret(large), resource: "/order",
                    factors: .pin(Customer.pin)))
        }
        #expect(try json(reply.opened) == ["order": 7])
        #expect(await seen.map(\.body) == [large])
    }

    @Test(arguments: PowerAuthVersion.allCases)
    func `a request is signed over the plain bytes, then encrypted`(
        _ version: PowerAuthVersion
    ) async throws {
        let (phone, id) = try await phone(version)
        let head = phone.request(.post, "/order")
        let reply = try await phone.requests(id).inTurn { (builder) async throws(PushError) in
            try await builder.send(
                try await builder.signedThenEncrypted(
                    head, body: plain, resource: "/order", factors: .pin(Customer.pin)))
        }
        #expect(try json(reply.opened) == ["order": 7])
        #expect(await seen.map(\.body) == [Data(plain.copy)])
        #expect(await seen.first?.type == .possessionKnowledge)
        let sent = try #require(await phone.transport.exchanges.last)
        #expect(!String(decoding: sent.body, as: UTF8.self).contains("100.00"))
        #expect(sent.request.headerFields[try #require(.init("X-PowerAuth-Encryption"))] == nil)
    }

    @Test func `the other order is refused by such an endpoint`() async throws {
        let head = phone.request(.post, "/order")
        let refused = await code {
            try await phone.requests(id).inTurn { (builder) async throws(PushError) in
                let sealed = try await builder.encrypted(head, body: plain)
                let signed = try await builder.signed(
                    head, body: sealed.body, resource: "/order", factors: .pin(Customer.pin))
                return try await builder.send(signed)
            }
        }
        guard case .notTaken? = refused else {
            Issue.record("It was taken: \(String(describing: refused))")
            return
        }
    }

    @Test(arguments: PowerAuthVersion.allCases)
    func `a request is encrypted in the activation's scope alone`(
        _ version: PowerAuthVersion
    ) async throws {
        let (phone, id) = try await phone(version)
        let head = phone.request(.post, "/profile")
        let before = try await phone.record(id).counter
        let reply = try await phone.requests(id).inTurn { (builder) async throws(PushError) in
            try await builder.send(try await builder.encrypted(head, body: Secret([])))
        }
        #expect(try json(reply.opened) == ["name": "Petra"])
        #expect(await seen.first?.activation == id.name)
        #expect(await seen.first?.body == Data())
        #expect(try await phone.record(id).counter == before)
    }

    @Test(arguments: PowerAuthVersion.allCases)
    func `before there is an activation, the application's scope serves`(
        _ version: PowerAuthVersion
    ) async throws {
        let phone = try await PowerAuthHarness(of: bank) { $0.version = version }
        let requests = PowerAuthApplicationRequests(phone.provider)
        let request = try await requests.encrypted(phone.request(.post, "/login"), body: plain)
        let (response, body) = try await phone.transport.send(request.head, body: request.body)
        #expect(response.status == .ok)
        #expect(try json(request.opened(body)) == ["welcome": true])
        #expect(await seen.map(\.activation) == [nil])
    }

    @Test func `a reply in another scope, to another request or damaged isn't believed`()
        async throws
    {
        let head = phone.request(.post, "/profile")
        let requests = try phone.requests(id)
        let transport = phone.transport
        try await requests.inTurn { (builder) async throws(PushError) in
            let one = try await builder.encrypted(head, body: plain)
            let two = try await builder.encrypted(head, body: plain)
            let login = try await PowerAuthApplicationRequests(phone.provider).encrypted(
                phone.request(.post, "/login"), body: plain)
            let answer = try await transport.send(one.head, body: one.body).body
            _ = try one.opened(answer)
            for other in [two, login] {
                #expect(Sample.refusal { _ = try other.opened(answer) } == .untrusted)
            }
            var damaged = answer
            damaged[damaged.count / 2] ^= 1
            for bad in [damaged, Data(), Data("{}".utf8), answer.dropLast()] {
                #expect(Sample.refusal { _ = try one.opened(Data(bad)) } == .untrusted)
            }
        }
    }

    @Test func `a success that isn't encrypted isn't believed, and an error is handed on`()
        async throws
    {
        let head = phone.request(.post, "/profile")
        await bank.configure { $0.resources = [.init("/profile", proof: .none)] }
        #expect(
            await code {
                try await phone.requests(id).inTurn { (builder) async throws(PushError) in
                    try await builder.send(try await builder.encrypted(head, body: plain))
                }
            } == .untrusted)
    }

    @Test func `a key that the server lost is renewed when the app says so`() async throws {
        let head = phone.request(.post, "/profile")
        await bank.simulator.forgetTemporaryKeys()
        let requests = try phone.requests(id)
        let send = { @Sendable (builder: PowerAuthRequestBuilder) async throws(PushError) in
            try await builder.send(try await builder.encrypted(head, body: plain))
        }
        _ = try await requests.inTurn(send)
        await bank.simulator.forgetTemporaryKeys()
        let refused = try await requests.inTurn(send)
        #expect(refused.response.status == 400)
        #expect(refused.opened == nil)
        let taken = try await requests.inTurn { (builder) async throws(PushError) in
            await builder.forgetEncryptionKeys()
            return try await send(builder)
        }
        #expect(taken.opened != nil)
    }

    @Test func `without a key no counter moves`() async throws {
        let head = phone.request(.post, "/order")
        await phone.provider.channel.forgetTemporaryKeys()
        await phone.fail(.keystore, .refuse)
        let before = try await phone.record(id).counter
        #expect(
            await code {
                try await phone.requests(id).inTurn { (builder) async throws(PushError) in
                    try await builder.signedThenEncrypted(
                        head, body: plain, resource: "/order", factors: .pin(Customer.pin))
                }
            } == .unreachable)
        #expect(try await phone.record(id).counter == before)
    }

    @Test func `only a POST is encrypted`() async throws {
        let head = phone.request(.put, "/order")
        #expect(
            await code {
                try await phone.requests(id).inTurn { (builder) async throws(PushError) in
                    try await builder.encrypted(head, body: plain)
                }
            } == .invalidArgument)
    }

    // MARK: Tokens

    @Test(arguments: PowerAuthVersion.allCases)
    func `a token reads where one factor is enough`(_ version: PowerAuthVersion) async throws {
        let (phone, id) = try await phone(version)
        for method in [HTTPRequest.Method.get, .post] {
            let head = phone.request(method, "/rates")
            let reply = try await phone.requests(id).inTurn { (builder) async throws(PushError) in
                try await builder.send(try await builder.reading(head))
            }
            #expect(reply.response.status == .ok)
        }
        #expect(await seen.map(\.type) == [.possession, .possession])
    }

    @Test func `a token of two factors is made once, kept, and removed`() async throws {
        let head = phone.request(.post, "/cards")
        let requests = try phone.requests(id)
        let plain = plain
        let read = { @Sendable (builder: PowerAuthRequestBuilder) async throws(PushError) in
            try await builder.send(
                try await builder.readingEncrypted(head, body: plain, token: "cards"))
        }
        #expect(await code { try await requests.inTurn(read) } == .notFound)
        try await requests.inTurn { (builder) async throws(PushError) in
            try await builder.makeToken("cards", factors: .pin(Customer.pin))
        }
        let again = try await phone.restarted()
        let reply = try await again.requests(id).inTurn(read)
        #expect(try json(reply.opened) == ["cards": 2])
        #expect(await seen.last?.type == .possessionKnowledge)
        try await again.requests(id).inTurn { (builder) async throws(PushError) in
            try await builder.removeToken("cards")
        }
        #expect(await code { try await again.requests(id).inTurn(read) } == .notFound)
        #expect(try await again.record(id).namedTokens.isEmpty)
    }

    @Test func `a token that the server lost is forgotten, and made again`() async throws {
        let head = phone.request(.get, "/rates")
        let requests = try phone.requests(id)
        let read = { @Sendable (builder: PowerAuthRequestBuilder) async throws(PushError) in
            try await builder.send(try await builder.reading(head))
        }
        _ = try await requests.inTurn(read)
        try await bank.simulator.forgetTokens(of: id.name)
        #expect(await code { try await requests.inTurn(read) } == .server(status: 401))
        #expect(try await requests.inTurn(read).response.status == .ok)
    }

    @Test func `an activation keeps 32 named tokens, and goes on`() async throws {
        let make = { @Sendable (name: String) async throws in
            try await phone.requests(id).inTurn { (builder) async throws(PushError) in
                try await builder.makeToken(name, factors: .pin(Customer.pin))
            }
        }
        for number in 0..<32 { try await make("cards \(number)") }
        #expect(await code { try await make("one more") } == .invalidArgument)
        // One that has its place is made again.
        try await make("cards 7")
        #expect(try await phone.restarted().record(id).namedTokens.count == 32)
    }

    @Test func `the universal token has one factor, and names have a size`() async throws {
        for name in ["", String(repeating: "a", count: 65), PowerAuthRequestBuilder.universalToken]
        {
            #expect(
                await code {
                    try await phone.requests(id).inTurn { (builder) async throws(PushError) in
                        try await builder.makeToken(name, factors: .pin(Customer.pin))
                    }
                } == .invalidArgument)
        }
    }
}
