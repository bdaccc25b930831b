import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// The hosts that an enrollment code may lead to. Whoever made the code chose them.
@Suite struct HostTests {
    private func url(_ authority: String) -> String {
        base64url("https://\(authority)/push?_action=register")
    }

    private func offer(
        _ registration: String, _ authentication: String,
        _ configuration: ForgeRock.Configuration = .init()
    ) throws -> Invitation.Offer {
        let harness = try ForgeRockHarness(configuration: configuration)
        let code = EnrollmentCode().with("r", url(registration)).with("a", url(authentication))
        return try #require(try harness.authenticator.offers(for: .scanned(text: code.text)).first)
    }

    private static let local = [
        "127.0.0.1", "127.0.0.1:8443", "10.0.0.1", "[::1]", "[::1]:8443", "localhost",
        "LOCALHOST:8443", "localhost.", "am.localhost", "[fe80::1]", "203.0.113.7",
        "[2001:db8::1]",
    ]

    @Test(arguments: local)
    func `a code that leads to an address or this machine is refused unless the app allows it`(
        authority: String
    ) throws {
        for (one, other) in [
            (authority, "am.example.com"), ("am.example.com", authority), (authority, authority),
        ] {
            let error = try #require(throws: PushError.self) { _ = try offer(one, other) }
            #expect(error.code == .invalidInvitation)
            #expect(error.provider == "forgerock")
            #expect(error.reason.contains(one == authority ? "\"r\"" : "\"a\""))
            #expect(try offer(one, other, .init(allowsLocalHosts: true)).host != nil)
        }
    }

    @Test(arguments: ["0x7f.1", "2130706433", "127.1", "1.2.3.08", "0x7f000001"])
    func `no other spelling of an address is a name`(authority: String) {
        #expect(throws: PushError.self) { _ = try offer(authority, "am.example.com") }
        #expect(throws: PushError.self) { _ = try offer("am.example.com", authority) }
    }

    @Test func `every host that a code leads to is in the offer`() throws {
        #expect(
            try offer("am.example.com", "am.example.com:8443").host
                == "am.example.com, am.example.com:8443")
        #expect(
            try offer("am.example.com", "answers.example.net").host
                == "am.example.com, answers.example.net")
    }

    @Test func `hosts that can't be shown together make no offer`() throws {
        let long = [String](repeating: String(repeating: "a", count: 60), count: 4)
            .joined(separator: ".")
        #expect(try offer(long, long).host == long)
        let error = try #require(throws: PushError.self) {
            _ = try offer(long, "answers.example.net")
        }
        #expect(error.code == .invalidInvitation)
    }

    @Test func `where the app names its hosts, a code may lead to no other`() throws {
        let configuration = ForgeRock.Configuration(
            allowedHosts: ["am.example.com", "AM2.example.com."], allowsLocalHosts: true)
        #expect(try offer("am.example.com", "AM.Example.com.:8443", configuration).host != nil)
        #expect(try offer("am2.example.com", "am.example.com", configuration).host != nil)
        for (one, other) in [
            ("am.example.com", "evil.example"), ("evil.example", "am.example.com"),
            ("x.am.example.com", "am.example.com"), ("127.0.0.1", "am.example.com"),
        ] {
            let error = try #require(throws: PushError.self) {
                _ = try offer(one, other, configuration)
            }
            #expect(error.code == .invalidInvitation)
        }
    }

    @Test(arguments: ["::1", "[::1]"])
    func `an address that the app names is allowed, with brackets or without`(host: String) throws {
        let configuration = ForgeRock.Configuration(allowedHosts: [host])
        #expect(try offer("[::1]", "[::1]:8443", configuration).host == "::1, [::1]:8443")
        #expect(throws: PushError.self) { _ = try offer("[::1]", "[::2]", configuration) }
    }

    @Test func `an offer that was made elsewhere is checked again`() async throws {
        let code = EnrollmentCode().with("a", url("evil.example"))
        let lenient = try ForgeRockHarness()
        let offer = try #require(
            try lenient.authenticator.offers(for: .scanned(text: code.text)).first)
        let strict = try ForgeRockHarness(configuration: .init(allowedHosts: ["am.example.com"]))
        try await strict.authenticator.deviceTokenChanged(.fcm("x"))
        let error = try await refusal { _ = try await strict.authenticator.enroll(offer) }
        #expect(error.code == .invalidInvitation)
        #expect(await strict.transport.exchanges.isEmpty)
    }
}
