import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// `pushauth listen --poll` at a vendor that lists what waits.
@Suite(.timeLimit(.minutes(5))) struct `pushauth listen --poll` {
    private static let approving = """
        [[rule]]
        name = "test"
        action = "approve"

        """

    private static let ignoring = """
        [[rule]]
        name = "test"
        action = "ignore"

        """

    /// Runs a test with jane's activation, and a policy of a text, if there is one.
    private func run(
        _ policy: String?,
        _ test: (PushAuthSite, PowerAuthSimulator, _ options: [String]) async throws -> Void
    ) async throws {
        try await PushAuthSite.run(atVendor: "powerauth") { site, vendor in
            let simulator = try #require(vendor.simulator as? PowerAuthSimulator)
            _ = try await site.join(vendor)
            let file = try policy.map { try site.file("policy.toml", $0) }
            try await test(
                site, simulator, (file.map { ["--policy", $0] } ?? []) + ["--pin-env", "PIN"])
        }
    }

    private func listening(_ site: PushAuthSite, _ options: [String]) throws -> ListeningProcess {
        try ListeningProcess(
            options, environment: site.environment.merging(["PIN": PushAuthSite.pin]) { $1 })
    }

    /// Waits until the device has asked for the list so many times more.
    private func lists(
        _ count: Int, moreThan before: Int, of simulator: PowerAuthSimulator
    ) async throws {
        let start = ContinuousClock.now
        while await simulator.count(of: .list) < before + count {
            guard start.duration(to: .now) < .seconds(60) else {
                throw Browser.Failure("The list wasn't asked for.")
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    @Test func `a login is approved with no push and no intake, and Ctrl-C ends it`()
        async throws
    {
        try await run(Self.approving) { site, simulator, options in
            let before = await simulator.count(of: .list)
            let process = try listening(site, ["--poll", "5"] + options)
            let start = try await process.event("listening")
            #expect(start["poll"] == 5 && start["intakes"] == [:])
            // The loop's first question is the one at the start; the next is 5 seconds away.
            try await lists(1, moreThan: before, of: simulator)
            try await Task.sleep(for: .seconds(2))
            #expect(await simulator.count(of: .list) == before + 1)
            let login = try await simulator.startLogin(
                of: "jane", asking: .confirm, spoiledBy: .lost)
            let answered = try await process.event("answered")
            #expect(answered["answer"]?["outcome"] == "approved" && answered["rule"] == "test")
            #expect(try await simulator.status(of: login.id) == .approved)
            #expect(await process.stop().code == 130)
            #expect(await process.events.map { $0["event"]?.string } == ["listening", "answered"])
        }
    }

    @Test(arguments: [("approve", "answered"), ("ignore", "ignored")])
    func `beside an intake, what comes by push and by list is judged once`(
        action: String, event: String
    ) async throws {
        let policy = action == "approve" ? Self.approving : Self.ignoring
        try await run(policy) { site, simulator, options in
            let before = await simulator.count(of: .list)
            let process = try listening(site, ["--stdin", "--poll", "5"] + options)
            _ = try await process.event("listening")
            try await lists(1, moreThan: before, of: simulator)
            let login = try await simulator.startLogin(of: "jane", asking: .confirm)
            let pushes = await simulator.takePushes()
            try #require(pushes.count == 1)
            // Twice, as services may deliver it.
            for push in pushes + pushes { try process.push(push) }
            _ = try await process.event(event)
            // After the questions that the pushes lead to, and the loop's next two.
            try await lists(4, moreThan: await simulator.count(of: .list), of: simulator)
            _ = await process.stop()
            let events = await process.events.compactMap { $0["event"]?.string }
            #expect(events.count { $0 == event } == 1, "\(events)")
            #expect(events.count { $0 == "received" } == 2, "\(events)")
            #expect(!events.contains("failed") && !events.contains("question"), "\(events)")
            #expect(
                try await simulator.status(of: login.id)
                    == (action == "approve" ? .approved : .waiting))
            #expect(await simulator.count(of: .authorize) == (action == "approve" ? 1 : 0))
        }
    }

    @Test func `what a bank takes back is said once, without a push`() async throws {
        try await run(nil) { site, simulator, options in
            let process = try listening(site, ["--stdin", "--poll", "5"] + options)
            _ = try await process.event("listening")
            let login = try await simulator.startLogin(of: "jane", asking: .confirm)
            for push in await simulator.takePushes() { try process.push(push) }
            _ = try await process.event("question")
            try await simulator.cancelOperation(login.id)
            let over = try await process.event("withdrawn")
            #expect(over["why"] == "cancelled")
            try await lists(1, moreThan: await simulator.count(of: .list), of: simulator)
            _ = await process.stop()
            #expect(await process.events.count { $0["event"] == "withdrawn" } == 1)
            #expect(await process.events.count { $0["event"] == "question" } == 1)
        }
    }

    @Test func `what another pushauth finds first is judged, once`() async throws {
        try await run(Self.approving) { site, simulator, options in
            let before = await simulator.count(of: .list)
            // So rarely that the other one is always first.
            let process = try listening(site, ["--poll", "600"] + options)
            _ = try await process.event("listening")
            try await lists(1, moreThan: before, of: simulator)
            let login = try await simulator.startLogin(
                of: "jane", asking: .confirm, spoiledBy: .lost)
            let pending = try await site.pushauth("pending", "--json")
            #expect(try pending.lines.count == 1, "\(pending.errors)")
            let answered = try await process.event("answered")
            #expect(answered["answer"]?["outcome"] == "approved" && answered["rule"] == "test")
            #expect(try await simulator.status(of: login.id) == .approved)
            // Longer than until the next look at what others found.
            try await Task.sleep(for: .seconds(7))
            #expect(await process.stop().code == 130)
            #expect(await process.events.map { $0["event"]?.string } == ["listening", "answered"])
        }
    }

    @Test(arguments: [["--poll", "600"], ["--stdin"]])
    func `what another pushauth finds first is shown once where nothing answers it`(
        way: [String]
    ) async throws {
        try await run(nil) { site, simulator, options in
            let before = await simulator.count(of: .list)
            let process = try listening(site, way + options)
            _ = try await process.event("listening")
            try await lists(1, moreThan: before, of: simulator)
            _ = try await simulator.startLogin(of: "jane", asking: .confirm, spoiledBy: .lost)
            #expect(try await site.pushauth("pending", "--json").lines.count == 1)
            _ = try await process.event("question")
            try await Task.sleep(for: .seconds(7))
            _ = await process.stop()
            #expect(await process.events.map { $0["event"]?.string } == ["listening", "question"])
        }
    }

    @Test func `without it, nobody is asked after the start`() async throws {
        try await run(Self.approving) { site, simulator, options in
            let before = await simulator.count(of: .list)
            let process = try listening(site, ["--stdin"] + options)
            let start = try await process.event("listening")
            #expect(start["poll"] == nil)
            try await lists(1, moreThan: before, of: simulator)
            let login = try await simulator.startLogin(
                of: "jane", asking: .confirm, spoiledBy: .lost)
            // Longer than the shortest pause between two questions can be.
            try await Task.sleep(for: .seconds(8))
            #expect(await simulator.count(of: .list) == before + 1)
            #expect(try await simulator.status(of: login.id) == .waiting)
            #expect(await process.stop().code == 130)
        }
    }

    @Test(arguments: ["4", "0"])
    func `more often than every 5 seconds is wrong usage`(seconds: String) async throws {
        let result = try await Program("pushauth").run(["listen", "--poll", seconds])
        #expect(result.exitCode == 64)
        #expect(result.errors.contains("--poll must be at least 5 seconds"), "\(result.errors)")
        #expect(result.errors.contains("Usage: pushauth listen"))
        #expect(result.output.isEmpty)
    }

    @Test func `its help says how often, and what it doesn't need`() async throws {
        let result = try await Program("pushauth").run(["listen", "--help"])
        #expect(result.exitCode == 0)
        let words = result.output.split { $0.isWhitespace }.joined(separator: " ")
        #expect(
            words.contains(
                "--poll <seconds> Ask every vendor that has a list what waits, this often: at least "
                    + "5 seconds. It needs no push and no intake."), "\(result.output)")
    }

    // MARK: Inbox

    @Test func `an inbox event has what the vendor lists, and not what the push said`()
        async throws
    {
        try await run(nil) { site, simulator, options in
            let id = await simulator.createMessage(
                for: "jane", subject: "Your\u{202E} statement\u{1B}[2J", summary: "It is here.",
                body: "Balance: 12.50")
            let push = try #require(await simulator.takePushes().first).payload
            let told = String(decoding: push, as: UTF8.self)
                .replacing("It is here.", with: "Call 0123 now")
            let line = told.replacing("Your", with: "Their")
            let result = try await site.pushauth(
                "listen", "--stdin", "--json", input: line + "\n" + line + "\n")
            let events = try result.lines.filter { $0["event"] == "inbox" }
            #expect(events.count == 1, "\(result.output)")
            #expect(events.first?["message"]?.string == id)
            #expect(events.first?["subject"] == "Your statement[2J")
            #expect(!result.output.contains("Call 0123") && !result.output.contains("Their"))
        }
    }
}

extension PowerAuthSimulator {
    /// How many requests of a call came.
    func count(of call: Call) -> Int {
        exchanges.count { $0.request.path == call.rawValue }
    }
}
