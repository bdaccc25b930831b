import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// An ID with a slip of the finger, or of what isn't there.
@Suite(.timeLimit(.minutes(3))) struct `a mistyped ID` {
    private static let commands = [
        ["show"], ["remove", "--yes"], ["refresh"], ["code"], ["inbox"], ["history"],
        ["export", "/nonexistent-export/x", "--yes", "--dry-run"],
        ["sign", "--resource", "/x", "--factors", "possession"],
    ]

    /// A known ID with another digit in it, and one that is like none.
    private func slip(_ id: String) -> (near: String, far: String) {
        var digits = Array(id)
        digits[5] = digits[5] == "0" ? "1" : "0"
        return (String(digits), String(repeating: digits[0] == "9" ? "8" : "9", count: 12))
    }

    @Test(arguments: commands) func `of an enrollment leads to the nearest, or to the list`(
        command: [String]
    ) async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let id = try #require(
                try await site.enroll(with: simulator, as: "jane")["id"]?.string)
            let (near, far) = slip(id)
            for typed in [near, near.uppercased(), String(near.prefix(8)), "x" + id] {
                let result = try await site.pushauth(command + [typed])
                #expect(result.exitCode == 3 && result.output.isEmpty)
                #expect(result.errors.contains("Did you mean \(id)?"), "\(result.errors)")
            }
            for typed in [far, "jane", "\u{1B}[2J", String(repeating: "a", count: 70_000)] {
                let result = try await site.pushauth(command + [typed])
                #expect(result.exitCode == 3 && result.output.isEmpty)
                #expect(result.errors.contains("`pushauth list`"), "\(result.errors)")
                #expect(!result.errors.contains("Did you mean"), "\(result.errors)")
                #expect(!result.errors.contains("`pushauth listen"), "\(result.errors)")
                #expect(!result.errors.contains("\u{1B}"))
            }
        }
    }

    @Test func `of show may be an enrollment's or a challenge's`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let none = try await site.pushauth("show", "zz")
            #expect(none.errors.contains("No enrollment or challenge is known as 'zz'."))
            _ = try await simulator.startLogin(of: "jane", asking: .confirm)
            _ = try await site.deliver(from: simulator)
            let id = try await site.waiting()
            let result = try await site.pushauth("show", slip(id).near)
            #expect(result.exitCode == 3)
            #expect(result.errors.contains("Did you mean \(id)?"), "\(result.errors)")
            let approved = try await site.pushauth("approve", "--yes", slip(id).near)
            #expect(approved.exitCode == 3)
            #expect(approved.errors.contains("Did you mean \(id)?"), "\(approved.errors)")
        }
    }
}
