import Foundation
import HTTPTypes
import PushCore
import PushJOSE
import PushTesting
import Testing

@testable import PushKeycloak

/// Access tokens: kept in memory, renewed in time, asked for one at a time; and the times of proofs.
@Suite struct AccessTokenTests {
    typealias Reply = ScriptedReply

    private static let active = Reply.refusal(400, "invalid_request")

    private func list(_ harness: ScriptedHarness) async throws {
        _ = try await harness.authenticator.pending(for: harness.id)
    }

    @Test func `the request has the client in its form, and a proof without a token`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        try await list(harness)
        let exchange = try #require(await harness.exchanges(.token).first)
        let form = try #require(FormText(String(decoding: exchange.body, as: UTF8.self)))
        #expect(form["grant_type"] == "client_credentials")
        #expect(form["client_id"] == "push-device-client")
        #expect(form["client_secret"] == "device-client-secret")
        #expect(exchange.request.headerFields[.authorization] == nil)
        let proof = try SentToken(#require(exchange.request.headerFields[.dpop]))
        #expect(proof.claims["ath"] == nil && proof.claims["sub"] == nil)
        #expect(
            proof.claims["htu"] == "https://sso.example/realms/demo/protocol/openid-connect/token")
        #expect(proof.header["jwk"]?["d"] == nil)
    }

    @Test func `a token serves until shortly before its end`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        for (seconds, count) in [(0, 1), (200, 1), (69, 1), (1, 2)] {
            harness.clock.advance(by: .seconds(seconds))
            try await list(harness)
            #expect(await harness.exchanges(.token).count == count)
        }
    }

    @Test func `a token of unknown life serves one call`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.replyAlways(
            to: .token, .json(["access_token": "a", "token_type": "DPoP"]))
        try await list(harness)
        try await list(harness)
        #expect(await harness.exchanges(.token).count == 2)
    }

    @Test func `a token is in no record`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        try await list(harness)
        let later = try await ScriptedHarness(sharing: harness)
        try await list(later)
        #expect(await later.exchanges(.token).count == 1)
    }

    @Test func `a token that the realm no longer takes is replaced once`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.reply(to: .list, .refusal(401, "Invalid access token"))
        try await list(harness)
        #expect(await harness.exchanges(.token).count == 2)
        await harness.server.replyAlways(to: .list, .refusal(401, "Invalid access token"))
        let error = try await refusal { try await list(harness) }
        #expect(error.code == .server(status: 401))
        #expect(await harness.exchanges(.list).count == 4)
    }

    @Test func `an answer whose token was revoked is sent again at once`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.server.reply(to: .answer, .refusal(401, "Invalid access token"))
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `a token that isn't bound to the key isn't used`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.replyAlways(
            to: .token, .json(["access_token": "a", "token_type": "Bearer", "expires_in": 300]))
        #expect(try await refusal { try await list(harness) }.code == .unreachable)
        #expect(await harness.exchanges(.list).isEmpty)
    }

    @Test func `many calls at once ask for one token`() async throws {
        let (tokens, clock) = (AccessTokens(), ManualClock(Sample.now))
        let (requests, gate) = (Requests(), Gate())
        let results = await withTaskGroup(of: Result<Secret, PushError>.self) { group in
            for number in 0..<20 {
                group.addTask {
                    await Result { () async throws(PushError) in
                        try await tokens.token(for: "key", clock) { () async throws(PushError) in
                            await gate.pass()
                            return try await requests.token()
                        }.value
                    }
                }
                // The others come while the first one's request is under way.
                if number == 0 { await gate.arrival() }
            }
            await gate.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count == 20 && results.allSatisfy { (try? $0.get()) != nil })
        #expect(await requests.count == 1)
    }

    @Test func `a caller that gives up hears so at once, and the others have their token`()
        async throws
    {
        let (tokens, clock) = (AccessTokens(), ManualClock(Sample.now))
        let (requests, gate) = (Requests(), Gate())
        let callers = (0..<2).map { _ in
            Task {
                await Result { () async throws(PushError) in
                    try await tokens.token(for: "key", clock) { () async throws(PushError) in
                        await gate.pass()
                        guard !Task.isCancelled else { throw PushError(.cancelled, "Cancelled.") }
                        return try await requests.token()
                    }.value
                }
            }
        }
        await gate.arrival()
        callers[0].cancel()
        guard case .failure(let error) = await callers[0].value else {
            Issue.record("It wasn't cancelled.")
            return
        }
        #expect(error.code == .cancelled)
        await gate.open()
        #expect((try? await callers[1].value.get()) != nil)
        #expect(await requests.count == 1)
    }

    @Test func `the token that ends soonest makes room for another key's`() async throws {
        let (tokens, clock) = (AccessTokens(), ManualClock(Sample.now))
        let requests = Requests()
        func ask(_ name: String) async throws {
            _ = try await tokens.token(for: name, clock) {
                () async throws(PushError) in try await requests.token()
            }
        }
        for number in 0..<64 {
            try await ask("\(number)")
            clock.advance(by: .seconds(1))
        }
        try await ask("64")
        #expect(await requests.count == 65)
        for number in 1...64 { try await ask("\(number)") }
        #expect(await requests.count == 65)
        try await ask("0")
        #expect(await requests.count == 66)
    }

    @Test func `a failed request is no obstacle to the next`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.faults.next(.dropAfter) { ScriptedServer.Kind($0) == .token }
        #expect(try await refusal { try await list(harness) }.code == .unreachable)
        try await list(harness)
    }

    // MARK: Times

    @Test(arguments: [3600, -3600, 20])
    func `a wrong clock is corrected by the realm's, for token and call`(
        seconds: Int
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.tellTime(ahead: .seconds(seconds))
        await harness.server.reply(to: .token, Self.active)
        try await list(harness)
        let proofs = await harness.exchanges(.token).map(\.request.headerFields[.dpop])
        let times = try proofs.map { try SentToken(#require($0)).claims["iat"]?.integer }
        #expect(times.first == 1_760_000_000)
        #expect(times.last == 1_760_000_000 + Int64(seconds))
        let call = await harness.exchanges(.list).first?.request.headerFields[.dpop]
        #expect(
            try SentToken(#require(call)).claims["iat"]?.integer == 1_760_000_000 + Int64(seconds))
    }

    @Test func `a refused time is signed anew once, and no more`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        try await list(harness)
        await harness.server.tellTime(ahead: .seconds(600))
        await harness.server.replyAlways(to: .list, .refusal(400, "DPoP proof expired"))
        let error = try await refusal { try await list(harness) }
        #expect(error.code == .server(status: 400))
        #expect(await harness.exchanges(.list).count == 3)
    }

    @Test func `where no reply tells the time, a refused one is said to be this device's`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.replyAlways(to: .token, Self.active)
        let error = try await refusal { try await list(harness) }
        #expect(error.code == .unreachable && error.reason.contains("clock"))
        #expect(await harness.exchanges(.token).count == 1)
    }

    @Test func `a gateway's wrong time doesn't lock out a realm that tells none`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.tellTime(ahead: .seconds(3600))
        try await list(harness)
        await harness.server.tellTime(ahead: nil)
        await harness.server.reply(to: .list, .refusal(400, "DPoP proof expired"))
        try await list(harness)
        let times = try await harness.exchanges(.list).map {
            try SentToken(#require($0.request.headerFields[.dpop])).claims["iat"]?.integer
        }
        #expect(times.suffix(2) == [1_760_003_600, 1_760_000_000])
    }

    @Test func `no proof is sent twice`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        for _ in 0..<5 { try await list(harness) }
        let names = try await harness.exchanges(.list).map {
            try SentToken(#require($0.request.headerFields[.dpop])).claims["jti"]?.string
        }
        #expect(Set(names).count == 5)
    }

    @Test func `without its realm in the configuration an enrollment asks nobody`() async throws {
        let harness = try await ScriptedHarness.enrolled { $0.realms = [] }
        #expect(try await refusal { try await list(harness) }.code == .invalidArgument)
        let push = try harness.push()
        let error = try await refusal { try await harness.authenticator.receive(push) }
        #expect(error.code == .invalidArgument)
        #expect(await harness.transport.exchanges.isEmpty)
    }
}

/// A token endpoint.
private actor Requests {
    private(set) var count = 0

    func token() async throws(PushError) -> AccessToken {
        count += 1
        let body: JSON = ["access_token": "a", "token_type": "DPoP", "expires_in": 300]
        let reply = try TokenReply(
            HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]), body.data)
        guard case .token(let token) = reply else {
            throw PushError(.malformed, "It is no token.")
        }
        return token
    }
}
