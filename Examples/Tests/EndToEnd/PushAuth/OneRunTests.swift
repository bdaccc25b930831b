import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// What `pushauth listen` takes for its own run.
@Suite(.timeLimit(.minutes(3))) struct `one run of pushauth listen` {
    private static let approving = "[[rule]]\nname = \"all\"\naction = \"approve\"\n"

    @Test func `--once doesn't end on a challenge that an earlier run left`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let old = try await simulator.startLogin(of: "jane", asking: .confirm)
            _ = try await site.deliver(from: simulator)
            let policy = try site.file("policy.toml", Self.approving)
            let listening = try ListeningProcess(
                ["--stdin", "--once", "--policy", policy, "--yes", "--timeout", "90"],
                environment: site.environment)
            // The earlier one is answered all the same.
            _ = try await listening.event("answered")
            #expect(try await simulator.status(of: old.id) == .approved)
            let new = try await simulator.startLogin(of: "jane", asking: .confirm)
            for push in await simulator.takePushes() { try listening.push(push) }
            #expect(await listening.ended().code == 0)
            #expect(try await simulator.status(of: new.id) == .approved)
        }
    }

    @Test func `--once with nothing of its own ends as if nothing had come`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let old = try await simulator.startLogin(of: "jane", asking: .confirm)
            _ = try await site.deliver(from: simulator)
            let policy = try site.file("policy.toml", Self.approving)
            let result = try await site.pushauth(
                "listen", "--http", "0", "--credentials", site.directory.path + "/push", "--once",
                "--policy", policy, "--yes", "--timeout", "8")
            #expect(result.exitCode == 10, "\(result.output)\(result.errors)")
            #expect(try await simulator.status(of: old.id) == .approved)
        }
    }

    @Test func `its time counts while a vendor holds what an earlier run left`() async throws {
        let simulator = ForgeRockSimulator()
        let (refusing, holding) = (Switch(), Switch())
        let handler: LocalServer.Handler = { request, body in
            if await refusing.isOn { return (HTTPResponse(status: .serviceUnavailable), Data()) }
            while await holding.isOn { try? await Task.sleep(for: .milliseconds(20)) }
            return await simulator.respond(to: request, body: body)
        }
        try await PushAuthSite.run(with: simulator, answering: handler) { site in
            try await site.enroll(with: simulator, as: "jane")
            _ = try await simulator.startLogin(of: "jane", asking: .confirm)
            _ = try await site.deliver(from: simulator)
            let id = try await site.waiting()
            await refusing.turn(on: true)
            #expect(try await site.pushauth("approve", "--user", "jane").exitCode == 9)
            await refusing.turn(on: false)
            await holding.turn(on: true)
            let listening = try ListeningProcess(
                ["--stdin", "--timeout", "2"], environment: site.environment)
            let code = await listening.ended().code
            let events = await listening.events
            await holding.turn(on: false)
            #expect(code == 10)
            // Else it would have waited until the vendor was given up.
            #expect(events.map { $0["event"] } == ["listening"])
            // What was on its way stays on record.
            let shown = try await site.pushauth("show", id, "--json", "--closed").json
            #expect(shown["state"] == "approving")
        }
    }

    @Test func `a token that is set while it listens is taken, and the earlier one no longer`()
        async throws
    {
        try await PushAuthSite.run { site in
            let directory = site.directory.appendingPathComponent("push")
            let listening = try ListeningProcess(
                ["--fcm", "0", "--apns", "0", "--credentials", directory.path, "--timeout", "120"],
                environment: site.environment)
            _ = try await listening.event("listening")
            let first = try DeviceTokenFile(besides: site.store.path).read()
            let made: [DeviceToken] = [
                .fcm(first.fcm ?? ""), .apns(hex: first.apns ?? "", isSandbox: false),
            ]
            let hex = String(repeating: "c3", count: 32)
            let text = String(repeating: "t", count: 150)
            let chosen: [DeviceToken] = [.fcm(text), .apns(hex: hex, isSandbox: false)]
            func fates(_ tokens: [DeviceToken]) async -> [String] {
                var fates: [String] = []
                for token in tokens {
                    fates.append(
                        await PushSender(directory: directory)
                            .send(SimulatedPush(to: token, payload: Data(#"{"a":"b"}"#.utf8)))
                            .words)
                }
                return fates
            }
            let taken = ["taken by FCM", "taken by APNs"]
            let refused = ["refused by FCM: 404 NOT_FOUND", "refused by APNs: 410 Unregistered"]
            #expect(await fates(made) == taken)
            #expect(await fates(chosen) == refused)
            for option in [["--fcm", text], ["--apns", hex]] {
                #expect(try await site.pushauth(["token", "set"] + option).exitCode == 0)
            }
            #expect(await fates(chosen) == taken)
            #expect(await fates(made) == refused)
            #expect(await listening.stop().code == 130)
        }
    }
}
