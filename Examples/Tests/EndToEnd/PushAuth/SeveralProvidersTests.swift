import Foundation
import LinkedVendors
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing
import VendorRegistration

@testable import PushAuthCommand
@testable import push_lab

/// `pushauth` with more than one provider of a vendor.
@Suite(.timeLimit(.minutes(5))) struct `several providers of one vendor` {
    private let bank = ForgeRockSimulator()
    private let staging = ForgeRockSimulator()

    private func run(_ test: (PushAuthSite) async throws -> Void) async throws {
        try await PushAuthSite.run(with: bank, configuredBy: { _ in PushAuthSite.twoForgeRocks }) {
            site in
            let server = try await site.serve { [staging] in
                await staging.respond(to: $0, body: $1)
            }
            do {
                try await staging.move(to: server.origin)
                _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
                try await test(site)
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }
    }

    private func enroll(
        at simulator: ForgeRockSimulator, by arguments: String..., site: PushAuthSite
    ) async throws -> Program.Result {
        let text = try await simulator.invitation(for: "jane").scannedText ?? ""
        return try await site.pushauth(["enroll", text, "--yes", "--json"] + arguments)
    }

    private func enrollBoth(_ site: PushAuthSite) async throws {
        for (simulator, name) in [(bank, "forgerock"), (staging, "forgerock-staging")] {
            let result = try await enroll(at: simulator, by: "--provider", name, site: site)
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try result.json["provider"]?.string == name)
        }
    }

    @Test func `a code that both could join is joined by the one that is named`() async throws {
        try await run { site in
            let result = try await enroll(at: bank, site: site)
            #expect(result.exitCode == 1)
            #expect(
                result.errors.contains(
                    "More than one provider could join it: forgerock, forgerock-staging."))
            try await enrollBoth(site)
            let listed = try await site.pushauth("list", "--json").lines
            #expect(
                listed.map { $0["provider"]?.string ?? "" }.sorted()
                    == ["forgerock", "forgerock-staging"])
        }
    }

    @Test func `each push goes to the provider that enrolled, and so does its answer`()
        async throws
    {
        try await run { site in
            try await enrollBoth(site)
            for (simulator, name) in [(staging, "forgerock-staging"), (bank, "forgerock")] {
                let login = try await simulator.startLogin(of: "jane", asking: .confirm)
                let delivered = try await site.deliver(from: simulator)
                let event = try delivered.lines.first { $0["event"]?.string != "listening" }
                #expect(event?["provider"]?.string == name)
                let answered = try await site.pushauth("approve", site.waiting(), "--yes")
                #expect(answered.exitCode == 0, "\(answered.errors)")
                #expect(try await simulator.status(of: login.id) == .approved)
            }
        }
    }

    @Test func `a policy's rule may name one of them`() async throws {
        try await run { site in
            try await enrollBoth(site)
            let policy = try site.file(
                "policy.toml",
                """
                [[rule]]
                name = "staging"
                provider = ["forgerock-staging"]
                action = "approve"
                """)
            let logins = [
                try await bank.startLogin(of: "jane", asking: .confirm),
                try await staging.startLogin(of: "jane", asking: .confirm),
            ]
            let pushes = await bank.takePushes() + staging.takePushes()
            let lines = pushes.map { String(decoding: $0.payload, as: UTF8.self) }
            let result = try await site.pushauth(
                "listen", "--stdin", "--policy", policy, "--yes",
                input: lines.joined(separator: "\n") + "\n")
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try await bank.status(of: logins[0].id) == .waiting)
            #expect(try await staging.status(of: logins[1].id) == .approved)
        }
    }

    @Test func `inspect names each, and whose push it is`() async throws {
        try await run { site in
            try await enrollBoth(site)
            _ = try await staging.startLogin(of: "jane", asking: .confirm)
            let push = try #require(await staging.takePushes().first)
            let result = try await site.pushauth(
                "inspect", "--json", input: String(decoding: push.payload, as: UTF8.self))
            let views = try #require(try result.json["providers"]?.array)
            #expect(
                views.map { $0["provider"]?.string ?? "" }.prefix(3)
                    == ["forgerock", "forgerock-staging", "plusauth"])
            #expect(views[0]["recognized"] == true && views[0]["verified"] == false)
            #expect(views[1]["recognized"] == true && views[1]["verified"] == true)
        }
    }

    @Test func `one that is turned off keeps its enrollments, and says so`() async throws {
        try await run { site in
            try await enrollBoth(site)
            try site.configure(PushAuthSite.twoForgeRocks + "enabled = false\n")
            let listed = try await site.pushauth("list", "--json").lines
            let off = listed.filter { $0["configured"] == false }
            #expect(listed.count == 2)
            #expect(off.map { $0["provider"]?.string } == ["forgerock-staging"])
        }
    }

    // MARK: The configuration

    private func linked(_ text: String) throws -> LinkedProviders {
        LinkedProviders(
            LinkedVendors.all, in: try Configuration(parsing: text, linking: LinkedVendors.all))
    }

    @Test func `every vendor may have two, each with its own name`() async throws {
        var text = ""
        for vendor in ConsoleVendors.all() {
            let (section, head) = (
                await vendor.configuration("https://login.example.com"),
                "[providers.\(vendor.name)]"
            )
            #expect(section.contains(head))
            text += section + "\n"
            text += section.replacingOccurrences(
                of: head, with: "[providers.\(vendor.name)-2]\nvendor = \"\(vendor.name)\"")
            text += "\n"
        }
        let environment = PushEnvironment(
            transport: NoNetwork(), store: InMemoryStore(), verifier: ScriptedVerifier.absent(),
            device: Device(name: "lab"))
        let linked = try linked(text)
        let providers = try linked.make(in: environment)
        let names = LinkedVendors.all.flatMap { [$0.name, "\($0.name)-2"] }
        #expect(linked.names == names)
        #expect(providers.map(\.id.rawValue) == names)
        _ = try PluginRegistry(providers)
        #expect(linked.lacking == [])
    }

    private static let known = ExpectedVendor.names.joined(separator: ", ")

    @Test(arguments: [
        (
            "[providers.acme]\n",
            "[providers.acme]: there is no vendor 'acme', only \(known). A further provider of "
                + "one says which: vendor = \"…\"."
        ),
        (
            "[providers.staging]\nvendor = 'acme'",
            "[providers.staging]: there is no vendor 'acme', only forgerock, "
        ),
        (
            "[providers.forgerock]\nvendor = 'plusauth'",
            "[providers.forgerock]: a section with a vendor's name is that vendor's own."
        ),
        (
            "[providers.Staging]\nvendor = 'forgerock'",
            "[providers.Staging]: a provider's name has 1 to 64 small letters"
        ),
        ("[providers.'a/b']\nvendor = 'forgerock'", "[providers.a/b]: a provider's name has 1"),
        ("[providers.forgerock]\nlocalhosts = true", "[providers.forgerock]: unknown: localhosts."),
        (
            "[providers.staging]\nvendor = 'forgerock'\nkey-bits = 2048",
            "[providers.staging]: unknown: key-bits."
        ),
        (
            "[providers.onespan]\ndomain = 'd'\nrelay = 'https://a.example'",
            "[providers.onespan]: 'server-keys' is missing, or has a value of the wrong kind."
        ),
        ("[providers.forgerock]\nenabled = 1", "[providers.forgerock]: 'enabled'"),
        ("[providers]\nforgerock = 1", "'providers.forgerock' has a value of the wrong kind."),
        ("providers = 1", "'providers' has a value of the wrong kind."),
        ("[provider.forgerock]\nenabled = true", "unknown: provider."),
    ])
    func `a section that can't be used is named`(text: String, words: String) throws {
        let error = try #require(throws: (any Error).self) { try linked(text) }
        #expect(describe(decoding: error).hasPrefix(words), "\(describe(decoding: error))")
    }

    @Test func `a value that can't be used is named with its section`() throws {
        let linked = try linked("[providers.p2]\nvendor = 'privacyidea'\nkey-bits = 1024")
        let environment = PushEnvironment(
            transport: NoNetwork(), store: InMemoryStore(), verifier: ScriptedVerifier.absent(),
            device: Device(name: "lab"))
        let error = #expect(throws: Failure.self) { try linked.make(in: environment) }
        #expect(
            error?.text
                == "[providers.p2] can't be used: key-bits is one of 2048, 3072, 4096.")
    }

    @Test func `push-lab has the vendors of the list, in its order`() {
        let names = LinkedVendors.all.map(\.name)
        #expect(LabVendors.all.map(\.name) == names)
        #expect(ConsoleVendors.all().map(\.name) == names)
        #expect(Array(VendorLabs.names.prefix(names.count)) == names)
    }
}
