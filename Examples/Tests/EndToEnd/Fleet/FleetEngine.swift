import Foundation
import PushForgeRockSimulator
import Testing

@testable import push_lab

/// A real server that keeps a fleet's store.
enum FleetEngine {
    case etcd(EtcdServer)
    case postgres(DatabaseServer)

    static func start(_ kind: String, in directory: URL) async throws -> FleetEngine {
        kind == "etcd"
            ? .etcd(try await EtcdServer.start(in: directory))
            : .postgres(try await DatabaseServer.start())
    }

    func store(of tenant: String) -> String {
        switch self {
        case .etcd(let etcd): etcd.place + "/" + tenant
        case .postgres(let database): database.store(of: tenant)
        }
    }

    /// Lets it answer nobody, until it goes on.
    func pause() {
        if case .etcd(let etcd) = self { etcd.pause() }
    }

    func proceed() {
        if case .etcd(let etcd) = self { etcd.proceed() }
    }

    func stop() async throws {
        switch self {
        case .etcd(let etcd): await etcd.kill()
        case .postgres(let database): try await database.stop()
        }
    }
}

extension FleetSite {
    /// Runs a test with users of a store on a server of a kind, which has no fleet yet, and a vendor.
    static func each(
        _ kind: String, setUp: (inout ForgeRockSimulator.Configuration) -> Void = { _ in },
        _ test: (FleetSite, ForgeRockSimulator, FleetEngine) async throws -> Void
    ) async throws {
        var configuration = ForgeRockSimulator.Configuration()
        setUp(&configuration)
        let simulator = ForgeRockSimulator(configuration)
        try await PushAuthSite.run(with: simulator) { site in
            let engine = try await FleetEngine.start(kind, in: site.directory)
            do {
                let fleet = try await FleetSite(site, at: engine.store(of: "acme"))
                if case .postgres = engine { try await prepare(fleet) }
                try await test(fleet, simulator, engine)
            } catch {
                try await engine.stop()
                throw error
            }
            try await engine.stop()
        }
    }

    private static func prepare(_ fleet: FleetSite) async throws {
        let early = try await fleet.pushauth("fleet", "init", "--public-url", "http://a")
        #expect(early.exitCode == 5)
        #expect(early.errors.contains("`pushauth fleet prepare`"), "\(early.errors)")
        let prepared = try await fleet.pushauth("fleet", "prepare")
        try #require(prepared.exitCode == 0, "\(prepared.errors)")
    }
}
