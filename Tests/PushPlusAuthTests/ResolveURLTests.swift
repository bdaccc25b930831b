import Foundation
import HTTPTypes
import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// Where an answer goes, and where it never goes: step 7 of
/// `docs/vendors/plusauth.md#what-a-context-must-be`.
@Suite struct ResolveURLTests {
    /// Approves a challenge with this claim, and gives the URLs the server saw.
    private func urls(
        _ claim: JSON?, code: EnrollmentCode = EnrollmentCode(),
        _ configuration: PlusAuth.Configuration = .ec(), replies: [ScriptedReply] = []
    ) async throws -> (urls: [String], outcome: Outcome) {
        let harness = try await PlusAuthHarness.enrolled(configuration, code: code)
        let context = try await ContextJWT(harness.key()).with("resolve_url", claim)
        let challenge = try await harness.challenge(context)
        for reply in replies { await harness.server.reply(reply) }
        let outcome = try await harness.authenticator.resolve(challenge, with: .approve)
        return (await harness.answers().map(\.url), outcome)
    }

    // MARK: The claim

    @Test(arguments: [
        "https://tenant.plusauth.example/push-authenticator/resolve",
        "https://tenant.plusauth.example/push-authenticator/resolve-challenge",
        "https://tenant.plusauth.example:443/x", "https://TENANT.PlusAuth.Example/x",
        "https://tenant.plusauth.example/x?y=z%2F", "https://tenant.plusauth.example",
        "HTTPS://tenant.plusauth.example/x",
    ])
    func `a claim at the account's own origin is followed`(url: String) async throws {
        let (urls, outcome) = try await urls(.string(url))
        #expect(outcome == .delivered)
        #expect(urls.count == 1)
        let sent = try Endpoint(#require(urls.first))
        #expect(try sent.origin == Endpoint(url).origin)
        #expect(try sent.path == Endpoint(url).path)
    }

    @Test(arguments: [404, 405])
    func `a claim's URL is the only one, whatever it replies`(status: Int) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let challenge = try await harness.challenge(ContextJWT(harness.key()))
        await harness.server.reply(status)
        let outcome = try? await harness.authenticator.resolve(challenge, with: .approve)
        #expect(outcome != .delivered)
        #expect(await harness.answers().map(\.url) == [WorkedExample.resolve])
    }

    @Test(arguments: [
        "https://evil.example/push-authenticator/resolve",
        "https://tenant.plusauth.example.evil.example/resolve",
        "https://evil.tenant.plusauth.example/resolve", "https://plusauth.example/resolve",
        "https://tenant.plusauth.example@evil.example/resolve",
        "https://user@tenant.plusauth.example/resolve",
        "https://user:pw@tenant.plusauth.example/resolve",
        "https://:@tenant.plusauth.example/resolve", "https://@tenant.plusauth.example/resolve",
        "http://tenant.plusauth.example/resolve", "http://tenant.plusauth.example:443/resolve",
        "ftp://tenant.plusauth.example/resolve", "https://tenant.plusauth.example:8443/resolve",
        "https://tenant.plusauth.example:444/resolve", "https://tenant.plusauth.example/resolve#x",
        "https://tenant.plusauth.example/resolve#", "//tenant.plusauth.example/resolve",
        "/push-authenticator/resolve", "resolve", "https:tenant.plusauth.example/resolve",
        "https:///resolve", "https://", "", " ", " https://tenant.plusauth.example/resolve",
        "https://tenant.plusauth.example/resolve ", "https://tenant.plusauth.example/re\tsolve",
        "https://tenant.plusauth.example\\@evil.example/resolve",
        "https://evil.example\\.tenant.plusauth.example/", "https://tenant.plusauth.example%2F/",
        "https://tenant.plusauth.example\r\nHost: evil.example/", "https://192.0.2.1/resolve",
        "https://[::1]/resolve", "https://localhost/resolve",
        "https://tenant.plusauth.exampl\u{435}/",
        "https://tenant.plusauth.example./resolve", "https://tenant.plusauth.example:/resolve",
        "javascript:alert(1)",
    ])
    func `a claim that leads elsewhere is refused, and nothing is shown`(url: String)
        async throws
    {
        let harness = try await PlusAuthHarness.enrolled()
        let before = harness.observer.observations.count
        let message = try await ContextJWT(harness.key()).with("resolve_url", .string(url))
            .message()
        #expect(try await harness.refusal(of: message).code == .untrusted)
        #expect(harness.observer.observations.count > before)
        #expect(await harness.answers().isEmpty)
    }

    @Test(arguments: [7, true, false, [], [:], [.string(WorkedExample.resolve)]] as [JSON])
    func `a claim that is no text is refused alike`(claim: JSON) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let message = try await ContextJWT(harness.key()).with("resolve_url", claim).message()
        #expect(try await harness.refusal(of: message).code == .untrusted)
    }

    @Test func `another port than the account's is another origin`() async throws {
        let code = EnrollmentCode.at("https://tenant.plusauth.example:8443/x/enroll")
        let (urls, _) = try await urls(
            "https://tenant.plusauth.example:8443/resolve", code: code)
        #expect(urls == ["https://tenant.plusauth.example:8443/resolve"])
        let harness = try await PlusAuthHarness.enrolled(code: code)
        let message = try await ContextJWT(harness.key()).message()
        #expect(try await harness.refusal(of: message).code == .untrusted)
    }

    @Test func `an origin that the app allows is as good, and only that`() async throws {
        let configuration = PlusAuth.Configuration.ec {
            $0.resolveOrigins = ["https://login.acme.example", "https://b.acme.example:8443"]
        }
        for url in [
            "https://login.acme.example/resolve", "https://LOGIN.acme.example:443/resolve",
            "https://b.acme.example:8443/resolve", WorkedExample.resolve,
        ] {
            let (urls, outcome) = try await urls(.string(url), configuration)
            #expect(outcome == .delivered)
            #expect(urls.count == 1)
        }
        let harness = try await PlusAuthHarness.enrolled(configuration)
        for url in [
            "http://login.acme.example/resolve", "https://login.acme.example:8443/resolve",
            "https://b.acme.example/resolve", "https://x.login.acme.example/resolve",
            "https://user@login.acme.example/resolve",
        ] {
            let context = try await ContextJWT(harness.key()).with("resolve_url", .string(url))
            #expect(try await harness.refusal(of: context.message()).code == .untrusted)
        }
    }

    @Test func `an allowed origin is compared as origins are, and needs TLS as well`() async throws
    {
        let configuration = PlusAuth.Configuration.ec {
            $0.resolveOrigins = ["https://LOGIN.acme.example:443", "http://plain.acme.example"]
        }
        let (_, outcome) = try await urls("https://login.acme.example/resolve", configuration)
        #expect(outcome == .delivered)
        let harness = try await PlusAuthHarness.enrolled(configuration)
        let context = try await ContextJWT(harness.key())
            .with("resolve_url", "http://plain.acme.example/resolve")
        #expect(try await harness.refusal(of: context.message()).code == .untrusted)
    }

    @Test func `a switch for tests allows this machine`() async throws {
        let configuration = PlusAuth.Configuration.ec { $0.allowsLocalHosts = true }
        let code = EnrollmentCode.at("https://127.0.0.1:8443/push-authenticator/enroll")
        let url = "https://127.0.0.1:8443/push-authenticator/resolve"
        for claim in [.string(url), nil] as [JSON?] {
            let (urls, outcome) = try await urls(claim, code: code, configuration)
            #expect(outcome == .delivered)
            #expect(urls == [url])
        }
        let harness = try await PlusAuthHarness.enrolled(configuration, code: code)
        for url in ["https://127.0.0.1:8444/resolve", "https://127.0.0.2:8443/resolve"] {
            let context = try await ContextJWT(harness.key()).with("resolve_url", .string(url))
            #expect(try await harness.refusal(of: context.message()).code == .untrusted)
        }
    }

    // MARK: No claim

    @Test(arguments: [
        ("https://t.example/a/enroll?next=/b/c", "/a/resolve"), ("https://t.example", "/resolve"),
        ("https://t.example/", "/resolve"), ("https://t.example/enroll", "/resolve"),
        ("https://t.example/a%2Fb/enroll", "/a%2Fb/resolve"),
    ])
    func `the neighbour is found in the path alone`(enrollment: String, path: String) async throws {
        let (urls, _) = try await urls(nil, code: .at(enrollment))
        #expect(urls.count == 1)
        let sent = try Endpoint(#require(urls.first))
        #expect(sent.host == "t.example")
        #expect(sent.path.prefix { $0 != "?" } == path)
    }

    @Test(arguments: [nil, .null] as [JSON?])
    func `without a claim it is the enrollment's neighbour`(claim: JSON?) async throws {
        let (urls, outcome) = try await urls(claim)
        #expect(outcome == .delivered)
        #expect(urls == [WorkedExample.resolve])
        let elsewhere = try await self.urls(
            claim, code: .at("https://t.acme.example:8443/a/b/enroll"))
        #expect(elsewhere.urls == ["https://t.acme.example:8443/a/b/resolve"])
    }

    @Test(arguments: [404, 405])
    func `where that is unknown, the documentation's other name is tried once`(status: Int)
        async throws
    {
        for reply in [.init(status: status), .refusal(404)] as [ScriptedReply] {
            let (urls, outcome) = try await urls(nil, replies: [reply])
            #expect(outcome == .delivered)
            #expect(urls == [WorkedExample.resolve, WorkedExample.resolveChallenge])
        }
        let neither = try await self.urls(nil, replies: [.refusal(404), .refusal(404)])
        #expect(neither.outcome == .expired)
        #expect(neither.urls == [WorkedExample.resolve, WorkedExample.resolveChallenge])
    }

    @Test(arguments: [404, 405])
    func `PlusAuth's own word on the first name outlives a stranger's that has no second`(
        status: Int
    ) async throws {
        let replies = [.refusal(404), .init(status: status)] as [ScriptedReply]
        let (urls, outcome) = try await urls(nil, replies: replies)
        #expect(outcome == .expired)
        #expect(urls == [WorkedExample.resolve, WorkedExample.resolveChallenge])
    }

    @Test func `both names get the same answer and bearer`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let context = try await ContextJWT(harness.key()).with("resolve_url", nil)
        let challenge = try await harness.challenge(context)
        await harness.server.reply(404)
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        let answers = await harness.answers()
        #expect(answers.count == 2)
        #expect(Set(answers.map(\.body)).count == 1)
        #expect(Set(try answers.map { try $0.field("Authorization") }) == ["Bearer ctx-0001"])
    }

    @Test(arguments: [200, 302, 400, 401, 409, 422, 429, 500, 503])
    func `no other status leads to the other name`(status: Int) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let context = try await ContextJWT(harness.key()).with("resolve_url", nil)
        let challenge = try await harness.challenge(context)
        await harness.server.reply(status)
        _ = try? await harness.authenticator.resolve(challenge, with: .approve)
        #expect(await harness.answers().map(\.url) == [WorkedExample.resolve])
    }

    @Test func `a second name whose reply is lost may have taken the answer`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let context = try await ContextJWT(harness.key()).with("resolve_url", nil)
        let challenge = try await harness.challenge(context)
        await harness.server.reply(404, 200)
        await harness.faults.next(.dropAfter) { $0.path?.hasSuffix("resolve-challenge") == true }
        guard case .unknown = try await harness.authenticator.resolve(challenge, with: .approve)
        else {
            Issue.record("The second may have taken it.")
            return
        }
        await harness.server.refuse(404, 409)
        guard case .unknown? = try await harness.authenticator.resume()[challenge.id] else {
            Issue.record("It was probably our own answer.")
            return
        }
    }

    /// The first path's reply may be a gateway's, after PlusAuth has taken the answer.
    @Test(arguments: [404, 405])
    func `a path that a stranger says isn't there may have taken the answer`(
        status: Int
    ) async throws {
        for refusal in [400, 401, 404, 409, 422] {
            let (_, outcome) = try await urls(
                nil, replies: [.init(status: status, body: "<html>"), .refusal(refusal)])
            guard case .unknown = outcome else {
                Issue.record("The second path knows nothing of the first: \(outcome).")
                continue
            }
        }
        let harness = try await PlusAuthHarness.enrolled()
        let context = try await ContextJWT(harness.key()).with("resolve_url", nil)
        let challenge = try await harness.challenge(context)
        await harness.server.reply(status)
        await harness.faults.next(.refuse) { $0.path?.hasSuffix("resolve-challenge") == true }
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        await harness.server.refuse(409)
        guard case .unknown? = try await harness.authenticator.resume()[challenge.id] else {
            Issue.record("It may have been our own answer.")
            return
        }
    }
}
