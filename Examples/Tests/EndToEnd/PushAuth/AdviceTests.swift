import Foundation
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// What standard error says to do next, and doesn't say where it would mislead.
@Suite(.timeLimit(.minutes(3))) struct `the advice of pushauth` {
    @Test func `of an enrollment that is gone it isn't said to try again`() async throws {
        let vendor = try #require(ConsoleVendors.all().first { $0.name == "xignin" })
        try await PushAuthSite.run { site in
            let server = try await site.serve { await vendor.simulator.respond(to: $0, body: $1) }
            try await vendor.simulator.move(to: server.origin)
            let id = try await site.join(vendor)
            await server.stop()
            let removed = try await site.pushauth("remove", id, "--yes")
            #expect(removed.exitCode == 4 && removed.errors.contains("Removed here, but"))
            #expect(!removed.errors.contains("Try again"))
            #expect(removed.errors.contains("have it ended there"))
            #expect(try await site.pushauth("list", "--json").output.isEmpty)
        }
    }

    @Test(arguments: [
        ["--pin-env", "PUSHAUTH_NONE"], ["--pin-fd", "987"], ["--pin-fd", "0"], [],
    ])
    func `of a PIN that nobody gave it isn't said to check it`(options: [String]) async throws {
        try await PushAuthSite.run(atVendor: "xignin") { site, vendor in
            _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
            let text = try #require(try await vendor.simulator.invitation(for: "jane").scannedText)
            let result = try await site.pushauth(["enroll", text, "--yes"] + options)
            #expect(result.exitCode == 6, "\(result.errors)")
            #expect(!result.errors.contains("Check the PIN"), "\(result.errors)")
        }
    }

    @Test(arguments: [["watch"], ["history"], ["remove", "--yes"]])
    func `Ctrl-C names no command that would go on where none would`(
        command: [String]
    ) async throws {
        let gate = Gate()
        try await PushAuthSite.run(atVendor: "powerauth", through: gate) { site, vendor in
            let id = try await site.join(vendor)
            let knock = await gate.shut()
            let arguments = command[0] == "watch" ? command : command + [id, "--pin-env", "PIN"]
            let result = try await Program("pushauth").run(
                arguments,
                environment: site.environment.merging(["PIN": PushAuthSite.pin]) { $1 }
            ) { child in
                await knock.wait()
                child.interrupt()
                _ = await child.ended()
            }
            await gate.open()
            #expect(result.exitCode == 130, "\(result.errors)")
            #expect(result.errors.hasSuffix("Interrupted.\n"), "\(result.errors)")
        }
    }

    @Test func `an empty text isn't standard input's`() async throws {
        try await PushAuthSite.run { site in
            let result = try await site.pushauth("enroll", "", "--yes")
            #expect(result.exitCode == 1 && result.errors.contains("is empty"))
            #expect(!result.errors.contains("Standard input"))
        }
    }

    @Test func `token clear keeps nothing`() async throws {
        try await PushAuthSite.run { site in
            let cleared = try await site.pushauth("token", "clear")
            #expect(cleared.exitCode == 0 && !cleared.errors.contains("Kept"))
            let set = try await site.pushauth("token", "set", "--fcm", "a")
            #expect(set.errors == "Kept for the next enrollment.\n")
        }
    }

    @Test(arguments: [
        (SimulatedLogin.Kind.number, ForgeRockSimulator.BadPush?.none, "approve", "choose"),
        (.number, nil, "enter", "choose"), (.number, .noNumbers, "approve", "enter"),
        (.confirm, nil, "choose", "approve"),
    ])
    func `an answer of another kind names the command that is meant`(
        kind: SimulatedLogin.Kind, oddity: ForgeRockSimulator.BadPush?, typed: String, meant: String
    ) async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            _ = try await simulator.startLogin(of: "jane", asking: kind, spoiledBy: oddity)
            _ = try await site.deliver(from: simulator)
            let id = try await site.waiting()
            let number = typed == "approve" ? [] : ["12"]
            let result = try await site.pushauth([typed, id, "--yes"] + number)
            #expect(result.exitCode == 1)
            #expect(result.errors.contains("`pushauth \(meant) \(id)"), "\(result.errors)")
        }
    }

    @Test func `deny takes what its siblings take`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let login = try await simulator.startLogin(of: "jane", asking: .confirm)
            _ = try await site.deliver(from: simulator)
            let result = try await site.pushauth(
                "deny", try await site.waiting(), "--yes", "--pin-env", "PIN")
            #expect(result.exitCode == 0 && result.output == "denied\n", "\(result.errors)")
            #expect(try await simulator.status(of: login.id) == .denied)
        }
    }
}
