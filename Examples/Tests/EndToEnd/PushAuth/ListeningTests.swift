import ArgumentParser
import Foundation
import LinkedVendors
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

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

    // MARK: What it leaves for the next time

    @Test(arguments: [false, true])
    func `an answer that was on its way when it was killed is finished by the next one`(
        wasTaken: Bool
    ) async throws {
        let simulator = ForgeRockSimulator()
        let gate = Gate()
        let handler: LocalServer.Handler = { request, body in
            if !wasTaken { await gate.pass() }
            let reply = await simulator.respond(to: request, body: body)
            if wasTaken { await gate.pass() }
            return reply
        }
        try await PushAuthSite.run(with: simulator, answering: handler) { site in
            try await site.enroll(with: simulator, as: "jane")
            let policy = try site.file("policy.toml", Self.approving)
            let first = try await site.listening("--policy", policy)
            let knock = await gate.shut()
            let login = try await simulator.startLogin(of: "jane", asking: .confirm)
            for push in await simulator.takePushes() { try first.push(push) }
            await knock.wait()
            await first.kill()
            #expect(await !first.events.contains { $0["event"] == "answered" })
            await gate.open()
            #expect(
                try await simulator.status(of: login.id) == (wasTaken ? .approved : .waiting))
            // It leaves the answer to the first for as long as one may take to send it.
            let next = try await site.listening()
            let answer = try await next.event("answered", within: .seconds(150))
            let id = try #require(answer["answer"]?["id"]?.string)
            let start = ContinuousClock.now
            var state: JSON? = "approving"
            while state == "approving", start.duration(to: .now) < .seconds(150) {
                try await Task.sleep(for: .seconds(1))
                state = try await site.pushauth("show", id, "--closed", "--json").json["state"]
            }
            // AM refuses a second copy, and doesn't say what it made of the first.
            #expect(state == (wasTaken ? "unknown" : "approved"))
            var told: JSON?
            while told != state, start.duration(to: .now) < .seconds(160) {
                try await Task.sleep(for: .milliseconds(50))
                let answers = await next.events.filter { $0["event"] == "answered" }
                told = answers.last?["answer"]?["outcome"]
            }
            #expect(told == state)
            #expect(await next.stop().code == 130)
            #expect(try await simulator.status(of: login.id) == .approved)
        }
    }

    @Test func `Ctrl-C waits for an answer that is on its way`() async throws {
        let simulator = ForgeRockSimulator()
        let gate = Gate()
        let handler: LocalServer.Handler = { request, body in
            await gate.pass()
            return await simulator.respond(to: request, body: body)
        }
        try await PushAuthSite.run(with: simulator, answering: handler) { site in
            try await site.enroll(with: simulator, as: "jane")
            let policy = try site.file("policy.toml", Self.approving)
            let listening = try await site.listening("--policy", policy)
            let knock = await gate.shut()
            let login = try await simulator.startLogin(of: "jane", asking: .confirm)
            for push in await simulator.takePushes() { try listening.push(push) }
            await knock.wait()
            listening.interrupt()
            // Long enough for one that wouldn't wait to be gone.
            try await Task.sleep(for: .seconds(1))
            await gate.open()
            let answer = try await listening.event("answered")["answer"]
            #expect(answer?["outcome"] == "approved")
            #expect(await listening.ended().code == 130)
            #expect(try await simulator.status(of: login.id) == .approved)
        }
    }

    @Test func `a push that comes while it ends is kept, and judged the next time`()
        async throws
    {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let login = try await simulator.startLogin(of: "jane", asking: .confirm)
            let push = try #require(await simulator.takePushes().first)
            let (events, source) = AsyncStream<String>.makeStream()
            let listener = { try await site.listener(by: Self.approving, source) }
            let (ending, receiver) = try await listener()
            await ending.close()
            let message = try push.message()
            let taken = await receiver.take(IncomingPush(message: message, intake: "stdin"))
            #expect(taken.verdict == .taken(1))
            await taken.rest?()
            #expect(try await simulator.status(of: login.id) == .waiting)
            try await listener().0.begin()
            #expect(try await simulator.status(of: login.id) == .approved)
            source.finish()
            #expect(await events.reduce(into: []) { $0.append($1) } == ["received", "answered"])
        }
    }

    @Test func `what is still being judged when it ends is left for the next time`()
        async throws
    {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let login = try await simulator.startLogin(of: "jane", asking: .number)
            let push = try #require(await simulator.takePushes().first?.message())
            let asked = site.directory.appendingPathComponent("asked")
            let go = site.directory.appendingPathComponent("go").path
            let number = try #require(login.shown)
            let script =
                "touch \(asked.path); until [ -e \(go) ]; do sleep 0.1; done; echo \(number)"
            let policy = """
                [[rule]]
                action = "approve"
                number = { command = ["sh", "-c", "\(script)"] }

                """
            let (events, source) = AsyncStream<String>.makeStream()
            let (ending, receiver) = try await site.listener(by: policy, source)
            let taking = Task {
                await receiver.take(IncomingPush(message: push, intake: "stdin")).rest?()
            }
            let start = ContinuousClock.now
            while !FileManager.default.fileExists(atPath: asked.path) {
                try #require(start.duration(to: .now) < .seconds(30))
                try await Task.sleep(for: .milliseconds(50))
            }
            // No answer is on its way yet, so it ends at once.
            await ending.close()
            _ = try site.file("go", "")
            await taking.value
            #expect(try await simulator.status(of: login.id) == .waiting)
            try await site.listener(by: policy, source).0.begin()
            #expect(try await simulator.status(of: login.id) == .approved)
            source.finish()
            #expect(await events.reduce(into: []) { $0.append($1) } == ["received", "answered"])
        }
    }

    @Test(arguments: ["fcm", "apns"])
    func `an account that is enrolled meanwhile is told the intake's token`(
        intake: String
    ) async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let listening = try ListeningProcess(
                ["--\(intake)", "127.0.0.1:0", "--credentials", site.directory.path + "/push"],
                environment: site.environment)
            _ = try await listening.event("listening")
            let text = try #require(try await simulator.invitation(for: "jane").scannedText)
            let enrolled = try await site.pushauth("enroll", text, "--yes")
            #expect(enrolled.exitCode == 0, "\(enrolled.errors)")
            let made = try DeviceTokenFile(besides: site.store.path).read()
            let token = try #require(intake == "fcm" ? made.fcm : made.apns)
            let known = await simulator.devices(of: "jane").map(\.deviceToken)
            switch try #require(known.first) {
            case .fcm(let text): #expect(intake == "fcm" && text == token)
            case .apns(let hex, _): #expect(intake == "apns" && hex.lowercased() == token)
            @unknown default: Issue.record("Another token: \(known)")
            }
            #expect(await listening.stop().code == 130)
        }
    }

    private static let approving = """
        [[rule]]
        name = "test"
        action = "approve"

        """
}

extension PushAuthSite {
    /// `pushauth listen` in a process of its own, with pushes from standard input.
    fileprivate func listening(_ arguments: String...) async throws -> ListeningProcess {
        let process = try ListeningProcess(["--stdin"] + arguments, environment: environment)
        _ = try await process.event("listening")
        return process
    }

    /// What listens, in this process, and tells the names of its events; and what brings it pushes.
    fileprivate func listener(
        by policy: String, _ events: AsyncStream<String>.Continuation
    ) async throws -> (Listener, PushReceiver) {
        var options = try GlobalOptions.parse([
            "--store", store.path, "--key-file", keyFile.path, "--config",
            configurationFile.path,
        ])
        options.vendors = LinkedVendors.all
        let session = try await Session(
            options.makingStore, verifier: CommandUser(.parse(["--yes"])))
        let listener = Listener(
            session, policy: StandingPolicy(try Policy(parsing: policy)),
            show: { events.yield($0.name) }, ended: { _, _ in })
        let receiver = PushReceiver(
            session: session, show: { events.yield($0.name) }, refused: { _ in },
            act: { await listener.take($0) })
        return (listener, receiver)
    }

    /// Delivers what the simulator has pushed, and shows what a person would see.
    fileprivate func listen(to simulator: some VendorSimulator) async throws -> Program.Result {
        let lines = await simulator.takePushes().map { String(decoding: $0.payload, as: UTF8.self) }
        return try await pushauth(
            "listen", "--stdin", input: lines.joined(separator: "\n") + "\n")
    }
}
