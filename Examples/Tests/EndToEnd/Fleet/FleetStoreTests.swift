import Foundation
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab

/// `pushauth` on a store that machines share, with real servers.
@Suite(.serialized, .timeLimit(.minutes(4))) struct `a store that machines share` {
    @Test(arguments: ["etcd", "postgres"])
    func `each device enrolls, is asked and answers for itself`(kind: String) async throws {
        try await FleetSite.each(kind) { fleet, simulator, _ in
            try await fleet.found("one", "two", "three")
            for device in ["one", "two"] {
                try await fleet.enroll("jane", on: device, with: simulator)
            }
            var told: Set<String?> = []
            for device in await simulator.devices(of: "jane") {
                told.insert(try await fleet.owner(of: device.deviceToken))
            }
            #expect(told == ["one", "two"])
            let all = try await fleet.pushauth("list")
            #expect(all.errors == "3 devices, 2 enrollments.\n", "\(all.errors)")
            let one = try await fleet.pushauth("list", "--device", "one", "--json")
            #expect(try one.json["device"] == "one")
            let login = try await simulator.startLogin(of: "jane", asking: .confirm)
            // Both devices are hers, and the push to one of them is given to that one alone.
            let push = try #require(await simulator.takePushes().first)
            let line = String(decoding: push.payload, as: UTF8.self)
            let owner = try #require(try await fleet.owner(of: push.deviceToken))
            let heard = try await fleet.pushauth(
                "listen", "--stdin", "--json", "--device", owner, input: line + "\n")
            #expect(try heard.lines.map { $0["event"] } == ["listening", "received", "question"])
            #expect(try heard.lines.last?["device"]?.string == owner)
            let waiting = try await fleet.pushauth("pending", "--offline")
            #expect(waiting.errors == "3 devices, 1 waits for an answer.\n")
            #expect(waiting.output.hasPrefix(owner + "  "))
            let id = try #require(heard.lines.last?["question"]?["id"]?.string)
            let other = owner == "one" ? "two" : "one"
            let lost = try await fleet.pushauth("approve", id, "--yes", "--device", other)
            #expect(lost.exitCode == 3)
            let done = try await fleet.pushauth("approve", id, "--yes", "--device", owner)
            #expect(done.exitCode == 0, "\(done.errors)")
            #expect(try await simulator.status(of: login.id) == .approved)
            let history = try await fleet.pushauth("pending", "--offline", "--device", owner)
            #expect(history.exitCode == 0 && history.output.isEmpty)
            try await removing(other, from: fleet)
        }
    }

    /// A device goes with its enrollments, or not at all.
    private func removing(_ device: String, from fleet: FleetSite) async throws {
        let kept = try await fleet.pushauth("device", "remove", device)
        #expect(kept.exitCode == 1 && kept.errors.contains("has 1 enrollment."), "\(kept.errors)")
        let gone = try await fleet.pushauth("device", "remove", device, "--forget")
        #expect(gone.exitCode == 0, "\(gone.errors)")
        let missing = try await fleet.pushauth("list", "--device", device)
        #expect(missing.exitCode == 3 && missing.errors.contains("no device '\(device)'"))
        let rest = try await fleet.pushauth("list")
        #expect(rest.errors == "2 devices, 1 enrollment.\n", "\(rest.errors)")
    }

    @Test func `a device remembers its two newest logins whole`() async throws {
        try await FleetSite.each("etcd") { fleet, simulator, _ in
            try await fleet.found("one")
            try await fleet.enroll("jane", on: "one", with: simulator)
            var ids: [String] = []
            for _ in 1...3 {
                _ = try await simulator.startLogin(of: "jane", asking: .confirm)
                let push = try #require(await simulator.takePushes().first)
                let heard = try await fleet.pushauth(
                    "listen", "--stdin", "--json", "--device", "one",
                    input: String(decoding: push.payload, as: UTF8.self) + "\n")
                let id = try #require(heard.lines.last?["question"]?["id"]?.string)
                let denied = try await fleet.pushauth("deny", id, "--yes", "--device", "one")
                #expect(denied.exitCode == 0, "\(denied.errors)")
                ids.append(id)
            }
            var codes: [Int32] = []
            for id in ids {
                let shown = try await fleet.pushauth("show", id, "--closed", "--device", "one")
                codes.append(shown.exitCode)
            }
            #expect(codes == [3, 0, 0])
        }
    }

    @Test func `a file of invitations is gone through once, whoever is killed`() async throws {
        try await FleetSite.each("etcd") { fleet, simulator, _ in
            try await fleet.found("one")
            var lines = ""
            for user in ["jane", "joe", "jill"] {
                lines += (try await simulator.invitation(for: user).scannedText ?? "") + "\n"
            }
            for _ in 1...2 {
                let run = try await fleet.pushauth(
                    "enroll", "--from", "-", "--device", "one", input: lines)
                #expect(run.exitCode == 0, "\(run.errors)\(run.output)")
            }
            let all = try await fleet.pushauth("list")
            #expect(all.errors == "1 device, 3 enrollments.\n", "\(all.errors)")
        }
    }

    @Test(arguments: ["etcd", "postgres"])
    func `doctor names the kind of the store, its servers and its fleet`(
        kind: String
    ) async throws {
        try await FleetSite.each(kind) { fleet, _, _ in
            try await fleet.found("one")
            let result = try await fleet.pushauth("doctor", "--offline", "--json")
            #expect(result.exitCode == 0, "\(result.output)")
            let checks = try result.lines
            func check(_ name: String) -> JSON? { checks.first { $0["check"]?.string == name } }
            #expect(check("store")?["text"]?.string?.hasPrefix(kind) == true)
            #expect(check("fleet")?["text"]?.string?.hasPrefix("1 device;") == true)
            if kind == "etcd" {
                #expect(check("member")?["status"] == "ok")
            } else {
                #expect(check("durability")?["status"] == "warning")
                #expect(
                    check("durability")?["text"]?.string?.contains("synchronous_standby_names")
                        == true)
            }
        }
    }
}
