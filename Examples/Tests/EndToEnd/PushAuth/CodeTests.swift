import Foundation
import PushCore
import PushForgeRockSimulator
import PushPrivacyIDEASimulator
import PushTesting
import Testing

/// ForgeRock's one-time codes, from the program that makes them to the server that takes them.
@Suite(.timeLimit(.minutes(3))) struct `pushauth code` {
    typealias Kind = ForgeRockSimulator.EnrollmentOptions.Kind

    private func simulator(_ kind: Kind) -> ForgeRockSimulator {
        var configuration = ForgeRockSimulator.Configuration(issuer: "Example Bank")
        configuration.enrollment = .init(kind)
        return ForgeRockSimulator(configuration)
    }

    private func code(of id: String, at site: PushAuthSite) async throws -> String {
        let result = try await site.pushauth("code", id)
        #expect(result.exitCode == 0, "\(result.errors)")
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test(arguments: [Kind.pushAndTOTP, .pushAndHOTP])
    func `one scan enrolls pushes and codes, and AM takes both`(kind: Kind) async throws {
        let simulator = simulator(kind)
        try await PushAuthSite.run(with: simulator) { site in
            let enrolled = try await site.enroll(with: simulator, as: "jane")
            let id = try #require(enrolled["id"]?.string)
            let digits = try await code(of: id, at: site)
            #expect(digits.wholeMatch(of: /[0-9]{6}/) != nil)
            #expect(try await simulator.logIn("jane", with: digits) == .accepted)
            #expect(try await simulator.logIn("jane", with: digits) == .refused)
            let login = try await simulator.startLogin(of: "jane", asking: .confirm)
            _ = try await site.deliver(from: simulator)
            let answered = try await site.pushauth("approve", "--yes", try await site.waiting())
            #expect(answered.exitCode == 0, "\(answered.errors)")
            #expect(try await simulator.status(of: login.id) == .approved)
        }
    }

    @Test func `codes alone need no device token, and no two runs show one twice`() async throws {
        let simulator = simulator(.hotp)
        try await PushAuthSite.run(with: simulator) { site in
            let text = try #require(try await simulator.invitation(for: "jane").scannedText)
            #expect(text.hasPrefix("otpauth://hotp/"))
            let enrolled = try await site.pushauth("enroll", "-", "--yes", input: text)
            #expect(enrolled.exitCode == 0, "\(enrolled.errors)")
            let id = try #require(enrolled.output.split(separator: " ").first.map(String.init))
            #expect(enrolled.errors.contains("`pushauth code \(id)`"), "\(enrolled.errors)")
            let codes = try await [code(of: id, at: site), code(of: id, at: site)]
            #expect(Set(codes).count == 2)
            for digits in codes {
                #expect(try await simulator.logIn("jane", with: digits) == .accepted)
            }
            #expect(await simulator.exchanges.isEmpty)
            let json = try await site.pushauth("code", "--user", "jane", "--json").json
            #expect(json["code"]?.string?.count == 6 && json["expires"] == nil)
        }
    }

    @Test func `an account for pushes alone says so, and what to do`() async throws {
        let simulator = simulator(.push)
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let result = try await site.pushauth("code", "--user", "jane")
            #expect(result.exitCode == 1 && result.output.isEmpty)
            #expect(result.errors.contains("has no one-time codes"), "\(result.errors)")
            #expect(result.errors.contains("`pushauth pending`"), "\(result.errors)")
        }
    }

    @Test func `a token without codes or pushes leads to what asks its server`() async throws {
        var configuration = PrivacyIDEASimulator.Configuration()
        configuration.gateway = .pollOnly
        let simulator = PrivacyIDEASimulator(configuration)
        try await PushAuthSite.run(
            with: simulator,
            configuredBy: { _ in "[providers.privacyidea]\nlocal-hosts = true\n" }
        ) { site in
            let text = try #require(try await simulator.invitation(for: "jane").scannedText)
            let enrolled = try await site.pushauth("enroll", "-", "--yes", input: text)
            #expect(enrolled.exitCode == 0, "\(enrolled.errors)")
            #expect(enrolled.errors.contains("`pushauth pending`"), "\(enrolled.errors)")
            #expect(!enrolled.errors.contains("`pushauth code"), "\(enrolled.errors)")
        }
    }

    @Test func `a code of any maker is shown as such, and other vendors' aren't taken`()
        async throws
    {
        try await PushAuthSite.run { site in
            let generic = "otpauth://totp/Acme:jane?secret=GEZDGNBVGY3TQOJQ"
            let shown = try await site.pushauth("enroll", "-", input: generic)
            #expect(shown.exitCode == 6)
            #expect(shown.errors.contains("many makers"), "\(shown.errors)")
            let marked = try await site.pushauth("enroll", "-", input: generic + "&b=032b75")
            #expect(!marked.errors.contains("many makers"), "\(marked.errors)")
            for host in ["push", "pipush"] {
                let text = "otpauth://\(host)/Acme:jane?secret=GEZDGNBVGY3TQOJQ"
                let result = try await site.pushauth("enroll", "-", "--yes", input: text)
                #expect(result.exitCode == 1 && !result.errors.contains("forgerock"))
            }
        }
    }
}
