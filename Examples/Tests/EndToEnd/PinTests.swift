import Foundation
import HTTPTypes
import LocalServer
import NIOSSL
import PushCore
import PushPlatform
import PushTesting
import Testing

@Suite struct `A server with pins` {
    enum Link: CaseIterable {
        case leaf, intermediate, root
    }

    @Test(arguments: Link.allCases)
    func `is talked to if any key of its verified chain is pinned`(link: Link) async throws {
        try await run { chain, server in
            let pin =
                switch link {
                case .leaf: try chain.leaf.pin
                case .intermediate: try chain.intermediate.pin
                case .root: try chain.root.pin
                }
            let transport = try chain.transport([pin])
            let (response, body) = try await transport.send(server.request(), body: Data())
            #expect(response.status == .ok && body == Data("OK".utf8))
        }
    }

    @Test func `isn't sent a byte if none of its keys is pinned`() async throws {
        try await run { chain, server in
            let error = await server.failure(of: try chain.transport([try stranger().pin]))
            #expect(error?.code == .pinMismatch)
            #expect(error?.reason.contains("127.0.0.1") == true)
            #expect(server.connections.count == 1 && server.receivedBytes == 0)
        }
    }

    @Test func `without a pinned key is a security event`() async throws {
        try await run { chain, server in
            let observer = RecordingObserver()
            let environment = PushEnvironment(
                transport: try chain.transport([try stranger().pin]), store: InMemoryStore(),
                verifier: ScriptedVerifier.willing(), device: Device(name: "test"),
                observer: observer)
            await #expect(throws: PushError.self) {
                try await environment.transport.send(server.request(), body: Data())
            }
            #expect(observer.observations.map(\.kind) == [.security(.pinMismatch)])
        }
    }

    @Test func `isn't sent a byte for a pinned certificate that it merely shows`() async throws {
        let shown = try stranger()
        try await run(showing: [shown]) { chain, server in
            let error = await server.failure(of: try chain.transport([try shown.pin]))
            #expect(error?.code == .pinMismatch)
            #expect(server.connections.count == 1 && server.receivedBytes == 0)
            // It isn't the extra certificate that it fails for.
            _ = try await chain.transport([try chain.leaf.pin]).send(server.request(), body: Data())
        }
    }

    @Test func `isn't trusted for its pinned keys if its chain doesn't hold`() async throws {
        try await run { chain, server in
            let other = try CertificateChain()
            defer { other.remove() }
            let pins = try [chain.leaf.pin, chain.intermediate.pin, chain.root.pin]
            let error = await server.failure(of: try other.transport(pins))
            #expect(error?.code == .untrustedServer)
            #expect(server.receivedBytes == 0)
        }
    }

    @Test func `isn't trusted for its pinned keys if it is another host`() async throws {
        try await run(as: "acme.test") { chain, server in
            let error = await server.failure(of: try chain.transport([try chain.leaf.pin]))
            #expect(error?.code == .untrustedServer)
            #expect(server.receivedBytes == 0)
        }
    }

    @Test func `doesn't change how others are treated`() async throws {
        try await run { chain, server in
            let transport = try chain.transport([try stranger().pin], for: "acme.test")
            _ = try await transport.send(server.request(), body: Data())
            let other = try CertificateChain()
            defer { other.remove() }
            let distrustful = try other.transport([try stranger().pin], for: "acme.test")
            #expect(await server.failure(of: distrustful)?.code == .untrustedServer)
        }
    }

    @Test(arguments: ["localhost", "LOCALHOST", "a.localhost", "b.a.LocalHost"])
    func `is known by its name, and with it what is below`(host: String) async throws {
        try await run(as: host.lowercased()) { chain, server in
            let good = try chain.transport(
                [try chain.leaf.pin], for: "LocalHost", includesSubdomains: true)
            _ = try await good.send(server.request(to: host), body: Data())
            let bytes = server.receivedBytes
            let bad = try chain.transport(
                [try stranger().pin], for: "localhost.", includesSubdomains: true)
            #expect(await server.failure(of: bad, to: host)?.code == .pinMismatch)
            #expect(server.receivedBytes == bytes)
        }
    }

    @Test func `can't be reached by another notation of its address`() async throws {
        try await run { chain, server in
            let transport = try chain.transport([try stranger().pin])
            for host in ["2130706433", "0x7f.1", "127.1", "0177.0.0.1"] {
                #expect(await server.failure(of: transport, to: host)?.code == .insecureRequest)
            }
            #expect(server.connections.isEmpty)
        }
    }

    @Test func `isn't talked to without TLS, on this machine either`() async throws {
        try await run { chain, server in
            let transport = try chain.transport([try chain.leaf.pin])
            var request = server.request()
            request.scheme = "http"
            let error = await failure { () async throws(PushError) in
                try await transport.send(request, body: Data())
            }
            #expect(error?.code == .insecureRequest)
            #expect(server.connections.isEmpty)
        }
    }

    @Test func `keeps its connection for the next request`() async throws {
        try await run { chain, server in
            let transport = try chain.transport([try chain.leaf.pin])
            for _ in 0..<3 { _ = try await transport.send(server.request(), body: Data()) }
            #expect(server.connections.count == 1)
        }
    }

    @Test func `is checked again on each connection`() async throws {
        let chain = try CertificateChain()
        defer { chain.remove() }
        let impostor = try TestCertificate.server("127.0.0.1", issuer: chain.intermediate)
        try await TappedServer.run(
            chain.tlsConfiguration(), impostor.tlsConfiguration([chain.intermediate]),
            keepsOpen: false
        ) { server in
            let transport = try chain.transport([try chain.leaf.pin])
            _ = try await transport.send(server.request(), body: Data())
            let bytes = server.receivedBytes
            #expect(await server.failure(of: transport)?.code == .pinMismatch)
            #expect(server.connections.count == 2 && server.receivedBytes == bytes)
        }
    }

    /// Under TLS 1.2 certificates go unencrypted, so that a resumption, which needs none, shows.
    @Test func `shows its chain each time, as no session is resumed`() async throws {
        let chain = try CertificateChain()
        defer { chain.remove() }
        var settings = try chain.tlsConfiguration()
        settings.maximumTLSVersion = .tlsv12
        try await TappedServer.run(settings, keepsOpen: false) { server in
            let transport = try chain.transport([try chain.leaf.pin])
            for _ in 0..<3 { _ = try await transport.send(server.request(), body: Data()) }
            let leaf = try chain.leaf.bytes
            #expect(server.connections.count == 3)
            #expect(server.connections.allSatisfy { $0.sent.range(of: leaf) != nil })
        }
    }

    @Test func `is judged by each transport's own pins`() async throws {
        try await run { chain, server in
            let unpinned = CurlTransport(
                .init(certificateAuthorities: .file(chain.rootFile.path)))
            let good = try chain.transport([try chain.leaf.pin])
            let bad = try chain.transport([try stranger().pin])
            for _ in 0..<2 {
                _ = try await unpinned.send(server.request(), body: Data())
                _ = try await good.send(server.request(), body: Data())
                #expect(await server.failure(of: bad)?.code == .pinMismatch)
            }
        }
    }

    @Test func `answers many requests at once, and none of them is lost or let through`()
        async throws
    {
        try await run { chain, server in
            let good = try chain.transport([try chain.leaf.pin])
            let bad = try chain.transport([try stranger().pin])
            let codes = await withTaskGroup(of: PushError.Code?.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        await server.failure(of: number.isMultiple(of: 2) ? good : bad)?.code
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.count { $0 == nil } == 20)
            #expect(codes.count { $0 == .pinMismatch } == 20)
        }
    }

    @Test(arguments: [false, true])
    func `is checked over HTTP/2 as well`(isPinned: Bool) async throws {
        let authority = try LocalAuthority()
        defer { authority.removeFile() }
        let identity = try authority.identity()
        let server = try await LocalServer.start(.modern(identity)) { _, _ in
            (HTTPResponse(status: .ok), Data())
        }
        guard case .certificate(let leaf) = try identity.tlsConfiguration().certificateChain[0]
        else { throw CancellationError() }
        let pin = try ServerPin(certificate: Data(leaf.toDERBytes()))
        let others = try [stranger().pin, stranger().pin]
        let rules = try ServerPins([
            .init(host: "127.0.0.1", pins: isPinned ? [pin] + others : others)
        ])
        let transport = CurlTransport(
            .init(
                certificateAuthorities: .file(authority.certificateFile.path), pins: rules))
        let error = await failure { () async throws(PushError) in
            try await transport.send(
                HTTPRequest(
                    method: .get, scheme: "https", authority: server.authority, path: "/"),
                body: Data())
        }
        #expect(error?.code == (isPinned ? nil : .pinMismatch))
        #expect(server.traffic.http2Requests == (isPinned ? 1 : 0))
        await server.stop()
    }

    // MARK: Shared

    /// A certificate that nobody here vouches for.
    private func stranger() throws -> TestCertificate {
        try .authority("Stranger \(UUID().uuidString)")
    }

    private func run(
        as host: String = "127.0.0.1", showing extra: [TestCertificate] = [],
        test: (CertificateChain, TappedServer) async throws -> Void
    ) async throws {
        let chain = try CertificateChain(for: host)
        defer { chain.remove() }
        try await TappedServer.run(chain.tlsConfiguration(extra)) { server in
            try await test(chain, server)
        }
    }
}
