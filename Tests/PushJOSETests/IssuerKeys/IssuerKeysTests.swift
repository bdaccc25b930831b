import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushJOSE
import PushTesting
import Testing

struct IssuerKeysTests {
    private let issuer: Issuer

    init() throws {
        issuer = try Issuer()
    }

    @Test func `a set is fetched for the first token, and serves those that follow`() async throws {
        issuer.publish("a", "b")
        for name in ["a", "b", "a"] { #expect(try await issuer.refusal(name) == nil) }
        #expect(await issuer.fetches == 1)
        let request = try #require(await issuer.transport.exchanges.first).request
        #expect(request.method == .get && request.path == "/keys")
        #expect(
            request.headerFields[.accept] == "application/jwk-set+json, application/json")
    }

    @Test func `a new key is fetched when a token names it, a minute after the last time`()
        async throws
    {
        issuer.publish("a")
        #expect(try await issuer.refusal("a") == nil)
        issuer.publish("b")
        issuer.clock.advance(by: .seconds(59))
        #expect(try await issuer.refusal("b") == .untrusted)
        #expect(await issuer.fetches == 1)
        issuer.clock.advance(by: .seconds(1))
        #expect(try await issuer.refusal("b") == nil)
        // What the issuer has withdrawn verifies nothing.
        #expect(try await issuer.refusal("a") == .untrusted)
        #expect(await issuer.fetches == 2)
    }

    @Test func `a stranger's tokens cause one fetch a minute, whatever they name`() async throws {
        issuer.publish("a")
        for minute in 1...3 {
            for name in ["x", "y", "z", "x"] {
                #expect(try await issuer.refusal(name) == .untrusted)
            }
            #expect(await issuer.fetches == minute)
            issuer.clock.advance(by: .seconds(60))
        }
    }

    @Test func `a token that no set can verify causes no fetch`() async throws {
        issuer.publish("a")
        #expect(try await issuer.refusal(nil) == .untrusted)
        for algorithm in ["HS256", "PS256", "EdDSA", "ACME"] {
            let header = try JWSHeader(["alg": .string(algorithm), "kid": "a"])
            await #expect(throws: PushError.self) {
                try await issuer.keys.key(for: header, at: issuer.url)
            }
        }
        #expect(await issuer.fetches == 0)
    }

    @Test func `a hundred tokens at once cause one fetch`() async throws {
        issuer.publish("a")
        let gate = Gate()
        issuer.hold(at: gate)
        let (issuer, token) = (issuer, try issuer.token("a"))
        let verified = Task {
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        (try? await issuer.keys.verified(token, at: issuer.url)) != nil
                    }
                }
                return await group.allSatisfy { $0 }
            }
        }
        await gate.arrival()
        await gate.open()
        #expect(await verified.value)
        #expect(await issuer.fetches == 1)
    }

    @Test func `a caller that gives up hears so at once, and the fetch goes on`() async throws {
        issuer.publish("a")
        let gate = Gate()
        issuer.hold(at: gate)
        let (issuer, token) = (issuer, try issuer.token("a"))
        let first = Task { () async -> PushError.Code? in
            do throws(PushError) {
                _ = try await issuer.keys.verified(token, at: issuer.url)
                return nil
            } catch {
                return error.code
            }
        }
        await gate.arrival()
        first.cancel()
        #expect(await first.value == .cancelled)
        await gate.open()
        #expect(try await issuer.refusal("a") == nil)
        #expect(await issuer.fetches == 1)
    }

    @Test func `each URL has its own set`() async throws {
        issuer.publish("a")
        #expect(try await issuer.refusal("a") == nil)
        let other = try Endpoint("https://issuer.example/other")
        _ = try await issuer.keys.verified(issuer.token("a"), at: other)
        #expect(await issuer.fetches == 2)
        #expect(await issuer.transport.exchanges.last?.request.path == "/other")
    }

    @Test func `what was kept may be dropped at any moment`() async throws {
        issuer.publish("a")
        #expect(try await issuer.refusal("a") == nil)
        await issuer.keys.dropCaches()
        #expect(try await issuer.refusal("a") == nil)
        #expect(await issuer.fetches == 2)
    }

    // MARK: How long a set counts

    @Test(
        arguments: [
            (nil, nil, 300), ("public", nil, 300), ("max-age=600", nil, 600),
            ("public, max-age=600, must-revalidate", nil, 600), ("Max-Age = 600", nil, 600),
            ("max-age=600", "100", 500), ("max-age=600", "x", 600), ("max-age=600", "9999", 60),
            ("max-age=1", nil, 60), ("max-age=0", nil, 60), ("no-cache", nil, 60),
            ("no-store, max-age=600", nil, 60), ("max-age=86400", nil, 3600),
            ("max-age=86400", "80000", 3600),
            ("max-age=99999999999999999999999", nil, 3600), ("max-age=600, max-age=120", nil, 120),
            ("max-age=-5", nil, 60), ("max-age", nil, 60), ("max-age=", nil, 60),
        ] as [(String?, String?, Int64)])
    func `a set counts as long as its reply says, a minute at least and an hour at most`(
        cacheControl: String?, age: String?, seconds: Int64
    ) async throws {
        issuer.publish("a", cacheControl: cacheControl, age: age)
        #expect(try await issuer.refusal("a") == nil)
        issuer.clock.advance(by: .seconds(seconds) - .milliseconds(1))
        #expect(try await issuer.refusal("a") == nil)
        #expect(await issuer.fetches == 1)
        issuer.clock.advance(by: .milliseconds(1))
        #expect(try await issuer.refusal("a") == nil)
        #expect(await issuer.fetches == 2)
    }

    @Test func `a failed fetch keeps the old set, for ten minutes beyond its time`() async throws {
        issuer.publish("a", cacheControl: "max-age=600")
        #expect(try await issuer.refusal("a") == nil)
        issuer.answer(Issuer.Reply(status: .serviceUnavailable))
        issuer.clock.advance(by: .seconds(600))
        #expect(try await issuer.refusal("a") == nil)
        #expect(await issuer.fetches == 2)
        // Another key may be there by now: nothing proves the token wrong.
        #expect(try await issuer.refusal("b") == .server(status: 503))
        issuer.clock.advance(by: .seconds(599))
        #expect(try await issuer.refusal("a") == nil)
        issuer.clock.advance(by: .seconds(1))
        #expect(try await issuer.refusal("a") == .server(status: 503))
        issuer.answer(Issuer.Reply())
        issuer.clock.advance(by: .seconds(60))
        #expect(try await issuer.refusal("a") == nil)
    }

    @Test
    func `an unknown key after a failed fetch isn't untrusted, and isn't asked for again at once`()
        async throws
    {
        issuer.publish("a")
        #expect(try await issuer.refusal("a") == nil)
        issuer.clock.advance(by: .seconds(60))
        await issuer.faults.next(.refuse)
        #expect(try await issuer.refusal("b") == .unreachable)
        // The set is still in its time.
        #expect(try await issuer.refusal("a") == nil)
        issuer.publish("b")
        #expect(try await issuer.refusal("b") == .unreachable)
        issuer.clock.advance(by: .seconds(60))
        #expect(try await issuer.refusal("b") == nil)
    }

    @Test(arguments: [
        (Issuer.Reply(status: .notFound), PushError.Code.server(status: 404)),
        (Issuer.Reply(status: .found), .server(status: 302)),
        (Issuer.Reply(status: .noContent), .interrupted),
        (Issuer.Reply(headers: [.contentType: "text/html"]), .interrupted),
        (Issuer.Reply(body: Data("<html>".utf8)), .interrupted),
        (Issuer.Reply(body: Data(#"{"keys":7}"#.utf8)), .interrupted),
        (Issuer.Reply(body: Data(#"{"keys":[]}"#.utf8)), .interrupted),
        (Issuer.Reply(body: Data(#"{"keys":[{"kty":"OKP","kid":"a"}]}"#.utf8)), .interrupted),
    ])
    func `a reply that is no set is nobody's word, and replaces none`(
        reply: Issuer.Reply, code: PushError.Code
    ) async throws {
        issuer.publish("a")
        issuer.answer(reply)
        #expect(try await issuer.refusal("a") == code)
        #expect(try await issuer.refusal("a") == code)
        #expect(await issuer.fetches == 1)
        issuer.answer(Issuer.Reply())
        issuer.clock.advance(by: .seconds(60))
        #expect(try await issuer.refusal("a") == nil)
        issuer.answer(reply)
        issuer.clock.advance(by: .seconds(300))
        #expect(try await issuer.refusal("a") == nil)
    }

    @Test func `an emptied set verifies nothing once the old one's time is over`() async throws {
        issuer.publish("a")
        #expect(try await issuer.refusal("a") == nil)
        issuer.publish()
        issuer.clock.advance(by: .seconds(899))
        #expect(try await issuer.refusal("a") == nil)
        issuer.clock.advance(by: .seconds(1))
        #expect(try await issuer.refusal("a") == .interrupted)
    }

    @Test func `a signature that is wrong is untrusted, whoever's name it has`() async throws {
        issuer.publish("a")
        let text = try signedJWS(
            header: #"{"alg":"ES384","kid":"a"}"#, payload: "{}", by: acmeKey)
        let token = try UnverifiedJWT(parsing: text)
        await #expect {
            try await issuer.keys.verified(token, at: issuer.url)
        } throws: {
            ($0 as? PushError)?.code == .untrusted
        }
    }
}
