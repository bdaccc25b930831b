import Foundation
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// What `pushauth listen --http` says of a push, byte by byte: that it is on record, whatever its
/// vendor does.
@Suite(.timeLimit(.minutes(3))) struct `a push over HTTP` {
    private static let approving = "[[rule]]\nname = \"all\"\naction = \"approve\"\n"

    @Test func `is accepted at once, while the vendor doesn't take the answer`() async throws {
        let simulator = ForgeRockSimulator()
        let gate = Gate()
        let handler: LocalServer.Handler = { request, body in
            await gate.pass()
            return await simulator.respond(to: request, body: body)
        }
        try await PushAuthSite.run(with: simulator, answering: handler) { site in
            try await site.enroll(with: simulator, as: "jane")
            let policy = try site.file("policy.toml", Self.approving)
            let intake = try await RawIntake(of: site, "--policy", policy, "--yes")
            let knock = await gate.shut()
            let login = try await simulator.startLogin(of: "jane", asking: .confirm)
            let push = try #require(await simulator.takePushes().first)
            let reply = try await intake.reply(to: push.payload)
            #expect(reply.status == 202)
            #expect(reply.body == ["verdict": "taken", "events": 1])
            await knock.wait()
            #expect(await !intake.process.events.contains { $0["event"] == "answered" })
            await gate.open()
            let answer = try await intake.process.event("answered")["answer"]
            #expect(answer?["outcome"] == "approved")
            #expect(try await simulator.status(of: login.id) == .approved)
            #expect(await intake.process.stop().code == 130)
        }
    }

    @Test func `whose answer fails after that leaves an event that says so`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let number = "number = { file = \"\(site.directory.path)/none\" }\n"
            let policy = try site.file("policy.toml", Self.approving + number)
            let intake = try await RawIntake(of: site, "--policy", policy, "--yes")
            _ = try await simulator.startLogin(of: "jane", asking: .number)
            let push = try #require(await simulator.takePushes().first)
            #expect(try await intake.reply(to: push.payload).status == 202)
            #expect(try await intake.process.event("failed")["why"] != nil)
            #expect(await intake.process.stop().code == 130)
        }
    }

    @Test func `that was accepted is there for the next run, whenever this one is killed`()
        async throws
    {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let intake = try await RawIntake(of: site)
            for _ in 1...12 { _ = try await simulator.startLogin(of: "jane", asking: .confirm) }
            let pushes = await simulator.takePushes()
            var accepted = 0
            try await withThrowingTaskGroup(of: Int.self) { replies in
                for push in pushes {
                    replies.addTask { try await intake.reply(to: push.payload).status }
                }
                for try await status in replies where status == 202 {
                    accepted += 1
                    if accepted == 12 { await intake.process.kill() }
                }
            }
            #expect(accepted == 12)
            let waiting = try await site.pushauth("pending", "--offline", "--json").lines
            #expect(waiting.count == 12)
        }
    }

    @Test func `that proves nothing is accepted once what its vendor said is on record`()
        async throws
    {
        let gate = Gate()
        try await PushAuthSite.run(atVendor: "powerauth", through: gate) { site, vendor in
            _ = try await site.join(vendor)
            let intake = try await RawIntake(of: site)
            let knock = await gate.shut()
            _ = try await vendor.simulator.startLogin(of: "jane", asking: .confirm)
            let push = try #require(await vendor.simulator.takePushes().last)
            #expect(try await intake.reply(to: push.payload).status == 503)
            await knock.wait()
            await gate.open()
            _ = try await intake.process.event("question")
            #expect(try await intake.reply(to: push.payload).status == 202)
            #expect(await intake.process.stop().code == 130)
        }
    }

    @Test func `is unavailable while the store can't be written, and taken once it can`()
        async throws
    {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let intake = try await RawIntake(of: site)
            _ = try await simulator.startLogin(of: "jane", asking: .confirm)
            let push = try #require(await simulator.takePushes().first)
            // Every file is written there first; a superuser's tests can't be refused otherwise.
            let folder = site.store.appendingPathComponent("tmp")
            try FileManager.default.removeItem(at: folder)
            try Data().write(to: folder)
            let refused = try await intake.reply(to: push.payload)
            #expect(refused.status == 503)
            #expect(refused.body == ["verdict": "refused", "why": "storage"])
            #expect(try await site.pushauth("pending", "--offline", "--json").output.isEmpty)
            try FileManager.default.removeItem(at: folder)
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            let taken = try await intake.reply(to: push.payload)
            #expect(taken.status == 202)
            #expect(taken.body == ["verdict": "taken", "events": 1])
            _ = try await intake.process.event("question")
            #expect(await intake.process.stop().code == 130)
        }
    }

    @Test func `that can't be verified, or is another app's, isn't accepted`() async throws {
        try await PushAuthSite.run { site in
            let intake = try await RawIntake(of: site)
            for (push, body) in [
                (#"{"message":"e30.e30.AAAA","messageId":"x"}"#, "refused"),
                (#"{"hello":"world"}"#, "foreign"),
            ] {
                let reply = try await intake.reply(to: Data(push.utf8))
                #expect(reply.status == 422)
                #expect(reply.body?["verdict"]?.string == body)
            }
            #expect(await intake.process.stop().code == 130)
        }
    }
}

/// `pushauth listen --http`, and a sender that writes its bytes to the socket.
private struct RawIntake {
    let process: ListeningProcess
    private let port: Int
    private let secret: String

    init(of site: PushAuthSite, _ arguments: String...) async throws {
        let directory = site.directory.appendingPathComponent("push")
        process = try ListeningProcess(
            ["--http", "0", "--credentials", directory.path] + arguments,
            environment: site.environment)
        let place = try await process.event("listening")["intakes"]?["http"]
        port = try #require(URL(string: place?["url"]?.string ?? "")?.port)
        let file = directory.appendingPathComponent("http-secret")
        secret = try String(contentsOf: file, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func reply(to payload: Data) async throws -> (status: Int, body: JSON?) {
        let text = try #require(
            await SlowClient.exchange(
                with: port,
                "POST /push HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                    + "Authorization: Bearer \(secret)\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(payload.count)\r\n\r\n"
                    + String(decoding: payload, as: UTF8.self)))
        let parts = text.components(separatedBy: "\r\n\r\n")
        let status = try #require(Int(text.dropFirst("HTTP/1.1 ".count).prefix(3)))
        return (status, try? JSON(parsing: parts.dropFirst().joined()))
    }
}
