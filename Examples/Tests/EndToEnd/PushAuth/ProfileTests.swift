import Foundation
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// Guidelines for approvals, as `pushauth` keeps to them.
@Suite(.timeLimit(.minutes(5))) struct `pushauth with a profile` {
    /// A user with an account at every vendor.
    private func run(_ test: (PushAuthSite) async throws -> Void) async throws {
        try await PushAuthSite.run { site in
            var servers: [LocalServer] = []
            var configuration = ""
            let vendors = ConsoleVendors.all()
            for vendor in vendors {
                let server = try await site.serve { await vendor.reply(to: $0, $1) }
                servers.append(server)
                try await vendor.simulator.move(to: server.origin)
                configuration += await vendor.configuration(server.origin)
            }
            do {
                try site.configure(configuration)
                for vendor in vendors { _ = try await site.join(vendor) }
                try await test(site)
            } catch {
                for server in servers { await server.stop() }
                throw error
            }
            for server in servers { await server.stop() }
        }
    }

    /// What the doctor says of each vendor's account, and of what answers there.
    private func findings(
        _ profile: String, _ site: PushAuthSite
    ) async throws -> (
        exitCode: Int32, statuses: [String: String], texts: [String: String],
        factors: [String: String]
    ) {
        let result = try await site.pushauth("doctor", "--offline", "--json", "--profile", profile)
        let checks = try result.lines.filter { $0["check"] == "profile" }
        var statuses: [String: String] = [:]
        var texts: [String: String] = [:]
        var factors: [String: String] = [:]
        for check in checks {
            let text = check["text"]?.string ?? ""
            let vendor = try #require(
                ConsoleVendors.all().first { text.contains(" at \($0.name) ") }?.name)
            #expect(check["next"]?.string?.isEmpty == false)
            if text.contains("factor") {
                #expect(factors[vendor] == nil, "\(vendor) is there twice.")
                factors[vendor] = text
                continue
            }
            #expect(statuses[vendor] == nil, "\(vendor) is there twice.")
            statuses[vendor] = check["status"]?.string
            texts[vendor] = text
        }
        return (result.exitCode, statuses, texts, factors)
    }

    @Test func `the doctor lists the accounts that can't comply, of a store with all vendors`()
        async throws
    {
        try await run { site in
            let vendors = ExpectedVendor.all
            let nist = try await findings("nist", site)
            #expect(nist.exitCode == 1)
            #expect(
                nist.statuses == .init(uniqueKeysWithValues: vendors.map { ($0.name, $0.nist) }))
            #expect(
                nist.texts["forgerock"]?.contains("at least 6 digits, and this one for 2") == true)

            #expect(nist.factors.keys.sorted() == vendors.map(\.name).sorted())
            #expect(nist.factors["forgerock"]?.contains("no guard can seal what answers") == true)
            for vendor in ["keycloak", "plusauth", "privacyidea"] {
                #expect(nist.factors[vendor]?.contains("needs this device alone") == true)
            }

            let cisa = try await findings("cisa", site)
            #expect(cisa.factors.isEmpty)
            #expect(cisa.exitCode == 1)
            #expect(
                cisa.statuses == .init(uniqueKeysWithValues: vendors.map { ($0.name, $0.cisa) }))

            let none = try await site.pushauth("doctor", "--offline", "--json")
            #expect(try !none.lines.contains { $0["check"] == "profile" })
            #expect(none.exitCode == 0)
        }
    }

    @Test func `an answer that only a passphrase opens has a second factor, and no other`() {
        func text(_ policy: GuardPolicy?, _ part: Capabilities.GuardedPart?) -> String {
            ProfileChecks.secondFactor("One", policy, part).text
        }
        #expect(text(.deviceOwner, .biometry).contains("passphrase as a second factor"))
        for policy in [nil, GuardPolicy.presence] {
            #expect(text(policy, .biometry).contains("one factor"))
        }
        // A guard of what an answer doesn't need, or of nothing.
        let codes = Capabilities.GuardedPart(of: CodesAlone.self, for: .codes)
        for part in [nil, codes] { #expect(text(.deviceOwner, part).contains("one factor")) }
    }

    @Test
    func `an unknown profile is an error that lists them, on the command line and in the file`()
        async throws
    {
        try await PushAuthSite.run { site in
            let option = try await site.pushauth("doctor", "--offline", "--profile", "pci")
            #expect(option.exitCode == 64)
            #expect(option.errors.contains("The profile is 'nist' or 'cisa', and not 'pci'."))

            try site.configure("[approvals]\nprofile = \"pci\"\n")
            let file = try await site.pushauth("list")
            #expect(file.exitCode != 0)
            #expect(file.errors.contains("The profile is 'nist' or 'cisa', and not 'pci'."))
        }
    }

    @Test func `what the configured profile forbids is denied, and not approved`() async throws {
        let simulator = ForgeRockSimulator()
        let configuration = """
            [approvals]
            profile = "cisa"
            [providers.forgerock]
            local-hosts = true

            """
        try await PushAuthSite.run(with: simulator, configuredBy: { _ in configuration }) { site in
            try await site.enroll(with: simulator, as: "jane")
            let login = try await simulator.startLogin(of: "jane", asking: .confirm)
            _ = try await site.deliver(from: simulator)
            let id = try await site.waiting()
            let shown = try await site.pushauth("show", id, "--json")
            #expect(try shown.json["asks"]?["prompt"] == "deny-only")
            let approved = try await site.pushauth("approve", id, "--vouch")
            #expect(approved.exitCode != 0)
            #expect(approved.errors.contains("CISA's number matching doesn't allow a yes"))
            #expect(try await simulator.status(of: login.id) == .waiting)
            #expect(try await site.pushauth("deny", id).exitCode == 0)
            #expect(try await simulator.status(of: login.id) == .denied)
            let doctor = try await site.pushauth("doctor", "--offline", "--json")
            #expect(try doctor.lines.contains { $0["check"] == "profile" })
        }
    }
}

/// A credential of which a guard has a one-time code's secret alone.
private struct CodesAlone: GuardedCredential {
    var answerSecrets: [Secret]

    init(reading sealed: Secret) { answerSecrets = [sealed] }
    var sealed: Secret { answerSecrets.first ?? Secret([]) }
}
