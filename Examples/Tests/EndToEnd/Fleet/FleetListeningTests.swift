import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// Several `pushauth listen` on one etcd.
@Suite(.serialized, .timeLimit(.minutes(5))) struct `the listeners of a fleet` {
    /// Runs a test with a fleet of two devices, and a vendor that passes a gate, or is down.
    private func run(
        _ simulator: ForgeRockSimulator, through gate: Gate = Gate(),
        whileNot down: Switch = Switch(),
        _ test: (FleetGateway, EtcdServer) async throws -> Void
    ) async throws {
        try await PushAuthSite.run(
            with: simulator,
            answering: {
                await gate.pass()
                guard await !down.isOn else { return (HTTPResponse(status: .badGateway), Data()) }
                return await simulator.respond(to: $0, body: $1)
            }
        ) { site in
            let etcd = try await EtcdServer.start(in: site.directory)
            let fleet = try await FleetSite(site, at: etcd.place + "/acme")
            let gateway = try await FleetGateway.found(fleet, simulator, "one", "two")
            try await fleet.enroll("jane", on: "one", with: simulator)
            try await test(gateway, etcd)
            await etcd.kill()
        }
    }

    @Test func `any of them takes the push of any device, by its token alone`() async throws {
        let simulator = ForgeRockSimulator()
        try await run(simulator) { site, _ in
            let listeners = [
                try site.listen("--policy", try site.approving),
                try site.listen("--policy", try site.approving),
            ]
            // One that starts later would find the first login waiting, and tell of its end as well.
            for listener in listeners { #expect(try await site.ready(listener) == 200) }
            for listener in listeners {
                let (id, push) = try await site.login(of: "jane")
                let taken = try await site.post(push, to: listener)
                #expect(taken.status == 202 && taken.body?["events"] == 1)
                let answered = try await listener.event("answered")
                #expect(answered["device"] == "one" && answered["rule"] == "all")
                #expect(try await simulator.status(of: id) == .approved)
                // It was the vendor's word for one device, and says nothing to another.
                let other = try #require(
                    try await site.fleet.pushauth("device", "list", "--json").lines
                        .first { $0["device"] == "two" }?["fcm"]?.string)
                #expect(try await site.post(push, to: listener, token: other).status == 422)
                let strange = try await site.post(push, to: listener, token: "x" + other)
                #expect(strange.status == 422)
            }
            try await removed(from: site, listeners[0])
            for listener in listeners { #expect(await listener.terminate().code == 0) }
        }
    }

    private func removed(
        from site: FleetGateway, _ listener: ListeningProcess
    ) async throws {
        let (_, push) = try await site.login(of: "jane")
        let removed = try await site.fleet.pushauth("device", "remove", "one", "--forget")
        #expect(removed.exitCode == 0, "\(removed.errors)")
        #expect(try await site.post(push, to: listener).status == 410)
    }

    @Test func `what nobody judged before its process was killed is judged by another`()
        async throws
    {
        let simulator = ForgeRockSimulator()
        try await run(simulator) { site, _ in
            let waiting = try site.listen()
            let (id, push) = try await site.login(of: "jane")
            #expect(try await site.post(push, to: waiting).status == 202)
            _ = try await waiting.event("question")
            await waiting.kill()
            let other = try site.listen("--policy", try site.approving, "--take-up", "1")
            try await site.wait(for: .approved, of: id)
            #expect(try await other.event("answered")["device"] == "one")
            #expect(await other.terminate().code == 0)
        }
    }

    @Test func `a decision is sent by the process that made it, once it has started again`()
        async throws
    {
        let (simulator, down) = (ForgeRockSimulator(), Switch())
        try await run(simulator, whileNot: down) { site, _ in
            let policy = try site.approving
            func listen() throws -> ListeningProcess {
                try site.listen("--policy", policy, "--instance", "east")
            }
            let first = try listen()
            let (id, push) = try await site.login(of: "jane")
            _ = try await first.event("listening")
            await down.turn(on: true)
            #expect(try await site.post(push, to: first).status == 202)
            #expect(try await first.event("answered")["answer"]?["outcome"] == "unknown")
            await first.kill()
            await down.turn(on: false)
            #expect(try await simulator.status(of: id) == .waiting)
            let again = try listen()
            try await site.wait(for: .approved, of: id)
            #expect(try await again.event("answered")["answer"]?["outcome"] == "approved")
            #expect(await again.terminate().code == 0)
        }
    }

    @Test func `SIGTERM lets an answer come to its end, and nothing new is taken meanwhile`()
        async throws
    {
        let (simulator, gate) = (ForgeRockSimulator(), Gate())
        try await run(simulator, through: gate) { site, _ in
            let listener = try site.listen("--policy", try site.approving)
            let (id, push) = try await site.login(of: "jane")
            let (_, next) = try await site.login(of: "jane")
            #expect(try await site.ready(listener) == 200)
            let knock = await gate.shut()
            #expect(try await site.post(push, to: listener).status == 202)
            await knock.wait()
            let end = Task { await listener.terminate() }
            let start = ContinuousClock.now
            while try await site.ready(listener) != 503 {
                try #require(start.duration(to: .now) < .seconds(60))
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(try await site.post(next, to: listener).status == 503)
            await gate.open()
            #expect(await end.value.code == 0)
            #expect(try await simulator.status(of: id) == .approved)
        }
    }

    @Test func `without its store it isn't ready, and takes no push`() async throws {
        let simulator = ForgeRockSimulator()
        try await run(simulator) { site, etcd in
            let listener = try site.listen()
            let (_, push) = try await site.login(of: "jane")
            #expect(try await site.ready(listener) == 200)
            await etcd.kill()
            let start = ContinuousClock.now
            while try await site.ready(listener) != 503 {
                try #require(start.duration(to: .now) < .seconds(60))
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(try await site.post(push, to: listener).status == 503)
            #expect(await listener.terminate().code == 0)
        }
    }
}
