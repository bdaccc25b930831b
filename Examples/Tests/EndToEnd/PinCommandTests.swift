import Foundation
import HTTPTypes
import LocalServer
import NIOSSL
import PushCore
import PushPlatform
import Testing

@Suite struct `push-lab pin` {
    private let program = Program("push-lab")

    // MARK: Files

    @Test func `prints the pins of a file as OpenSSL computes them`() async throws {
        try await withChain { chain in
            let certificates = [chain.leaf, chain.intermediate, chain.root]
            var text = "What follows was copied from a mail.\n\n"
            for certificate in certificates { text += try certificate.pem + "\n" }
            let file = try write(Data(text.utf8), "chain.pem", in: chain)
            let report = try await report([file])
            var computed: [String] = []
            for certificate in certificates {
                computed.append("sha256/" + (try await openSSLPin(of: certificate, in: chain)))
            }
            #expect(try pins(in: report) == computed)
            #expect(
                report["certificates"]?.array?.map { $0["role"]?.string }
                    == ["leaf", "authority", "authority"])
            #expect(report["certificates"]?.array?.first?["subject"] == "CN=127.0.0.1")
            #expect(report["trusted"] == nil)
        }
    }

    @Test func `reads one certificate in DER`() async throws {
        try await withChain { chain in
            let file = try write(try chain.leaf.bytes, "leaf", in: chain)
            #expect(try pins(in: await report([file])) == [chain.leaf.pin.description])
        }
    }

    @Test func `says of a file that nothing was verified, and what to do`() async throws {
        try await withChain { chain in
            let result = try await program.run(["pin", chain.rootFile.path])
            #expect(result.exitCode == 0 && result.errors.isEmpty)
            #expect(result.output.contains("holds 1 certificate; nothing was verified"))
            #expect(result.output.contains(try chain.root.pin.description))
            #expect(result.output.contains("over another channel"))
            #expect(result.output.contains("kept in reserve"))
            #expect(!result.output.contains("\u{1B}"))
        }
    }

    @Test func `shows no control character of a name`() async throws {
        try await withChain { chain in
            let hostile = try TestCertificate.authority("Acme\u{1B}[2J\u{202E}\n\u{7}Inc")
            let file = try write(Data(hostile.pem.utf8), "hostile.pem", in: chain)
            let result = try await program.run(["pin", file])
            #expect(result.exitCode == 0)
            #expect(result.output.contains("Acme?[2J"))
            let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(
                lines.joined().unicodeScalars.allSatisfy {
                    ![.control, .format].contains($0.properties.generalCategory)
                })
        }
    }

    @Test func `says what is wrong with a file`() async throws {
        try await withChain { chain in
            let text = try write(Data("no certificate".utf8), "text", in: chain)
            let cut = try write(try chain.leaf.bytes.dropLast(), "cut.der", in: chain)
            let long = try write(try chain.leaf.bytes + [0], "long.der", in: chain)
            let broken = try write(
                Data("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8),
                "broken.pem", in: chain)
            for file in [text, cut, long, broken] {
                try await expectFailure(["pin", file], "no certificate in \(file)")
            }
            let empty = try write(Data(), "empty", in: chain)
            try await expectFailure(["pin", empty], "empty or can't be read")
            try await expectFailure(["pin", empty + ".pem"], "There is no file")
            try await expectFailure(["pin", chain.directory.path], "is a directory")
        }
    }

    // MARK: Servers

    @Test func `prints a server's chain as presented, and that it holds`() async throws {
        try await withChain { chain in
            try await TappedServer.run(chain.tlsConfiguration()) { server in
                let report = try await report([
                    "127.0.0.1:\(server.port)", "--authorities", chain.rootFile.path,
                ])
                #expect(
                    try pins(in: report)
                        == [chain.leaf.pin.description, chain.intermediate.pin.description])
                #expect(report["trusted"] == true && report["problem"] == nil)
                #expect(
                    report["certificates"]?.array?.map { $0["role"]?.string }
                        == ["leaf", "authority"])
                #expect(server.receivedBytes == 0)
            }
        }
    }

    @Test func `shows a chain that nobody vouches for, and warns of it first`() async throws {
        try await withChain { chain in
            try await TappedServer.run(chain.tlsConfiguration()) { server in
                let result = try await program.run(["pin", "127.0.0.1:\(server.port)"])
                #expect(result.exitCode == 0)
                #expect(result.output.hasPrefix("WARNING: THIS CHAIN IS NOT TRUSTED."))
                #expect(result.output.contains(try chain.leaf.pin.description))
                let report = try await report(["127.0.0.1:\(server.port)"])
                #expect(report["trusted"] == false && report["problem"] != nil)
            }
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `says that a certificate is for another host`(host: String) async throws {
        let chain = try CertificateChain(for: "acme.test")
        defer { chain.remove() }
        try await TappedServer.run(chain.tlsConfiguration()) { server in
            let report = try await report([
                "\(host):\(server.port)", "--authorities", chain.rootFile.path,
            ])
            #expect(report["trusted"] == false)
            #expect(report["problem"] == .string("It isn't for \(host)."))
        }
    }

    @Test func `says why a server can't be seen`() async throws {
        try await expectFailure(["pin", "acme.invalid"], "acme.invalid can't be reached")
        try await TransportSite.run(
            .plain, handler: { _, _ in (.init(status: .ok), Data()) },
            test: { site in
                let authority = site.server.authority
                try await expectFailure(
                    ["pin", authority], "The TLS handshake with \(authority) failed")
            })
        try await expectFailure(
            ["pin", "acme.invalid", "--authorities", "/dev/null"], "no certificate in /dev/null")
    }

    // MARK: Usage

    @Test(arguments: [
        ["https://acme.test"], ["acme.test:"], ["acme.test:0"], ["acme.test:65536"], ["a b"], [""],
        ["user@acme.test"], [], ["a.pem", "--authorities", "b.pem"],
    ])
    func `refuses what is neither a file nor a host`(arguments: [String]) async throws {
        let result = try await program.run(["pin"] + arguments)
        #expect(result.exitCode == 64)
        #expect(result.errors.contains("Error: ") && result.output.isEmpty)
        #expect(result.errors.contains("push-lab pin"))
    }

    @Test func `explains itself`() async throws {
        let result = try await program.run(["pin", "--help"])
        #expect(result.exitCode == 0)
        for word in ["--authorities", "--json", "RFC 7469", "Exit codes"] {
            #expect(result.output.contains(word))
        }
    }

    // MARK: Shared

    private func withChain(_ test: (CertificateChain) async throws -> Void) async throws {
        let chain = try CertificateChain()
        defer { chain.remove() }
        try await test(chain)
    }

    private func write(
        _ bytes: Data, _ name: String, in chain: CertificateChain
    ) throws -> String {
        let file = chain.directory.appendingPathComponent(name)
        try bytes.write(to: file)
        return file.path
    }

    private func report(_ arguments: [String]) async throws -> JSON {
        let result = try await program.run(["pin", "--json"] + arguments)
        #expect(result.exitCode == 0, "\(result.errors)")
        return try JSON(parsing: Data(result.output.utf8))
    }

    private func pins(in report: JSON) throws -> [String?] {
        try #require(report["certificates"]?.array).map { $0["pin"]?.string }
    }

    private func expectFailure(_ arguments: [String], _ text: String) async throws {
        let result = try await program.run(arguments)
        #expect(result.exitCode == 1)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("Error: ") && result.errors.contains(text), "\(result)")
    }

    /// The pin by OpenSSL's command line, as its documentation has it.
    private func openSSLPin(
        of certificate: TestCertificate, in chain: CertificateChain
    ) async throws -> String {
        let file = try write(Data(certificate.pem.utf8), "certificate.pem", in: chain)
        let script = """
            openssl x509 -in "$1" -pubkey -noout | openssl pkey -pubin -outform der \
            | openssl dgst -sha256 -binary | base64
            """
        let result = try await Program(at: URL(fileURLWithPath: "/bin/sh"))
            .run(["-c", script, "sh", file])
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
