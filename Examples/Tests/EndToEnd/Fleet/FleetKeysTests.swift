import Crypto
import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// What a fleet's store is sealed with, and what its senders hold, can be changed.
@Suite(.serialized, .timeLimit(.minutes(8))) struct `the keys of a fleet` {
    private let addresses: FleetSetup.Addresses

    init() throws {
        addresses = try FleetSetup.Addresses(web: "https://push.example", apns: nil)
    }

    @Test func `senders get new credentials, and devices keep their tokens`() async throws {
        let fleet = Fleet(InMemoryStore(isShared: true), tenant: "acme")
        let (random, id) = (SystemRandom(), FleetDevice.ID(random: SystemRandom()))
        let old = try await FleetSetup.make(at: addresses, random: random)
        try await fleet.found(old)
        _ = try await fleet.renew(random: random)
        let new = try await fleet.setup()
        #expect(new.addresses == old.addresses && new.account.project == old.account.project)
        #expect(new.tokens.device(fcm: old.tokens.fcmToken(of: id, random: random)) == id)
        #expect(new.tokens.device(apns: old.tokens.apnsToken(of: id)) == id)
        #expect(new.account.keyID != old.account.keyID)
        #expect(new.account.file(tokenURL: "") != old.account.file(tokenURL: ""))
        #expect(new.provider.keyID != old.provider.keyID)
        #expect(new.provider.key.rawRepresentation != old.provider.key.rawRepresentation)
        #expect(new.provider.topic == old.provider.topic)
        #expect(!new.httpSecret.isEqualInConstantTime(to: old.httpSecret))
        #expect(new.identities.clientPEM != old.identities.clientPEM)
        #expect(new.identities.authority != old.identities.authority)
        #expect(!new.accessKey.isEqualInConstantTime(to: old.accessKey))
    }

    @Test func `what a sender holds doesn't make access tokens`() async throws {
        let setup = try await FleetSetup.make(at: addresses, random: SystemRandom())
        // Another fleet whose senders hold the very same.
        let record = try Secret.Record(reading: setup.record)
        let other = try FleetSetup(
            reading: Secret.Record(
                fields: record.fields,
                secrets: [SystemRandom().bytes(32)] + record.secrets.dropFirst()
            ).sealed)
        #expect(other.account.keyID == setup.account.keyID)
        #expect(!other.accessKey.isEqualInConstantTime(to: setup.accessKey))
    }

    private func run(
        _ test: (FleetGateway, ForgeRockSimulator) async throws -> Void
    ) async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let etcd = try await EtcdServer.start(in: site.directory)
            let fleet = try await FleetSite(site, at: etcd.place + "/acme")
            let gateway = try await FleetGateway.found(fleet, simulator, "one")
            try await fleet.enroll("jane", on: "one", with: simulator)
            try await test(gateway, simulator)
            await etcd.kill()
        }
    }

    @Test func `a listener takes the new credentials alone once it has started again`()
        async throws
    {
        try await run { gateway, _ in
            let fleet = gateway.fleet
            let old = fleet.site.directory.path + "/credentials"
            let new = fleet.site.directory.path + "/renewed"
            let before = try await fleet.pushauth("device", "list", "--json").output
            let running = try gateway.listen()
            let renewed = try await fleet.pushauth("fleet", "credentials", "rotate", new)
            #expect(renewed.exitCode == 0, "\(renewed.errors)")
            #expect(renewed.errors.contains("start all listeners again"))
            for file in [
                "service-account.json", "AuthKey.p8", "apns.json", "apns-client.pem",
                "authority.pem", "http-secret",
            ] {
                let texts = try [old, new].map {
                    try String(contentsOfFile: "\($0)/\(file)", encoding: .utf8)
                }
                #expect(texts[0] != texts[1], "\(file)")
            }
            #expect(try await fleet.pushauth("device", "list", "--json").output == before)
            let again = FleetGateway(
                fleet: fleet, simulator: gateway.simulator,
                secret: try String(contentsOfFile: new + "/http-secret", encoding: .utf8)
                    .trimmingCharacters(in: .whitespacesAndNewlines))
            let (_, first) = try await gateway.login(of: "jane")
            #expect(try await gateway.post(first, to: running).status == 202)
            #expect(await running.terminate().code == 0)
            let restarted = try gateway.listen()
            let (_, second) = try await gateway.login(of: "jane")
            #expect(try await gateway.post(second, to: restarted).status == 401)
            #expect(try await again.post(second, to: restarted).status == 202)
            #expect(await restarted.terminate().code == 0)
            // What is written at any time is what holds now.
            let written = try await fleet.pushauth("fleet", "credentials", old)
            #expect(written.exitCode == 0, "\(written.errors)")
            #expect(
                try String(contentsOfFile: old + "/http-secret", encoding: .utf8)
                    == String(contentsOfFile: new + "/http-secret", encoding: .utf8))
        }
    }

    @Test func `the store gets another key while a listener answers`() async throws {
        try await run { gateway, simulator in
            let (fleet, site) = (gateway.fleet, gateway.fleet.site)
            let early = try await fleet.pushauth("fleet", "rotate")
            #expect(early.exitCode == 5 && early.errors.contains("next-key-file"))
            let next = try site.file("next.key", String(repeating: "6b", count: 32) + "\n")
            chmod(next, 0o600)
            try site.configure("[store]\nnext-key-file = \"\(next)\"\n")
            let listener = try gateway.listen("--policy", try gateway.approving)
            _ = try await listener.event("listening")
            let ended = Switch()
            let change = Task {
                let result = await Task { try await fleet.pushauth("fleet", "rotate") }.result
                await ended.turn(on: true)
                return try result.get()
            }
            while await !ended.isOn {
                let (id, push) = try await gateway.login(of: "jane")
                #expect(try await gateway.post(push, to: listener).status == 202)
                try await gateway.wait(for: .approved, of: id)
                try await Task.sleep(for: .seconds(5))
            }
            let changed = try await change.value
            #expect(changed.exitCode == 0, "\(changed.errors)")
            #expect(changed.errors.contains("alone"), "\(changed.errors)")
            #expect(try await fleet.pushauth("fleet", "rotate").exitCode == 0)
            let (after, last) = try await gateway.login(of: "jane")
            #expect(try await gateway.post(last, to: listener).status == 202)
            try await gateway.wait(for: .approved, of: after)
            #expect(await listener.terminate().code == 0)

            try site.configure("")
            let old = try await fleet.pushauth("list")
            #expect(old.exitCode == 5 && old.errors.contains("not with the key given"))
            let new = try await site.pushauth(["list", "--store", fleet.store, "--key-file", next])
            #expect(new.errors == "1 device, 1 enrollment.\n", "\(new.errors)")
            #expect(await simulator.devices(of: "jane").count == 1)
        }
    }

    // MARK: Services that nobody serves

    @Test func `tokens of a service are counted that no intake takes`() async throws {
        let fleet = Fleet(InMemoryStore(isShared: true), tenant: "acme")
        func add(_ name: String, _ services: Set<FleetDevice.Service>) async throws {
            try await fleet.add(
                FleetDevice(
                    id: FleetDevice.ID(random: SystemRandom()), name: name, created: Date(),
                    fcmToken: "t", services: services))
        }
        try await add("one", [.fcm, .apns])
        try await add("two", [.apns])
        #expect(try await fleet.unserved(by: ["fcm"]) == [.apns: 2])
        #expect(try await fleet.unserved(by: ["apns"]) == [.fcm: 1])
        #expect(try await fleet.unserved(by: []) == [.fcm: 1, .apns: 2])
        #expect(try await fleet.unserved(by: ["fcm", "apns"]) == [:])
        #expect(try await fleet.unserved(by: ["http"]) == [:])
        #expect(try await FleetMember.intakes(in: fleet.records) == nil)
        try await FleetMember(fleet.records, instance: "a", intakes: ["fcm"]).beat()
        try await FleetMember(fleet.records, instance: "b").beat()
        #expect(try await FleetMember.intakes(in: fleet.records) == ["fcm"])
    }

    @Test func `listen and doctor say that devices have a token that nobody serves`() async throws {
        try await run { gateway, _ in
            let fleet = gateway.fleet
            let lone = try ListeningProcess(
                ["--fcm", "127.0.0.1:0"] + fleet.place, environment: fleet.site.environment)
            let words = "1 device gave vendors a token of APNs"
            #expect(try await lone.event("failed")["why"]?.string?.contains(words) == true)
            func check() async throws -> JSON? {
                try await fleet.pushauth("doctor", "--offline", "--json").lines
                    .last { $0["check"] == "fleet" }
            }
            #expect(try await check()?["status"] == "warning")
            #expect(try await check()?["text"]?.string?.contains(words) == true)
            let other = try ListeningProcess(
                ["--apns", "127.0.0.1:0"] + fleet.place, environment: fleet.site.environment)
            _ = try await other.event("listening")
            #expect(try await check()?["status"] == "ok")
            for listener in [lone, other] { #expect(await listener.terminate().code == 0) }
        }
    }
}
