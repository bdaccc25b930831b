import Foundation
import LocalServer
import PushCore
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// The APNs intake and client certificates, with curl and openssl as senders.
struct ClientCertificateTests {
    private let topic = ProviderKey.usualTopic

    @Test func `the certificate that is written is enough to send`() async throws {
        try await APNsSite.listen { site in
            let alone = try await site.curl.push("--cert", site.own, "--key", site.own)
            #expect(alone == "200")
            #expect(await site.pushes.next()?.message.content == ["aps": [:]])
            for (header, reply) in [
                ("apns-topic: \(topic)", "200"), ("authorization: bearer x", "200"),
                ("apns-topic: com.example.other", "400 TopicDisallowed"),
            ] {
                #expect(
                    try await site.curl.push("--cert", site.own, "--header", header) == reply)
            }
        }
    }

    @Test func `OpenSSL finds nothing wrong with the certificates, and reads topic and team`()
        async throws
    {
        try await APNsSite.listen { site in
            for (file, purpose) in [("apns-client.pem", "sslclient"), ("server.pem", "sslserver")] {
                let verdict = try await site.openSSL.run(
                    "verify", "-x509_strict", "-purpose", purpose, "-CAfile", "authority.pem", file)
                #expect(verdict == "\(file): OK\n")
            }
            let subject = try await site.openSSL.run(
                "x509", "-in", "apns-client.pem", "-noout", "-subject", "-nameopt", "RFC2253")
            #expect(subject == "subject=OU=\(site.key.teamID),UID=\(topic)\n")
        }
    }

    @Test func `without a certificate, a token is needed, and enough`() async throws {
        try await APNsSite.listen { site in
            #expect(
                try await site.curl.push("--header", "apns-topic: \(topic)")
                    == "403 MissingProviderToken")
            let authorization = "authorization: bearer \(try site.token())"
            #expect(try await site.curl.push("--header", authorization) == "400 MissingTopic")
            #expect(
                try await site.curl.push(
                    "--header", authorization, "--header", "apns-topic: \(topic)") == "200")
        }
    }

    @Test func `a stranger's certificate is refused, with the same names and a good token`()
        async throws
    {
        try await APNsSite.listen { site in
            try await site.openSSL.run(
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out",
                "stranger.pem", "-days", "2", "-subj", "/UID=\(topic)/OU=\(site.key.teamID)",
                "-addext", "extendedKeyUsage=clientAuth")
            let directory = site.credentials.directory
            #expect(
                try await site.curl.push(
                    "--cert", "\(directory)/stranger.pem", "--key", "\(directory)/key.pem",
                    "--header", "authorization: bearer \(try site.token())", "--header",
                    "apns-topic: \(topic)") == "403 BadCertificate")
        }
    }

    @Test func `a certificate counts only in its time, for its use, and with a topic`()
        async throws
    {
        let authority = try LocalAuthority()
        defer { authority.removeFile() }
        try await APNsSite.listen(trusting: try authority.certificatePEM) { site in
            func push(_ identity: LocalIdentity) async throws -> String {
                try await site.curl.push("--cert", try site.file(identity))
            }
            let unit = site.key.teamID
            #expect(try await push(authority.clientIdentity(userID: topic, unit: unit)) == "200")
            for lifetime in [-7200...(-60), 600...7200] as [ClosedRange<TimeInterval>] {
                let identity = try authority.clientIdentity(
                    userID: topic, unit: unit, lifetime: lifetime)
                #expect(try await push(identity) == "403 BadCertificate")
            }
            // That of a server, which has no topic either.
            #expect(try await push(authority.identity(for: topic)) == "403 BadCertificate")
            let other = try authority.clientIdentity(userID: "com.example.other", unit: unit)
            #expect(try await push(other) == "400 DeviceTokenNotForTopic")
            // What this intake wrote is by an authority that isn't trusted here.
            #expect(try await site.curl.push("--cert", site.own) == "403 BadCertificate")
        }
    }

    @Test func `a certificate that OpenSSL issued counts, if it is a client's`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let openSSL = OpenSSL(directory: directory.url)
        try await openSSL.run(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem",
            "-days", "2", "-subj", "/CN=CA", "-addext", "keyUsage=critical,keyCertSign")
        let usages = ["clientAuth", "serverAuth", ""]
        for usage in usages {
            let extensions = usage.isEmpty ? "" : "extendedKeyUsage=\(usage)\n"
            try Data("basicConstraints=CA:FALSE\n\(extensions)".utf8)
                .write(to: directory.url.appendingPathComponent("extensions"))
            try await openSSL.run(
                "req", "-newkey", "rsa:2048", "-nodes", "-keyout", "\(usage).key", "-out",
                "request", "-subj", "/UID=\(topic)")
            try await openSSL.run(
                "x509", "-req", "-in", "request", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "1",
                "-set_serial", "2", "-extfile", "extensions", "-out", "\(usage).pem")
        }
        let authority = try String(
            contentsOf: directory.url.appendingPathComponent("ca.pem"), encoding: .utf8)
        try await APNsSite.listen(trusting: authority) { site in
            var replies: [String] = []
            for usage in usages {
                let path = "\(directory.url.path)/\(usage)"
                replies.append(
                    try await site.curl.push("--cert", path + ".pem", "--key", path + ".key"))
            }
            #expect(replies == ["200", "403 BadCertificate", "403 BadCertificate"])
        }
    }

    @Test func `a connection whose tokens change too often is told so, and another isn't`()
        async throws
    {
        try await APNsSite.listen { site in
            func options(_ token: String) -> [String] {
                ["--header", "authorization: bearer \(token)", "--header", "apns-topic: \(topic)"]
            }
            let tokens = try [1300, 0, 0].map { try site.token(age: $0) }
            let one = try await site.curl.push(tokens.map { options($0) })
            #expect(one.map(\.text) == ["200", "200", "429 TooManyProviderTokenUpdates"])
            #expect(one.map(\.connects) == [true, false, false])
            #expect(try await site.curl.push([options(tokens[2])]).map(\.text) == ["200"])
        }
    }

    @Test func `a second start takes the certificate of the first`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let path = directory.url.path
        var certificates: [Data] = []
        for _ in 1...2 {
            let process = try ListeningProcess(
                [
                    "--apns", "0", "--credentials", "\(path)/c", "--store", "\(path)/store",
                    "--timeout", "60",
                ], environment: [:])
            do {
                let place = try await process.event("listening")["intakes"]?["apns"]
                let token = try DeviceTokenFile(besides: "\(path)/store").read().apns ?? ""
                let curl = Curl(
                    url: "\(place?["url"]?.string ?? "")/3/device/\(token)",
                    authority: "\(path)/c/authority.pem")
                #expect(try await curl.push("--cert", "\(path)/c/apns-client.pem") == "200")
                _ = try await process.event("foreign")
            } catch {
                _ = await process.stop()
                throw error
            }
            _ = await process.stop()
            let file = try PrivateFile(path: "\(path)/c/apns-client.pem").read()
            certificates.append(try #require(file))
        }
        #expect(certificates[0] == certificates[1])
    }
}
