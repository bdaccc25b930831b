import Foundation
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushPlusAuthSimulator
import PushTesting
import Testing

@testable import push_lab

@Suite struct `pushauth approve and deny` {
    @Test func `approves and denies what a push announced`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            for (verb, expected) in [
                ("approve", SimulatedLogin.Status.approved), ("deny", .denied),
            ] {
                let login = try await simulator.startLogin(of: "jane", asking: .confirm)
                let events = try await site.deliver(from: simulator)
                #expect(try events.lines.map { $0["event"] }.contains("question"))
                let id = try await site.waiting()
                let result = try await site.pushauth(verb, String(id.prefix(4)), "--json")
                #expect(result.exitCode == 0, "\(result.errors)")
                let answer = try result.json
                #expect(answer["id"]?.string == id && answer["challenge"]?.string == id)
                #expect(answer["outcome"] == (verb == "approve" ? "approved" : "denied"))
                #expect(answer["user"] == "jane")
                #expect(try await simulator.status(of: login.id) == expected)
                #expect(try await site.pushauth("pending", "--offline", "--json").output.isEmpty)
                let shown = try await site.pushauth("show", id, "--json").json
                #expect(shown["state"] == (verb == "approve" ? "approved" : "denied"))
            }
        }
    }

    @Test func `chooses the number that is shown, and refuses one that wasn't offered`()
        async throws
    {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let login = try await simulator.startLogin(of: "jane", asking: .number)
            _ = try await site.deliver(from: simulator)
            let id = try await site.waiting()
            let shown = try await site.pushauth("show", id, "--json").json
            #expect(shown["asks"]?["prompt"] == "choose")
            #expect(shown["asks"]?["options"]?.array?.count == 3)
            let wrong = try await site.pushauth("choose", id, "1234")
            #expect(wrong.exitCode == 1)
            let plain = try await site.pushauth("approve", id)
            #expect(plain.exitCode == 1)
            let right = try await site.pushauth("choose", id, try #require(login.shown), "--json")
            #expect(right.exitCode == 0, "\(right.errors)")
            #expect(try await simulator.status(of: login.id) == .approved)
        }
    }

    @Test func `keeps the first decision, and names it`() async throws {
        let simulator = PlusAuthSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "ada")
            let login = try await simulator.startLogin(of: "ada", asking: .confirm)
            _ = try await site.deliver(from: simulator)
            let id = try await site.waiting()
            #expect(try await site.pushauth("deny", id, "--reason", "fraud").exitCode == 0)
            #expect(try await simulator.status(of: login.id) == .denied)
            #expect(
                try await simulator.answers(to: login.id).last?.rejectReason == "fraud_suspicion")
            let second = try await site.pushauth("approve", id)
            #expect(
                second.exitCode == 8 && second.errors.contains("The challenge is over."),
                "\(second.exitCode) \(second.output) \(second.errors)")
            #expect(try await simulator.status(of: login.id) == .denied)
            let again = try await site.pushauth("deny", id, "--reason", "fraud")
            #expect(again.exitCode == 0 && again.output == "denied\n")
        }
    }

    @Test func `tells of an answer once more, though the challenge can't be opened again`()
        async throws
    {
        // It forgets what opens a challenge.
        let simulator = PlusAuthSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "ada")
            _ = try await simulator.startLogin(of: "ada", asking: .confirm)
            _ = try await site.deliver(from: simulator)
            let id = try await site.waiting()
            let unasked = try await site.pushauth("approve", id)
            #expect(unasked.exitCode == 6)
            #expect(unasked.errors.contains("a yes by --yes") && !unasked.errors.contains("PIN"))
            for _ in 0..<2 {
                let result = try await site.pushauth("approve", id, "--yes")
                #expect(result.exitCode == 0 && result.output == "approved\n", "\(result.errors)")
            }
        }
    }

    @Test func `makes one-time codes where the vendor has them`() async throws {
        let simulator = PlusAuthSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let id = try await site.enroll(with: simulator, as: "ada")["id"]?.string ?? ""
            let login = try await simulator.startLogin(of: "ada", asking: .confirm)
            let code = try await site.pushauth("code", id)
            #expect(code.exitCode == 0, "\(code.errors)")
            let digits = code.output.trimmingCharacters(in: .newlines)
            #expect(try await simulator.submitCode(digits, for: login.id) == .accepted)
            let json = try await site.pushauth("code", id, "--json").json
            #expect(json["code"]?.string?.count == 6 && json["expires"] != nil)
        }
    }

    @Test func `has no codes, inbox or history where the vendor has none`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let id = try await site.enroll(with: simulator, as: "jane")["id"]?.string ?? ""
            for command in ["code", "inbox", "history"] {
                let result = try await site.pushauth(command, id)
                #expect(result.exitCode == 1 && result.output.isEmpty)
                #expect(result.errors.contains("forgerock") || command == "code")
            }
        }
    }

    @Test func `asks for the PIN where a history wants it`() async throws {
        let vendor = try #require(ConsoleVendors.all().first { $0.name == "powerauth" })
        try await PushAuthSite.run(with: vendor) { site in
            let enrolled = try await site.enroll(at: vendor, pin: "24680")
            let id = try #require(enrolled["id"]?.string)
            await vendor.settle("jane")
            _ = try await site.pushauth("refresh")
            let unasked = try await site.pushauth("history", id)
            #expect(unasked.exitCode == 6)
            #expect(unasked.errors.contains("the PIN by --pin-fd or --pin-env"))
            for (pin, code) in [("13579", Int32(6)), ("24680", 0)] {
                let result = try await site.pushauth(
                    "history", id, "--pin-env", "PIN", environment: ["PIN": pin])
                #expect(result.exitCode == code, "\(result.errors)")
            }
        }
    }

    @Test func `says that the server can't be reached, and sends the answer later`()
        async throws
    {
        try await PushAuthSite.run { site in
            let simulator = ForgeRockSimulator()
            let server = try await site.serve { await simulator.respond(to: $0, body: $1) }
            try await simulator.move(to: server.origin)
            try await site.enroll(with: simulator, as: "jane")
            let login = try await simulator.startLogin(of: "jane", asking: .confirm)
            _ = try await site.deliver(from: simulator)
            let id = try await site.waiting()
            await server.stop()
            let down = try await site.pushauth("approve", id, "--json")
            #expect([4, 9].contains(down.exitCode), "\(down.output)\(down.errors)")
            let doctor = try await site.pushauth("doctor", "--offline", "--json")
            #expect(try doctor.lines.contains { $0["check"] == "answer" })
            let again = try await LocalServer.start(site.wire, at: server.port) {
                await simulator.respond(to: $0, body: $1)
            }
            var refreshed = try await site.pushauth("refresh", "--json")
            // Perhaps the first process ended while it tried again: that try is left to it for a while.
            let start = ContinuousClock.now
            while refreshed.exitCode == 9, start.duration(to: .now) < .seconds(90) {
                try await Task.sleep(for: .seconds(1))
                refreshed = try await site.pushauth("refresh", "--json")
            }
            await again.stop()
            #expect(refreshed.exitCode == 0, "\(refreshed.errors)")
            #expect(try refreshed.lines.contains { $0["outcome"] == "approved" })
            #expect(try await simulator.status(of: login.id) == .approved)
        }
    }

    @Test func `loses no decision to Ctrl-C`() async throws {
        try await PushAuthSite.run { site in
            let simulator = ForgeRockSimulator()
            let (arrived, released) = (Event(), Event())
            let isSlow = Switch()
            let server = try await site.serve { request, body in
                if await isSlow.isOn {
                    arrived.happen()
                    await released.wait()
                    return nil
                }
                return await simulator.respond(to: request, body: body)
            }
            try await simulator.move(to: server.origin)
            try await site.enroll(with: simulator, as: "jane")
            let login = try await simulator.startLogin(of: "jane", asking: .confirm)
            _ = try await site.deliver(from: simulator)
            let id = try await site.waiting()
            await isSlow.turn(on: true)
            let interrupted = try await site.pushauth("approve", id) { child in
                await arrived.wait()
                child.interrupt()
                _ = await child.ended()
            }
            #expect(interrupted.exitCode == 130 && interrupted.output.contains("unknown"))
            // The exchange was broken off: nobody waited for it to time out.
            #expect(!interrupted.output.contains("Timeout"))
            #expect(interrupted.errors.contains("pushauth refresh"))
            await isSlow.turn(on: false)
            released.happen()
            let refreshed = try await site.pushauth("refresh", "--json")
            #expect(refreshed.exitCode == 0, "\(refreshed.errors)")
            #expect(
                try refreshed.lines.contains {
                    $0["id"] == .string(id) && $0["outcome"] == "approved"
                }, "\(refreshed.output)")
            let other = try await site.pushauth("deny", id)
            #expect(other.exitCode == 8 && other.errors.contains("first decision stands"))
            #expect(try await simulator.status(of: login.id) == .approved)
            await server.stop()
        }
    }
}
