import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab

/// What a listing of a whole fleet costs: etcd counts what it is asked.
@Suite(.serialized, .timeLimit(.minutes(3))) struct `a listing of a whole fleet` {
    private static let count = 120

    @Test func `asks the store few times for each device, and for none where nothing waits`()
        async throws
    {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let etcd = try await EtcdServer.start(in: site.directory)
            let fleet = try await FleetSite(site, at: etcd.place + "/acme")
            try await fleet.found("jane", "joe", "jill")
            let others = (4...Self.count).map { "device-\($0)" }
            let added = try await site.pushauth(["device", "add"] + others + fleet.place)
            try #require(added.exitCode == 0, "\(added.errors)")
            for name in ["jane", "joe", "jill"] {
                try await fleet.enroll(name, on: name, with: simulator)
            }
            let all = try await reads(of: etcd) { try await fleet.pushauth("list", "--json") }
            #expect(try Self.names(all.result) == ["jane", "jill", "joe"])
            // One trip for each vendor that there may be, and one for its device tokens.
            #expect(all.reads <= 7 * Self.count + 30, "\(all.reads)")

            _ = try await simulator.startLogin(of: "joe", asking: .confirm)
            for push in await simulator.takePushes() {
                let heard = try await fleet.pushauth(
                    "listen", "--stdin", "--json", "--device", "joe",
                    input: String(decoding: push.payload, as: UTF8.self) + "\n")
                #expect(try heard.lines.last?["event"] == "question", "\(heard.errors)")
            }
            let waiting = try await reads(of: etcd) {
                try await fleet.pushauth("pending", "--offline", "--json")
            }
            #expect(try Self.names(waiting.result) == ["joe"])
            #expect(waiting.reads <= 30, "\(waiting.reads)")
            print("\(Self.count) devices: list \(all.reads) trips, pending \(waiting.reads)")
            let told = try await fleet.pushauth("pending", "--offline")
            #expect(told.errors == "\(Self.count) devices, 1 waits for an answer.\n")
            // Vendors are asked for all.
            let asked = try await fleet.pushauth("pending", "--json")
            #expect(asked.exitCode == 0, "\(asked.errors)")
            #expect(try Self.names(asked) == ["joe"])
            await etcd.kill()
        }
    }

    /// The devices of what was listed.
    private static func names(_ result: Program.Result) throws -> [String] {
        try result.lines.compactMap { $0["device"]?.string }.sorted()
    }

    /// How often etcd was read while a command ran.
    private func reads(
        of etcd: EtcdServer, _ body: () async throws -> Program.Result
    ) async throws -> (result: Program.Result, reads: Int) {
        let before = try await etcd.reads()
        let result = try await body()
        try #require(result.exitCode == 0, "\(result.errors)")
        return (result, try await etcd.reads() - before)
    }
}
