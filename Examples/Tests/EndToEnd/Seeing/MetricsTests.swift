import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// What `pushauth listen --metrics` serves, as Prometheus' own library reads it.
@Suite(.timeLimit(.minutes(3))) struct `metrics of a listener` {
    /// A family, as the library read it.
    private struct Family {
        let type: String
        let help: String
        let samples: [JSON]

        /// The value of the sample with these labels and no other but `le`.
        func value(_ labels: [String: String], _ name: String? = nil) -> Double? {
            samples.first { sample in
                let found = sample["labels"]?.object?.members ?? []
                return (name == nil || sample["name"]?.string == name)
                    && found.allSatisfy { labels[$0.name] == $0.value.string }
                    && found.count == labels.count
            }?["value"]?.double
        }
    }

    private func scrape(_ listening: ListeningProcess) async throws -> [String: Family] {
        let url = try #require(try await listening.event("listening")["metrics"]?["url"]?.string)
        let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/env"))
            .run(["curl", "--silent", "--show-error", "--fail", url])
        try #require(result.exitCode == 0, "\(result.errors)")
        var families: [String: Family] = [:]
        for line in try await PythonClient("metrics").run([], result.output) {
            families[line["name"]?.string ?? ""] = Family(
                type: line["type"]?.string ?? "", help: line["help"]?.string ?? "",
                samples: line["samples"]?.array ?? [])
        }
        return families
    }

    @Test func `a login counts its push, its answer and the store's calls, and names nobody`()
        async throws
    {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane-the-canary")
            let policy = try site.file(
                "policy.toml", "[[rule]]\nname = \"all\"\naction = \"deny\"\n")
            let listening = try ListeningProcess(
                ["--stdin", "--metrics", "127.0.0.1:0", "--policy", policy],
                environment: site.environment)
            do {
                let first = try await scrape(listening)
                #expect(first["pushauth_store_settled"]?.value(["result": "unknown"]) == 0)
                #expect(first["pushauth_unfinished"]?.value([:]) == 0)
                #expect(first["pushauth_queue"]?.value([:]) == 0)
                let most = first["pushauth_connections_limit"]?.value([:]) ?? 0
                let unproved = first["pushauth_connections_unproved_limit"]?.value([:]) ?? 0
                #expect(0 < unproved && unproved < most)
                let login = try await simulator.startLogin(
                    of: "jane-the-canary", asking: .confirm)
                for push in await simulator.takePushes() { try listening.push(push) }
                _ = try await listening.event("answered")
                #expect(try await simulator.status(of: login.id) == .denied)
                let families = try await scrape(listening)
                #expect(
                    families["pushauth_pushes"]?
                        .value(["intake": "stdin", "verdict": "taken"]) == 1)
                #expect(
                    families["pushauth_answers"]?
                        .value(["provider": "forgerock", "outcome": "delivered"]) == 1)
                #expect(
                    families["pushauth_answer_seconds"]?
                        .value(["le": "+Inf"], "pushauth_answer_seconds_bucket") == 1)
                #expect(
                    families["pushauth_store"]?
                        .value(["operation": "write", "code": "done"]) ?? 0 >= 3)
                #expect(Set(families.keys) == Self.names)
                #expect(families.values.allSatisfy { !$0.help.isEmpty && $0.type != "unknown" })
                let labels = families.values.flatMap(\.samples).compactMap { $0["labels"]?.text }
                #expect(!labels.contains { $0.contains("canary") || $0.contains("lab-token") })
            } catch {
                await listening.kill()
                throw error
            }
            #expect(await listening.stop().code == 130)
        }
    }

    private static let names: Set = [
        "pushauth_pushes", "pushauth_answers", "pushauth_answer_seconds",
        "pushauth_store_seconds", "pushauth_store", "pushauth_store_settled",
        "pushauth_unfinished", "pushauth_oldest_unfinished_seconds", "pushauth_queue",
        "pushauth_vendor_pauses", "pushauth_vendors_hanging", "pushauth_connections",
        "pushauth_connections_unproved", "pushauth_connections_limit",
        "pushauth_connections_unproved_limit",
        "pushauth_connections_closed",
    ]

    @Test func `a challenge that waits, and a server that wants a pause, are seen`() async throws {
        let simulator = ForgeRockSimulator()
        let isBusy = Switch()
        let handler: LocalServer.Handler = { request, body in
            guard await isBusy.isOn else {
                return await simulator.respond(to: request, body: body)
            }
            return (
                HTTPResponse(status: .serviceUnavailable, headerFields: [.retryAfter: "3000"]),
                Data()
            )
        }
        try await PushAuthSite.run(with: simulator, answering: handler) { site in
            try await site.enroll(with: simulator, as: "jane")
            let listening = try ListeningProcess(
                [
                    "--stdin", "--metrics", "127.0.0.1:0", "--policy",
                    try site.file("p.toml", "[[rule]]\nname = \"all\"\naction = \"approve\"\n"),
                ],
                environment: site.environment)
            do {
                _ = try await listening.event("listening")
                await isBusy.turn(on: true)
                _ = try await simulator.startLogin(of: "jane", asking: .confirm)
                for push in await simulator.takePushes() { try listening.push(push) }
                _ = try await listening.event("answered")
                let families = try await scrape(listening)
                #expect(families["pushauth_unfinished"]?.value([:]) == 1)
                #expect(families["pushauth_vendor_pauses"]?.value([:]) == 1)
                #expect(
                    families["pushauth_oldest_unfinished_seconds"]?.value([:]) ?? 0 > 0)
            } catch {
                await listening.kill()
                throw error
            }
            await listening.kill()
        }
    }

    @Test func `a port that is taken is said before anything is taken`() async throws {
        let server = try await LocalServer.start { _, _ in nil }
        try await PushAuthSite.run { site in
            let result = try await site.pushauth(
                "listen", "--stdin", "--metrics", "127.0.0.1:\(server.port)", input: "{}\n")
            #expect(result.exitCode == 1)
            #expect(
                result.errors.hasPrefix(
                    "pushauth: Port \(server.port) of 127.0.0.1 is taken by another program.\n"))
            #expect(result.output.isEmpty)
            let open = try await site.pushauth("listen", "--stdin", "--metrics", "0.0.0.0:0")
            #expect(open.exitCode == 64)
            #expect(open.errors.contains("--tls-cert"))
        }
        await server.stop()
    }

    @Test func `a metered store is as walkable and shared as its base, and counts each refusal`()
        async throws
    {
        let meter = Meter()
        let store = meter.around(InMemoryStore(isShared: true))
        let key = RecordKey("c", "n")
        try await store.write(Secret("v".utf8), for: key, replacing: nil)
        await #expect(throws: PushError.self) {
            try await store.write(Secret("w".utf8), for: key, replacing: nil)
        }
        #expect(store.isShared)
        #expect(store is any WalkableStore == (InMemoryStore() as Any is any WalkableStore))
        let text = meter.text([:])
        #expect(text.contains("pushauth_store_total{operation=\"write\",code=\"done\"} 1\n"))
        #expect(text.contains("pushauth_store_total{operation=\"write\",code=\"conflict\"} 1\n"))
    }
}
