#if os(Linux)
import ExternalTool
import Foundation
import HTTPTypes
import PushCore
import PushPlatform
import PushTesting
import Testing

/// Who a curl transport says it is, and how many connections it opens.
struct CurlTransportClientTests {
    /// Says who the client is by its certificate's subject; it refuses a client without one.
    private static let server = """
        import http.server, ssl, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            def do_GET(self):
                subject = self.connection.getpeercert()['subject']
                body = repr(subject).encode()
                self.send_response(200)
                self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def log_message(self, *arguments): pass
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.maximum_version = getattr(ssl.TLSVersion, sys.argv[4])
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        context.load_verify_locations(sys.argv[3])
        context.verify_mode = ssl.CERT_REQUIRED
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """

    private struct Site {
        let files: TLSFiles
        let process: ServerProcess
        let authority: String

        init(_ version: String) async throws {
            files = try TLSFiles()
            let own = try files.certificate(
                "server", subject: "/O=server", hosts: ["IP:127.0.0.1"])
            process = try ServerProcess(
                [
                    "python3", "-c", CurlTransportClientTests.server, own.certificate, own.key,
                    files.authority, version,
                ], log: URL(fileURLWithPath: files.folder.path("log")))
            while !process.output.contains("\n"), process.isRunning {
                try await Task.sleep(for: .milliseconds(20))
            }
            authority =
                "127.0.0.1:" + process.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        func transport(
            _ certificate: CurlTransport.ClientCertificate?, pins: ServerPins = ServerPins()
        ) -> CurlTransport {
            CurlTransport(
                .init(
                    certificateAuthorities: .file(files.authority), clientCertificate: certificate,
                    pins: pins))
        }

        var request: HTTPRequest {
            HTTPRequest(method: .get, scheme: "https", authority: authority, path: "/")
        }
    }

    @Test(.enabled(if: ExternalTool.hasPython), arguments: ["TLSv1_2", "TLSv1_3"])
    func `shows its certificate to a server that asks for one`(version: String) async throws {
        let site = try await Site(version)
        let own = try site.files.certificate("client", subject: "/O=the client of this test")
        let transport = site.transport(.files(certificate: own.certificate, key: own.key))
        let (response, body) = try await transport.send(site.request, body: Data())
        #expect(response.status == .ok)
        #expect(String(decoding: body, as: UTF8.self).contains("the client of this test"))
    }

    @Test(.enabled(if: ExternalTool.hasPython), arguments: ["TLSv1_2", "TLSv1_3"])
    func `without one, or with another authority's, it gets no reply`(
        version: String
    ) async throws {
        let site = try await Site(version)
        let strange = try TLSFiles().certificate("client", subject: "/O=stranger")
        for certificate in [
            nil,
            CurlTransport.ClientCertificate.files(
                certificate: strange.certificate, key: strange.key),
        ] {
            let error = try await refusal {
                try await site.transport(certificate).send(site.request, body: Data())
            }
            // In TLS 1.3 a client has sent its request when the server's refusal comes.
            #expect(
                error.code == .unreachable || version == "TLSv1_3" && error.code == .interrupted)
        }
    }

    @Test(.enabled(if: ExternalTool.hasPython))
    func `a key of the verified chain is pinned, or nothing is sent`() async throws {
        let site = try await Site("TLSv1_3")
        let own = try site.files.certificate("client", subject: "/O=pinned")
        let client = CurlTransport.ClientCertificate.files(
            certificate: own.certificate, key: own.key)
        func transport(pinning certificate: String) throws -> CurlTransport {
            let der = try #require(
                ExternalTool.openSSL.run(["x509", "-in", certificate, "-outform", "DER"]))
            let pins = [
                try ServerPin(certificate: der), try ServerPin(digest: Data(count: 32)),
            ]
            return site.transport(
                client, pins: try ServerPins([.init(host: "127.0.0.1", pins: pins)]))
        }
        for pinned in [site.files.folder.path("server.pem"), site.files.authority] {
            let reply = try await transport(pinning: pinned).send(site.request, body: Data())
            #expect(reply.response.status == .ok)
        }
        let error = try await refusal {
            try await transport(pinning: own.certificate).send(site.request, body: Data())
        }
        #expect(error.code == .pinMismatch)
    }

    @Test(.enabled(if: ExternalTool.hasPython))
    func `a certificate that can't be used is no reason of the server's`() async throws {
        let site = try await Site("TLSv1_3")
        let one = try site.files.certificate("one", subject: "/O=one")
        let other = try site.files.certificate("other", subject: "/O=other")
        let files = [
            (one.certificate, site.files.folder.path("missing")), ("/nonexistent", one.key),
            (one.certificate, other.key), (one.key, one.key),
        ]
        for (certificate, key) in files {
            let transport = site.transport(.files(certificate: certificate, key: key))
            let error = try await refusal { try await transport.send(site.request, body: Data()) }
            #expect(error.code == .unreachable)
            #expect(error.reason.contains("client certificate"))
        }
    }

    @Test func `no more connections are open than it may open, and all get their reply`()
        async throws
    {
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil {
                Thread.sleep(forTimeInterval: 0.01)
                connection.reply()
            }
        }
        let transport = CurlTransport(.init(plainHTTP: .loopbackOnly, maximumConnections: 3))
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    try await transport.send(.get(server), body: Data()).response.status.code
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 40))
        #expect((1...3).contains(server.connectionCount))
    }
}
#endif
