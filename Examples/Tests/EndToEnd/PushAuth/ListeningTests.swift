import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

/// What `pushauth listen` says to a person, and what it leaves for the next time.
@Suite(.timeLimit(.minutes(3))) struct `pushauth listen` {
    // MARK: What it says

    @Test(arguments: [
        (SimulatedLogin.Kind.confirm, ForgeRockSimulator.BadPush?.none, "approve"),
        (.number, nil, "choose"), (.number, .noNumbers, "enter"),
        (.confirm, .type("telepathy"), "deny"),
    ])
    func `a question names the commands that answer it`(
        kind: SimulatedLogin.Kind, oddity: ForgeRockSimulator.BadPush?, verb: String
    ) async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let login = try await simulator.startLogin(of: "jane", asking: kind, spoiledBy: oddity)
            let result = try await site.listen(to: simulator)
            let id = try await site.waiting()
            let line = result.output.split(separator: "\n").last { $0.contains("Answer it with") }
            let commands = (line ?? "").split(separator: "`", omittingEmptySubsequences: false)
                .enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
            #expect(commands.last == "pushauth deny \(id)", "\(result.output)")
            if verb == "deny" {
                #expect(commands.count == 1)
                return
            }
            // As it stands, with the number that the page shows.
            let command = try #require(commands.first).split(separator: " ").dropFirst()
                .map { $0.allSatisfy(\.isUppercase) ? login.shown ?? "" : String($0) }
            #expect(command.first == verb)
            let answered = try await site.pushauth(command)
            #expect(answered.exitCode == 0, "\(answered.errors)")
            #expect(try await simulator.status(of: login.id) == .approved)
        }
    }

    @Test func `that it listens is said on standard error, and to a script as an event`()
        async throws
    {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let quiet = try await site.pushauth("listen", "--stdin", input: "")
            #expect(quiet.output.isEmpty)
            #expect(quiet.errors == "listening  stdin\n")
            _ = try await simulator.startLogin(of: "jane", asking: .confirm)
            let asked = try await site.listen(to: simulator)
            #expect(asked.output.hasPrefix("received  from stdin\nquestion  "))
            let json = try await site.pushauth("listen", "--stdin", "--json", input: "")
            #expect(json.errors.isEmpty)
            #expect(try json.lines.first?["event"] == "listening")
        }
    }
}

extension PushAuthSite {
    /// Delivers what the simulator has pushed, and shows what a person would see.
    fileprivate func listen(to simulator: some VendorSimulator) async throws -> Program.Result {
        let lines = await simulator.takePushes().map { String(decoding: $0.payload, as: UTF8.self) }
        return try await pushauth(
            "listen", "--stdin", input: lines.joined(separator: "\n") + "\n")
    }
}
