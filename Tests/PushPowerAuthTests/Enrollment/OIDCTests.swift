import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

/// Logins at an identity provider that end in an activation: `docs/vendors/powerauth.md#activation`.
@Suite struct OIDCTests {
    let bank = Bank()
    let phone: PowerAuthHarness
    private let activator: PowerAuthActivator

    init() async throws {
        phone = try await PowerAuthHarness(of: bank)
        activator = PowerAuthActivator(phone.authenticator, provider: phone.provider)
        await bank.configure {
            var plain = PowerAuthSimulator.IdentityProvider("old")
            plain.usesPKCE = false
            plain.authorizeURI = "https://old.powerauth.example/login?tenant=7"
            $0.identityProviders = [.init("bank"), plain]
        }
    }

    private func code<Value>(_ body: () async throws -> Value) async -> PushError.Code? {
        await PushPowerAuthTests.code(of: body)
    }

    private func fields(_ url: String) -> [String: String] {
        let items = URLComponents(string: url)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
    }

    // MARK: The whole way

    @Test(arguments: PowerAuthVersion.allCases)
    func `a login ends in an activation that is active at once`(
        _ version: PowerAuthVersion
    ) async throws {
        let phone = try await PowerAuthHarness(of: bank) { $0.version = version }
        let activator = PowerAuthActivator(phone.authenticator, provider: phone.provider)
        let login = try await activator.startLogin(at: "bank")
        let callback = try await bank.simulator.logIn(Bank.user, at: login.url)
        let result = try await activator.activate(try login.activation(from: callback))
        #expect(result.enrollment.state == .active)
        #expect(try await bank.record(result.enrollment.id).user == Bank.user)
        #expect(
            try await phone.approve(try await bank.ask(), at: result.enrollment.id) == .delivered)
    }

    @Test func `the proof key's challenge is that of RFC 7636, appendix B`() {
        #expect(
            PowerAuthOIDCLogin.challenge(of: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
                == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func `each login has a state, a nonce and a proof key of its own, of 32 random bytes`()
        async throws
    {
        var seen: Set<String> = []
        for _ in 0..<3 {
            let url = try await activator.startLogin(at: "bank").url
            #expect(url.hasPrefix("https://login.powerauth.example/authorize?response_type=code&"))
            let fields = fields(url)
            #expect(fields["client_id"] == "mobile-bank")
            #expect(fields["redirect_uri"] == "bank.example:/login")
            #expect(fields["code_challenge_method"] == "S256")
            for name in ["state", "nonce", "code_challenge"] {
                let text = try #require(fields[name])
                #expect(text.wholeMatch(of: #/[A-Za-z0-9_-]{43}/#) != nil)
                seen.insert(text)
            }
        }
        #expect(seen.count == 9)
    }

    @Test func `a provider without proof keys gets none, and its page keeps its own parameters`()
        async throws
    {
        let url = try await activator.startLogin(at: "old").url
        #expect(url.hasPrefix("https://old.powerauth.example/login?tenant=7&response_type=code&"))
        #expect(fields(url)["code_challenge"] == nil)
    }

    // MARK: What comes back

    private func login() async throws -> (PowerAuthOIDCLogin, callback: String) {
        let login = try await activator.startLogin(at: "bank")
        return (login, try await bank.simulator.logIn(Bank.user, at: login.url))
    }

    @Test func `a callback of another state is untrusted: nothing is sent, nothing stored`()
        async throws
    {
        let (login, callback) = try await login()
        let (_, foreign) = try await self.login()
        let before = await bank.simulator.exchanges.count
        let state = try #require(fields(callback)["state"])
        let bad = [
            foreign, callback.replacing(state, with: ""), callback.replacing("state=", with: "s="),
            callback.replacing(state, with: state + "A"),
            callback.replacing(state, with: String(state.dropLast())),
            callback.replacing("bank.example:/login", with: "bank.example:/other"),
            callback.replacing("bank.example:", with: "evil.example:"), "bank.example:/login", "",
        ]
        for callback in bad {
            #expect(await code { try login.activation(from: callback) } == .untrusted)
        }
        #expect(await bank.simulator.exchanges.count == before)
        #expect(try await phone.disk.contents.isEmpty)
        // A forged link takes nothing from the genuine one.
        _ = try await activator.activate(try login.activation(from: callback))
    }

    @Test func `a parameter that comes twice, or no code, is malformed`() async throws {
        let (login, callback) = try await login()
        let code = try #require(fields(callback)["code"])
        for callback in [
            callback + "&code=evil", callback + "&state=x", callback.replacing(code, with: ""),
            callback.replacing("&code=\(code)", with: ""), callback + "&x=%ZZ",
        ] {
            #expect(await self.code { try login.activation(from: callback) } == .malformed)
        }
    }

    @Test func `a no at the provider is the user's, and another error isn't`() async throws {
        let login = try await activator.startLogin(at: "bank")
        let refused = try await bank.simulator.logIn(nil, at: login.url)
        #expect(await code { try login.activation(from: refused) } == .cancelled)
        let failed = refused.replacing("access_denied", with: "server_error")
        #expect(await code { try login.activation(from: failed) } == .malformed)
        // An error of another login isn't believed either.
        let other = try await activator.startLogin(at: "bank")
        #expect(await code { try other.activation(from: refused) } == .untrusted)
    }

    @Test func `a code is redeemed once, and only with the login's own proof key and nonce`()
        async throws
    {
        let (login, callback) = try await login()
        _ = try await activator.activate(try login.activation(from: callback))
        #expect(
            await code { try await activator.activate(try login.activation(from: callback)) }
                == .invalidInvitation)
        // What another login has can't redeem it, even if a state were guessed.
        let (mine, good) = try await self.login()
        let (other, theirs) = try await self.login()
        let (a, b) = (try #require(fields(good)["code"]), try #require(fields(theirs)["code"]))
        let stolen = theirs.replacing(b, with: a)
        #expect(
            await code { try await activator.activate(try other.activation(from: stolen)) }
                == .invalidInvitation)
        // It's spent by that.
        #expect(
            await code { try await activator.activate(try mine.activation(from: good)) }
                == .invalidInvitation)
        #expect(try await phone.authenticator.enrollments().count == 1)
    }

    @Test func `after a lost reply only a new login helps, and the error says so`() async throws {
        let (login, callback) = try await login()
        await phone.fail(.activation, .dropAfter)
        let activation = try login.activation(from: callback)
        let error = await #expect(throws: PushError.self) {
            try await activator.activate(activation)
        }
        #expect(error?.code == .interrupted)
        #expect(error?.reason.contains("start again from the beginning") == true)
        #expect(try await phone.authenticator.enrollments().isEmpty)
        #expect(await code { try await activator.activate(activation) } == .invalidInvitation)
        let (second, next) = try await self.login()
        _ = try await activator.activate(try second.activation(from: next))
    }

    // MARK: What the server says of a provider

    @Test func `a provider that the server doesn't know is a refusal`() async throws {
        let error = await #expect(throws: PushError.self) {
            try await activator.startLogin(at: "nobody")
        }
        #expect(error?.code == .server(status: 400))
        #expect(error?.underlying as? PowerAuthErrorCode == .applicationConfigurationError)
    }

    @Test(arguments: [
        ("providerId", JSON.string("other")), ("providerId", nil), ("clientId", ""),
        ("clientId", nil), ("scopes", 7), ("authorizeUri", "not a page"), ("authorizeUri", nil),
        ("authorizeUri", "https://login.example/#x"), ("authorizeUri", "javascript:alert(1)"),
        ("redirectUri", "nothing"), ("redirectUri", "a:/b?c=d"), ("redirectUri", nil),
        ("redirectUri", "a:/b c"),
    ])
    func `a configuration that can't be used opens no page`(
        _ member: String, _ value: JSON?
    ) async throws {
        await bank.simulator.spoil(by: .replaced(member: member, value: value), at: .provider)
        #expect(await code { try await activator.startLogin(at: "bank") } == .malformed)
    }

    @Test func `a page without TLS is refused`() async throws {
        let page: JSON = "http://login.powerauth.example/authorize"
        await bank.simulator.spoil(
            by: .replaced(member: "authorizeUri", value: page), at: .provider)
        #expect(await code { try await activator.startLogin(at: "bank") } == .insecureRequest)
    }

    @Test(arguments: [PowerAuthSimulator.BadAnswer.tampered, .wrongKey])
    func `a configuration that isn't the server's is refused`(
        _ fault: PowerAuthSimulator.BadAnswer
    ) async throws {
        await bank.simulator.spoil(by: fault, at: .provider)
        #expect(await code { try await activator.startLogin(at: "bank") } == .untrusted)
    }

    /// One `Character` of a hundred thousand marks takes the square of that to compare.
    @Test(.timeLimit(.minutes(5)))
    func `a link of any length costs what its length is, and is none`() async throws {
        let (login, callback) = try await login()
        let marks = String(repeating: "\u{327}\u{301}", count: 50_000)
        let encoded = String(repeating: "%CC%A7%CC%81", count: 50_000)
        for marks in [marks, encoded] {
            for link in [
                marks, callback + marks, "\(callback)&\(marks)=1", "\(callback)&state=\(marks)",
                "\(callback)#\(marks)", callback.replacingOccurrences(of: "?", with: "?\(marks)&"),
                callback.replacingOccurrences(of: "state=", with: "state=\(marks)"),
                callback.replacingOccurrences(of: "code=", with: "code\(marks)="),
            ] {
                _ = try? login.activation(from: link)
            }
            #expect(throws: PushError.self) {
                try login.activation(
                    from: callback.replacingOccurrences(of: "state=", with: "state=\(marks)"))
            }
        }
    }

    @Test func `a key that the server lost is replaced once`() async throws {
        _ = try await activator.startLogin(at: "bank")
        await bank.simulator.forgetTemporaryKeys()
        _ = try await activator.startLogin(at: "bank")
        #expect(await phone.calls(.keystore) == 2)
        #expect(await phone.calls(.provider) == 3)
    }

    @Test func `neither state, nonce nor proof key shows in what is printed`() async throws {
        let (login, callback) = try await login()
        let activation = try login.activation(from: callback)
        var shown = "\(activation)"
        dump(activation, to: &shown)
        let found = fields(callback)
        for secret in [found["code"], found["state"], fields(login.url)["nonce"]] {
            #expect(!shown.contains(try #require(secret)))
        }
    }
}
