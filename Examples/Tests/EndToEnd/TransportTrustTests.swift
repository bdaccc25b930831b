import Foundation
import HTTPTypes
import LocalServer
import NIOSSL
import PushCore
import PushPlatform
import Testing

@Suite struct `A server that can't be trusted` {
    @Test(arguments: Wire.encrypted)
    func `isn't sent anything if its certificate names another host`(wire: Wire) async throws {
        try await expectDistrust(wire) { try $0.identity(for: "acme.test") }
    }

    @Test(arguments: Wire.encrypted)
    func `isn't sent anything if its certificate is out of date`(wire: Wire) async throws {
        try await expectDistrust(wire, "has expired by this machine's clock") {
            try $0.identity(lifetime: -7200 ... -3600)
        }
    }

    @Test(arguments: Wire.encrypted)
    func `isn't sent anything if its certificate isn't valid yet`(wire: Wire) async throws {
        try await expectDistrust(wire, "isn't valid yet by this machine's clock") {
            try $0.identity(lifetime: 3600...7200)
        }
    }

    @Test(arguments: Wire.encrypted)
    func `isn't sent anything if another authority vouches for it`(wire: Wire) async throws {
        let stranger = try LocalAuthority()
        defer { stranger.removeFile() }
        try await expectDistrust(wire) { _ in try stranger.identity() }
    }

    @Test(arguments: Wire.encrypted)
    func `isn't sent anything if it vouches for itself`(wire: Wire) async throws {
        try await expectDistrust(wire) { _ in try LocalIdentity.selfSigned() }
    }

    @Test func `isn't sent anything if only a local authority vouches for it`() async throws {
        try await TransportSite.run(
            .secure, handler: { _, _ in (HTTPResponse(status: .ok), Data()) },
            test: { site in
                let error = await failure { () async throws(PushError) in
                    try await CurlTransport().send(site.request(.post), body: Data("x".utf8))
                }
                #expect(error?.code == .untrustedServer)
                #expect(site.server.traffic.connections == 0)
            })
    }

    @Test func `isn't sent anything if it speaks nothing newer than TLS 1.1`() async throws {
        let authority = try LocalAuthority()
        defer { authority.removeFile() }
        var settings = try authority.identity().tlsConfiguration()
        settings.minimumTLSVersion = .tlsv1
        settings.maximumTLSVersion = .tlsv11
        let server = try await RawServer.start(settings, reply: "HTTP/1.1 200 OK\r\n\r\n")
        let error = await failure { () async throws(PushError) in
            try await server.send(trusting: authority)
        }
        // Debian's OpenSSL refuses it by its own policy, too; where it doesn't, the transport must.
        #expect(error?.code == .unreachable)
        #expect(server.requestCount == 0)
        await server.stop()
    }

    private func expectDistrust(
        _ wire: Wire, _ why: String = "doesn't hold",
        _ identity: (LocalAuthority) throws -> LocalIdentity
    ) async throws {
        let authority = try LocalAuthority()
        defer { authority.removeFile() }
        let server = try await LocalServer.start(
            wire.served(with: try identity(authority)),
            handler: { _, _ in (HTTPResponse(status: .ok), Data()) })
        let transport = CurlTransport(
            .init(certificateAuthorities: .file(authority.certificateFile.path)))
        let request = HTTPRequest(
            method: .post, scheme: "https", authority: server.authority, path: "/")
        let error = await failure { () async throws(PushError) in
            try await transport.send(request, body: Data("x".utf8))
        }
        #expect(error?.code == .untrustedServer)
        #expect(error?.reason.hasSuffix("\(why).") == true, "\(error?.reason ?? "")")
        #expect(server.traffic.connections == 0)
        await server.stop()
    }
}
