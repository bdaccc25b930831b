import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab

/// Backups, and going back to them, by the commands of the guide to fleets.
@Suite(.serialized, .timeLimit(.minutes(3))) struct `a fleet that goes back to a backup` {
    @Test func `forgets on etcd what came after it, and a listener that ran goes on over none`()
        async throws
    {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let etcd = try await EtcdTrio(in: site.directory, tenant: "acme")
            try await etcd.enableAuthentication(for: "acme")
            let password = try site.file("password", "s3cret word\n")
            chmod(password, 0o600)
            try site.configure(
                "[store]\nuser = \"pushauth\"\npassword-file = \"\(password)\"\n"
                    + "[providers.forgerock]\nlocal-hosts = true\n")
            let fleet = try await FleetSite(site, at: etcd.store)
            let trial = RestoreTrial(try await FleetGateway.found(fleet, simulator, "one", "zero"))
            try await trial.begin()
            let listener = try trial.gateway.listen("--instance", "old")
            _ = try await listener.event("listening")
            try await FleetGuide.run(
                try FleetGuide.fence(
                    "sh", with: "snapshot save", ["https://db1:2379": etcd.client(0)]),
                in: site.directory,
                environment: etcd.environment.merging(["ETCDCTL_PASSWORD": "root"]) { $1 })
            try await trial.goOn()
            #expect(try await trial.gateway.ready(listener) == 200)
            try await restore(etcd)
            try await trial.check(at: etcd.store)
            #expect(try await trial.gateway.ready(listener) == 503)
            await listener.kill()
            await etcd.stop()
        }
    }

    private func restore(_ etcd: EtcdTrio) async throws {
        await etcd.stop()
        for (index, name) in EtcdTrio.names.enumerated() {
            try await FleetGuide.run(
                try FleetGuide.fence(
                    "sh", with: "snapshot restore",
                    [
                        "/var/lib/etcd/acme": etcd.data(of: index), "--name=db1": "--name=\(name)",
                        "urls=https://db1:2380": "urls=\(etcd.peer(index))",
                        "https://db1:2380": etcd.peer(0), "https://db2:2380": etcd.peer(1),
                        "https://db3:2380": etcd.peer(2),
                    ]),
                in: etcd.directory, environment: etcd.environment)
            try await etcd.start(index)
        }
        try await etcd.healthy()
    }

    @Test func `forgets on PostgreSQL what came after it`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let old = try await DatabaseServer.start()
            try await old.makeRoles()
            let place = old.store(of: "acme", as: "pushadmin", in: "push")
            let prepared = try await site.pushauth([
                "fleet", "prepare", "--role", "acme", "--store", place,
            ])
            try #require(prepared.exitCode == 0, "\(prepared.errors)")
            let fleet = try await FleetSite(
                site, at: old.store(of: "acme", as: "acme", in: "push"))
            let trial = RestoreTrial(try await FleetGateway.found(fleet, simulator, "one", "zero"))
            try await trial.begin()
            try await FleetGuide.run(
                try FleetGuide.fence(
                    "sh", with: "pg_dump", ["host=db1": "host=127.0.0.1 port=\(old.port)"]),
                in: site.directory)
            try await trial.goOn()
            try await old.stop()
            let new = try await DatabaseServer.start()
            try await new.makeRoles()
            try await FleetGuide.run(
                try FleetGuide.fence(
                    "sh", with: "pg_restore", ["host=db1": "host=127.0.0.1 port=\(new.port)"]),
                in: site.directory)
            try await trial.check(at: new.store(of: "acme", as: "acme", in: "push"))
            try await new.stop()
        }
    }
}

/// What is done before a backup and after it, and what must be true once a fleet has gone back.
private final class RestoreTrial {
    let gateway: FleetGateway
    private var login: SimulatedLogin.ID = ""
    private var challenge = ""

    private var fleet: FleetSite { gateway.fleet }

    init(_ gateway: FleetGateway) {
        self.gateway = gateway
    }

    /// Before: a device with an enrollment, for which a login waits.
    func begin() async throws {
        try await fleet.enroll("jane", on: "one", with: gateway.simulator)
        let (id, push) = try await gateway.login(of: "jane")
        let heard = try await fleet.pushauth(
            "listen", "--stdin", "--json", "--device", "one",
            input: String(decoding: push.payload, as: UTF8.self) + "\n")
        login = id
        challenge = try #require(heard.lines.last?["question"]?["id"]?.string)
    }

    /// After: the login is approved, a device is made and enrolled, and another one is removed.
    func goOn() async throws {
        let approved = try await fleet.pushauth("approve", challenge, "--yes", "--device", "one")
        #expect(approved.exitCode == 0, "\(approved.errors)")
        #expect(try await gateway.simulator.status(of: login) == .approved)
        try await fleet.add("two")
        try await fleet.enroll("joe", on: "two", with: gateway.simulator)
        let removed = try await fleet.pushauth("device", "remove", "zero")
        #expect(removed.exitCode == 0, "\(removed.errors)")
        #expect(try await devices(in: fleet) == ["one", "two"])
    }

    private func devices(in fleet: FleetSite) async throws -> [String] {
        try await fleet.pushauth("device", "list", "--json").lines
            .compactMap { $0["device"]?.string }.sorted()
    }

    /// Whether all that the guide says is true, of the store at a place.
    func check(at place: String) async throws {
        let back = try await gateway.moved(to: place)
        #expect(try await devices(in: back.fleet) == ["one", "zero"])
        let listed = try await back.fleet.pushauth("list")
        #expect(listed.errors == "2 devices, 1 enrollment.\n", "\(listed.errors)")
        try await checkKey(of: back.fleet)
        try await checkDecision(in: back.fleet)
        let listener = try back.listen("--policy", try back.approving)
        // What was enrolled since is gone here, and its vendor goes on.
        let (_, lost) = try await back.login(of: "joe")
        #expect(try await back.post(lost, to: listener).status == 410)
        // What was enrolled before goes on.
        let (id, push) = try await back.login(of: "jane")
        #expect(try await back.post(push, to: listener).status == 202)
        try await back.wait(for: .approved, of: id)
        #expect(await listener.terminate().code == 0)
    }

    /// The backup is of no use without the key.
    private func checkKey(of fleet: FleetSite) async throws {
        let none = try await fleet.site.pushauth(["list", "--store", fleet.store])
        #expect(none.exitCode == 5 && none.errors.contains("There is no key"), "\(none.errors)")
        let other = try fleet.site.file("other.key", String(repeating: "6b", count: 32))
        chmod(other, 0o600)
        let wrong = try await fleet.site.pushauth([
            "list", "--store", fleet.store, "--key-file", other,
        ])
        #expect(wrong.exitCode == 5 && wrong.errors.contains("is sealed with the key"))
    }

    /// The login that was approved is open again, and another decision is sent.
    private func checkDecision(in fleet: FleetSite) async throws {
        let waiting = try await fleet.pushauth("pending", "--offline", "--json")
        #expect(try waiting.lines.compactMap { $0["id"]?.string } == [challenge])
        #expect(await gateway.answers()[login]?.count == 1)
        let denied = try await fleet.pushauth("deny", challenge, "--yes", "--device", "one")
        print("A second decision: exit code \(denied.exitCode), \(denied.output)\(denied.errors)")
        #expect(await gateway.answers()[login]?.count == 2)
        // This vendor refuses it.
        #expect(try await gateway.simulator.status(of: login) == .approved)
    }
}
