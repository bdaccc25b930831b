import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// What a newcomer meets first, and the command that it leads to.
@Suite(.timeLimit(.minutes(3))) struct `the first steps with pushauth` {
    private static let listen = "`pushauth listen --fcm 127.0.0.1:0 --credentials push`"
    private static let enroll = "`pushauth enroll -`"

    @Test(arguments: [
        ["list"], ["pending"], ["pending", "--offline"], ["approve", "3f9a"], ["deny", "3f9a"],
        ["show", "3f9a"], ["code", "3f9a"], ["remove", "3f9a"],
    ])
    func `without an enrollment, they lead to enroll`(command: [String]) async throws {
        try await PushAuthSite.run { site in
            let result = try await site.pushauth(command)
            #expect(result.errors.contains(Self.enroll), "\(result.errors)")
            #expect(result.output.isEmpty)
            #expect(result.exitCode == (command.count == 1 || command[0] == "pending" ? 0 : 3))
        }
    }

    @Test(arguments: [["approve", "3f9a"], ["choose", "3f9a", "12"]])
    func `without a challenge, they lead to listen, until one has come`(
        command: [String]
    ) async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let first = try await site.pushauth(command)
            #expect(first.errors.contains(Self.listen), "\(first.errors)")
            _ = try await simulator.startLogin(of: "jane", asking: .confirm)
            _ = try await site.deliver(from: simulator)
            let id = try await site.waiting()
            _ = try await site.pushauth("deny", id)
            let second = try await site.pushauth(command)
            #expect(!second.errors.contains(Self.listen), "\(second.errors)")
        }
    }

    @Test func `where nothing waits, pending leads to listen`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let none = try await site.pushauth("pending", "--offline")
            #expect(none.errors.contains(Self.listen), "\(none.errors)")
            _ = try await simulator.startLogin(of: "jane", asking: .confirm)
            _ = try await site.deliver(from: simulator)
            let one = try await site.pushauth("pending", "--offline")
            #expect(!one.errors.contains(Self.listen), "\(one.errors)")
        }
    }

    @Test func `an enrollment that wants a device token leads to listen`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let text = try await simulator.invitation(for: "jane").scannedText
            let result = try await site.pushauth("enroll", "-", "--yes", input: text)
            #expect(result.exitCode == 1)
            #expect(result.errors.contains(Self.listen), "\(result.errors)")
        }
    }

    @Test func `an enrollment that has none is told, and what comes next`() async throws {
        try await PushAuthSite.run(atVendor: "powerauth") { site, vendor in
            let text = try await vendor.simulator.invitation(for: "jane").scannedText ?? ""
            let pending = try await site.pushauth(
                ["enroll", text, "--yes", "--pin-env", "PIN"],
                environment: ["PIN": PushAuthSite.pin])
            #expect(pending.exitCode == 0, "\(pending.errors)")
            let id = try #require(pending.output.split(separator: " ").first)
            #expect(pending.errors.contains("`pushauth refresh \(id)`"), "\(pending.errors)")
        }
    }

    @Test(arguments: [["listen"], ["listen", "--fcm", "0"]])
    func `a listener without a way in is told one`(command: [String]) async throws {
        try await PushAuthSite.run { site in
            let result = try await site.pushauth(command)
            #expect(result.exitCode == 64 && result.errors.contains("--credentials push"))
        }
    }

    @Test func `the command that they lead to works as it stands`() async throws {
        try await PushAuthSite.run { site in
            let command = Self.listen.trimmingCharacters(in: ["`"])
            let script = "cd '\(site.directory.path)' && exec \"$0\" \(command.dropFirst(9)) \"$@\""
            let result = try await Program(at: URL(fileURLWithPath: "/bin/sh")).run(
                ["-c", script, Program("pushauth").executable.path, "--timeout", "1"],
                environment: site.environment)
            #expect(result.exitCode == 10, "\(result.errors)")
            #expect(result.errors.hasPrefix("listening  fcm http://127.0.0.1:"))
        }
    }
}
