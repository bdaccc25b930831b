import Foundation
import LocalServer
import PushAcmeSimulator
import PushCore
import PushTesting
import Testing

@testable import push_lab

/// `traced-login`, killed between its decision and the vendor's reply.
@Suite(.timeLimit(.minutes(3))) struct `traced-login` {
    private let program = Program("traced-login")

    @Test func `one trace links the push and the answer across a killed process`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let simulator = AcmeSimulator()
        let (answered, announce) = AsyncStream<Void>.makeStream()
        let (released, release) = AsyncStream<Void>.makeStream()
        let logins = StartedLogins()
        let server = try await LocalServer.start { request, body in
            let reply = await simulator.respond(to: request, body: body)
            // The first answer is taken, and its reply never comes.
            if await logins.isFirstAnswer(at: simulator) {
                announce.yield()
                for await _ in released {}
            }
            return reply
        }
        await simulator.move(to: server.origin)
        let code = try #require(await simulator.invitation(for: "jane").scannedText)
        let store = directory.url.path
        let enrolled = try await program.run([store, code])
        #expect(enrolled.output == "active\n", "\(enrolled.output) \(enrolled.errors)")

        let login = try await simulator.startLogin(of: "jane", asking: .confirm)
        await logins.note(login.id)
        let push = try #require(await simulator.takePushes().first).payload
        let killed = try await program.run(
            [store], text: String(decoding: push, as: UTF8.self) + "\n"
        ) { child in
            for await _ in answered { break }
            child.kill()
        }
        release.finish()
        #expect(killed.output.isEmpty, "\(killed.output)")
        let before = try spans(in: directory)
        let again = try await program.run([store])
        #expect(again.output == "delivered\n", "\(again.output) \(again.errors)")
        #expect(try await simulator.status(of: login.id) == .approved)

        let after = try spans(in: directory).dropFirst(before.count)
        #expect(
            before.compactMap { $0["name"]?.string } == [
                "push.receive", "push.open", "push.answer",
            ])
        #expect(after.compactMap { $0["name"]?.string } == ["push.attempt", "push.outcome"])
        #expect(after.allSatisfy { $0["push.ending"] == "delivered" })
        let traces = Set((before + after).map { $0["trace"]?.string })
        #expect(traces.count == 1 && traces.first??.count == 32, "\(traces)")
        #expect(again.errors.contains(traces.first.flatMap { $0 } ?? "none"))
        await server.stop()
    }

    private func spans(in directory: TemporaryDirectory) throws -> [JSON] {
        try SpanLines.read(directory.url.appendingPathComponent("spans.jsonl"))
    }
}

/// The login that a test has started, and whether its answer has come.
private actor StartedLogins {
    private var login: SimulatedLogin.ID?
    private var wasSeen = false

    func note(_ id: SimulatedLogin.ID) { login = id }

    func isFirstAnswer(at simulator: AcmeSimulator) async -> Bool {
        guard !wasSeen, let login, let status = try? await simulator.status(of: login),
            status != .waiting
        else { return false }
        wasSeen = true
        return true
    }
}
