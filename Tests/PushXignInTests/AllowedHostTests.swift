import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import Testing

/// Where an activation link may lead.
@Suite struct AllowedHostTests: JoiningSuite {
    let joining: Joining

    init() throws { joining = try Joining() }

    private func offer(
        _ origin: String, _ change: (inout XignIn.Configuration) -> Void = { _ in }
    ) async throws -> Invitation.Offer? {
        var configuration = Phone.quick
        change(&configuration)
        let phone = try Phone([manager], configuration: configuration)
        var members = await manager.linkMembers(secret: secret)
        members["mgr"] = .string(origin)
        return try phone.authenticator.offers(for: .scanned(text: Manager.link(members))).first
    }

    static let local = [
        "https://127.0.0.1", "https://10.0.0.1:8443", "https://[::1]", "https://[fe80::1]:8443",
        "https://[::ffff:10.0.0.1]", "https://2130706433", "https://0x7f000001", "https://127.1",
        "https://0x7f.1", "https://127.0.0.1.", "https://localhost", "https://localhost:8443",
        "https://localhost.", "https://idm.localhost",
    ]

    @Test(arguments: local)
    func `a link to an address or to this machine is refused`(origin: String) async throws {
        let error = try await refusal { _ = try await offer(origin) }
        #expect(error.code == .invalidInvitation)
        #expect(await manager.requests.isEmpty)
    }

    @Test(arguments: [
        "https://127.0.0.1", "https://10.0.0.1:8443", "https://[::1]", "https://localhost",
        "https://localhost:8443", "https://idm.localhost",
    ])
    func `tests and simulators may allow it`(origin: String) async throws {
        let offer = try await offer(origin) { $0.allowsLocalHosts = true }
        let host = try #require(offer?.host)
        #expect(origin.contains(host))
    }

    @Test func `where hosts are listed, a link leads to one of them`() async throws {
        let listed: (inout XignIn.Configuration) -> Void = {
            $0.allowedHosts = ["IDM.example.com", "127.0.0.1"]
        }
        #expect(try await offer("https://idm.example.com", listed)?.host == "idm.example.com")
        #expect(
            try await offer("https://idm.example.com:8443", listed)?.host == "idm.example.com:8443")
        #expect(try await offer("https://127.0.0.1", listed)?.host == "127.0.0.1")
        for origin in [
            "https://evil.example", "https://example.com", "https://x.idm.example.com",
            "https://idm.example.com.evil.example", "https://10.0.0.1",
        ] {
            let error = try await refusal { _ = try await offer(origin, listed) }
            #expect(error.code == .invalidInvitation, "\(origin)")
        }
    }

    @Test(arguments: [
        ("https://idm.example.com.", "idm.example.com"),
        ("https://idm.example.com", "IDM.Example.com."),
        ("https://[::1]:8443", "::1"), ("https://[::1]", "[::1]"),
    ])
    func `a dot at the end and an address's brackets make no difference`(
        origin: String, host: String
    ) async throws {
        #expect(try await offer(origin) { $0.allowedHosts = [host] } != nil)
        let error = try await refusal { _ = try await offer(origin) { $0.allowedHosts = ["::2"] } }
        #expect(error.code == .invalidInvitation)
    }

    @Test func `plain HTTP for tests opens this machine alone`() async throws {
        for origin in ["http://127.0.0.1:8080", "http://localhost", "http://[::1]:80"] {
            #expect(try await offer(origin) { $0.allowsPlainHTTP = true } != nil, "\(origin)")
        }
        for origin in ["http://10.0.0.1", "https://10.0.0.1", "http://idm.example.com"] {
            let error = try await refusal {
                _ = try await offer(origin) { $0.allowsPlainHTTP = true }
            }
            #expect(error.code == .invalidInvitation, "\(origin)")
        }
    }

    @Test func `an offer that was made before isn't enrolled against the configuration`()
        async throws
    {
        let text = Manager.link(await manager.linkMembers(secret: secret))
        let offer = try #require(
            phone.authenticator.offers(for: .scanned(text: text)).first)
        var configuration = Phone.quick
        configuration.allowedHosts = ["other.example"]
        let strict = try Phone([manager], configuration: configuration)
        let error = try await refusal { _ = try await strict.authenticator.enroll(offer) }
        #expect(error.code == .invalidInvitation)
        #expect(await manager.requests.isEmpty)
    }

    @Test func `the one host that a link leads to is in the offer`() async throws {
        let text = await link()
        let offer = try #require(phone.authenticator.offers(for: .scanned(text: text)).first)
        #expect(offer.host == WorkedExample.manager)
        let enrollment = try await phone.authenticator.enroll(offer)
        #expect(enrollment.server == Endpoint.ServerID(host: WorkedExample.manager, of: "xignin"))
        let hosts = await phone.transport.exchanges.compactMap(\.request.authority)
        #expect(Set(hosts) == [WorkedExample.manager])
    }
}
