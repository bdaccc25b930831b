import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab

@Suite struct `pushauth doctor` {
    @Test func `finds nothing to do in a new home, and makes nothing there`() async throws {
        try await PushAuthSite.run { site in
            let result = try await site.pushauth("doctor", "--offline", "--json")
            #expect(result.exitCode == 0, "\(result.output)")
            let checks = try result.lines.map { $0["check"]?.string }
            #expect(checks == ["configuration", "store", "servers", "libraries", "zbarimg"])
            #expect(!FileManager.default.fileExists(atPath: site.store.path))
            let libraries = try result.lines.first { $0["check"] == "libraries" }
            #expect(libraries?["text"]?.string?.contains("Swift 6") == true)
            #if os(Linux)
            #expect(libraries?["text"]?.string?.contains("libcurl/") == true)
            #endif
        }
    }

    @Test func `looks at an enrollment, and at what waits`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            _ = try await simulator.startLogin(of: "jane", asking: .confirm)
            _ = try await site.deliver(from: simulator)
            let result = try await site.pushauth("doctor", "--offline")
            #expect(result.exitCode == 0)
            #expect(result.output.contains("enrollments: 1 active."))
            #expect(result.output.contains("challenges: 1 waits for an answer."))
            #expect(result.output.contains("mode 0700") && result.output.contains("mode 0600"))
        }
    }

    @Test func `says of a token that wasn't acknowledged what to do`() async throws {
        let simulator = ForgeRockSimulator()
        let isLosing = Switch()
        let handler: LocalServer.Handler = { request, body in
            await isLosing.isOn ? nil : await simulator.respond(to: request, body: body)
        }
        try await PushAuthSite.run(with: simulator, answering: handler) { site in
            let enrolled = try await site.enroll(with: simulator, as: "jane")
            let id = try #require(enrolled["id"]?.string)
            func check() async throws -> JSON? {
                try await site.pushauth("doctor", "--offline", "--json").lines
                    .first { $0["check"] == "token" }
            }
            #expect(try await check() == nil)
            await isLosing.turn(on: true)
            #expect(try await site.pushauth("token", "set", "--fcm", "another").exitCode == 4)
            #expect(try await site.pushauth("list", "--json").json["deviceToken"] == "waiting")
            let found = try #require(try await check())
            #expect(found["status"] == "warning")
            #expect(found["text"]?.string?.contains(id) == true)
            #expect(found["next"]?.string?.contains("`pushauth refresh`") == true)
            await isLosing.turn(on: false)
            #expect(try await site.pushauth("refresh").exitCode == 0)
            #expect(await simulator.devices(of: "jane").first?.deviceToken == .fcm("another"))
            #expect(try await check() == nil)
        }
    }

    @Test func `shows the code that somebody must compare`() async throws {
        let vendor = try #require(ConsoleVendors.all().first { $0.name == "powerauth" })
        try await PushAuthSite.run(with: vendor) { site in
            let enrolled = try await site.enroll(at: vendor, pin: "24680")
            let id = try #require(enrolled["id"]?.string)
            let code = try #require(enrolled["compare"]?.string)
            let doctor = try await site.pushauth("doctor", "--offline", "--json")
            let check = try #require(try doctor.lines.first { $0["check"] == "enrollment" })
            #expect(check["status"] == "warning")
            #expect(check["text"]?.string?.contains("the code \(code).") == true)
            #expect(check["next"]?.string?.contains("`pushauth refresh \(id)`") == true)
            await vendor.settle("jane")
            #expect(try await site.pushauth("refresh", id).exitCode == 0)
            let after = try await site.pushauth("doctor", "--offline", "--json")
            #expect(try !after.lines.contains { $0["check"] == "enrollment" })
        }
    }

    @Test(arguments: [0.0, 40, 3600, -3600])
    func `compares this machine's clock with a server's`(offset: Double) async throws {
        try await PushAuthSite.run { site in
            let chain = try CertificateChain()
            defer { chain.remove() }
            // Fixed bytes: a server library would write its own date.
            let server = try await RawServer.start(
                chain.tlsConfiguration(),
                reply: "HTTP/1.1 404 Not Found\r\nDate: \(httpDate(Date() + offset))\r\n"
                    + "Content-Length: 0\r\n\r\n")
            let result = try await site.pushauth(
                "doctor", "--json", "--authorities", chain.rootFile.path, "--server",
                "https://127.0.0.1:\(server.port)/am/?a=1")
            await server.stop()
            #expect(result.exitCode == 0)
            let lines = try result.lines
            #expect(lines.first { $0["check"] == "server" }?["status"] == "ok")
            let clock = try #require(lines.first { $0["check"] == "clock" })
            #expect(clock["status"] == (abs(offset) > 60 ? "warning" : "ok"))
            if abs(offset) > 60 {
                let word = offset > 0 ? "seconds behind" : "seconds ahead of"
                #expect(clock["text"]?.string?.contains(word) == true)
                #expect(
                    clock["next"]?.string?.contains("certificates, signed challenges and codes")
                        == true)
            }
        }
    }

    @Test(arguments: [(-7200.0 ... -3600, "has expired"), (3600.0...7200, "isn't valid yet")])
    func `a certificate that is out of date leads to the clock`(
        lifetime: ClosedRange<Double>, words: String
    ) async throws {
        try await PushAuthSite.run { site in
            let authority = try LocalAuthority()
            defer { authority.removeFile() }
            let server = try await RawServer.start(
                try authority.identity(lifetime: lifetime).tlsConfiguration(), reply: "")
            let result = try await site.pushauth(
                "doctor", "--json", "--authorities", authority.certificateFile.path, "--server",
                "https://127.0.0.1:\(server.port)")
            await server.stop()
            #expect(result.exitCode == 1)
            let check = try #require(try result.lines.first { $0["check"] == "server" })
            #expect(check["status"] == "problem")
            #expect(check["text"]?.string?.contains(words) == true, "\(check)")
            #expect(check["next"]?.string?.contains("set the clock") == true, "\(check)")
            #expect(check["next"]?.string?.contains("--authorities") == false, "\(check)")
        }
    }

    @Test func `asks a server where it listens, if that was said`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run { site in
            let server = try await site.serve { await simulator.respond(to: $0, body: $1) }
            try await simulator.move(to: server.origin)
            try await site.enroll(with: simulator, as: "jane")
            func checks(_ arguments: String...) async throws -> [JSON] {
                try await site.pushauth(["doctor", "--json"] + arguments).lines
                    .filter { $0["check"] == "server" }
            }
            // An enrollment knows its host, and not the port.
            let unsaid = try await checks()
            #expect(unsaid.map { $0["status"] } == ["warning"])
            #expect(unsaid.first?["next"]?.string?.contains("--server") == true)
            #expect(try await checks("--server", server.origin).map { $0["status"] } == ["ok"])
            await server.stop()
        }
    }

    @Test func `reaches a server that speaks HTTP/2, whose page has a body`() async throws {
        try await PushAuthSite.run { site in
            let server = try await site.serveHTTP2 { _, _ in
                (.init(status: .notFound), Data("none".utf8))
            }
            let result = try await site.pushauth("doctor", "--json", "--server", server.origin)
            #expect(server.traffic.http2Requests == 1)
            await server.stop()
            #expect(try result.lines.first { $0["check"] == "server" }?["status"] == "ok")
            #expect(try result.lines.first { $0["check"] == "clock" }?["status"] == "ok")
        }
    }

    @Test func `tells a server that can't be trusted from one that can't be reached`()
        async throws
    {
        try await PushAuthSite.run { site in
            let server = try await site.serve { _, _ in (.init(status: .ok), Data()) }
            try site.configure("", trusting: false)
            let untrusted = try await site.pushauth("doctor", "--json", "--server", server.origin)
            await server.stop()
            #expect(untrusted.exitCode == 1)
            let check = try #require(try untrusted.lines.first { $0["check"] == "server" })
            #expect(check["status"] == "problem")
            #expect(check["next"]?.string?.contains("--authorities") == true)
            let gone = try await site.pushauth("doctor", "--json", "--server", server.origin)
            #expect(gone.exitCode == 0)
            #expect(try gone.lines.first { $0["check"] == "server" }?["status"] == "warning")
            let plain = try await site.pushauth(
                "doctor", "--json", "--server", "http://127.0.0.1:\(server.port)")
            #expect(plain.exitCode == 1)
            #expect(
                try plain.lines.first { $0["check"] == "server" }?["next"]?.string?
                    .contains("--plain-http") == true)
        }
    }

    private func httpDate(_ date: Date) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.string(from: date)
    }
}

extension `pushauth doctor` {
    @Test func `warns of a rule that says yes to what it doesn't name`() async throws {
        try await PushAuthSite.run { site in
            let policy = try site.file(
                "policy.toml",
                """
                [[rule]]
                name = "rent"
                field = { To = "Acme" }
                action = "approve"

                [[rule]]
                name = "rent alone"
                field = { To = "Acme" }
                only = true
                action = "approve"

                [[rule]]
                field = { To = "Eve" }
                action = "deny"
                """)
            func checks() async throws -> [JSON] {
                try await site.pushauth("doctor", "--offline", "--json", "--policy", policy).lines
                    .filter { $0["check"] == "policy" }
            }
            let found = try await checks()
            #expect(found.map { $0["status"]?.string } == ["ok", "warning"])
            #expect(found.last?["text"]?.string?.contains("'rent'") == true)
            #expect(found.last?["next"]?.string?.contains("only = true") == true)
            _ = try site.file("policy.toml", "[[rule]]\naction = 'maybe'")
            #expect(try await checks().map { $0["status"]?.string } == ["problem"])
        }
    }
}
