import ArgumentParser
import Foundation
import HTTPTypes
import LinkedVendors
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// Vendors that hold their replies, or want to be left alone, beside others.
@Suite(.timeLimit(.minutes(5))) struct `a vendor in trouble` {
    private static let approving = "[[rule]]\nname = \"all\"\naction = \"approve\"\n"

    @Test func `takes no answer, while another vendor's pushes are taken and answered`()
        async throws
    {
        let (sick, well) = (ForgeRockSimulator(), ForgeRockSimulator())
        let gate = Gate()
        try await PushAuthSite.run(
            with: sick,
            answering: {
                await gate.pass()
                return await sick.respond(to: $0, body: $1)
            }, configuredBy: { _ in PushAuthSite.twoForgeRocks }
        ) { site in
            let server = try await site.serve { await well.respond(to: $0, body: $1) }
            try await well.move(to: server.origin)
            _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
            for (simulator, name) in [(sick, "forgerock"), (well, "forgerock-staging")] {
                let text = try await simulator.invitation(for: "jane").scannedText ?? ""
                let enrolled = try await site.pushauth(
                    "enroll", text, "--yes", "--json", "--provider", name)
                try #require(enrolled.exitCode == 0, "\(enrolled.errors)")
            }
            let credentials = site.directory.path + "/push"
            let listener = try ListeningProcess(
                [
                    "--http", "127.0.0.1:0", "--credentials", credentials, "--policy",
                    try site.file("policy.toml", Self.approving), "--metrics", "127.0.0.1:0",
                ], environment: site.environment)
            let start = try await listener.event("listening")
            let metrics = try #require(start["metrics"]?["url"]?.string)
            let secret = try String(contentsOfFile: credentials + "/http-secret", encoding: .utf8)
            let sender = FleetGateway(
                fleet: try await FleetSite(site, at: ""), simulator: well,
                secret: secret.trimmingCharacters(in: .whitespacesAndNewlines))
            let knock = await gate.shut()
            // More than are judged of one vendor at the same time.
            for _ in 0..<20 {
                _ = try await sick.startLogin(of: "jane", asking: .confirm)
                let push = try #require(await sick.takePushes().first)
                #expect(try await sender.post(push, to: listener).status == 202)
            }
            await knock.wait()
            let (id, push) = try await sender.login(of: "jane")
            #expect(try await sender.post(push, to: listener).status == 202)
            try await sender.wait(for: .approved, of: id)
            // It is counted once it has hung for some seconds.
            let curl = Program(at: URL(fileURLWithPath: "/usr/bin/env"))
            while try await !curl.run(["curl", "--silent", metrics]).output
                .contains(/(?m)^pushauth_vendors_hanging 1(\.0)?$/)
            {
                try await Task.sleep(for: .milliseconds(50))
            }
            await gate.open()
            await listener.kill()
            await server.stop()
        }
    }

    /// How often something happened.
    private actor Tally {
        private(set) var count = 0

        func add() { count += 1 }
    }

    @Test func `wants to be left alone, and no device polls it; a person's own look asks`()
        async throws
    {
        let vendor = ConsoleVendor.powerAuth()
        let bank = try #require(vendor.simulator as? PowerAuthSimulator)
        let (tired, lists) = (Switch(), Tally())
        try await PushAuthSite.run(
            with: bank,
            answering: {
                guard await tired.isOn, $0.path == PowerAuthSimulator.Call.list.rawValue else {
                    return await bank.respond(to: $0, body: $1)
                }
                await lists.add()
                var page = HTTPResponse(status: .tooManyRequests)
                page.headerFields[.retryAfter] = "86400"
                return (page, Data())
            }, configuredBy: vendor.configuration
        ) { site in
            _ = try await site.join(vendor)
            var options = try GlobalOptions.parse([
                "--store", site.store.path, "--key-file", site.keyFile.path, "--config",
                site.configurationFile.path,
            ])
            options.vendors = LinkedVendors.all
            let ground = try await Ground(options.makingStore)
            let (events, source) = AsyncStream<String>.makeStream()
            let listeners = try (1...2).map { _ in
                let session = try Session(
                    on: ground, of: nil, verifier: CommandUser(.parse(["--yes"])))
                return Listener(
                    session, policy: StandingPolicy(Policy()),
                    show: { source.yield($0.name) }, ended: { _, _ in })
            }
            await tired.turn(on: true)
            await listeners[0].poll()
            #expect(await lists.count == 1)
            for listener in listeners { await listener.poll() }
            #expect(await lists.count == 1)
            _ = try await listeners[1].session.authenticator.pending()
            #expect(await lists.count == 2)
            // Whoever is told isn't told again in the pause.
            source.finish()
            #expect(await events.reduce(into: []) { $0.append($1) } == ["failed"])
        }
    }
}
