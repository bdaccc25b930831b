import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@Suite struct `quickstart` {
    private let program = Program("quickstart")
    private let deviceToken = "0A0B0C0D"

    @Test func `enrolls, and answers as the user says`() async throws {
        let simulator = ForgeRockSimulator()
        let (invitations, announce) = AsyncStream<String>.makeStream()
        let server = try await LocalServer.start { request, body in
            let reply = await simulator.respond(to: request, body: body)
            announce.yield(request.path ?? "")
            return reply
        }
        try await simulator.move(to: server.origin)
        let code = try await code(from: simulator)

        // The push can only be made once the device is registered, so it comes through a pipe.
        let input = Pipe()
        async let run = program.run([code, deviceToken], input: input)
        var paths = invitations.makeAsyncIterator()
        #expect(await paths.next()?.hasSuffix("_action=register") == true)
        let login = try await simulator.startLogin(of: "jane", asking: .number)
        let push = try #require(await simulator.takePushes().first)
        let lines = push.payload + Data("\n\(login.shown ?? "")\n".utf8)
        try input.fileHandleForWriting.write(contentsOf: lines)
        try input.fileHandleForWriting.close()

        let result = try await run
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.output.hasSuffix("delivered\n"))
        #expect(result.errors.contains("Which of "))
        #expect(try await simulator.status(of: login.id) == .approved)
        await server.stop()
    }

    @Test func `says how it is used`() async throws {
        let result = try await program.run([])
        #expect(result.exitCode == 64)
        #expect(result.output.contains("usage: quickstart"))
    }

    @Test(arguments: ["hello", "pushauth://push/Acme:jane?s=AA"])
    func `says what is wrong with a code, and nothing else`(code: String) async throws {
        let result = try await program.run([code, deviceToken])
        #expect(result.exitCode == 1)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("quickstart: invalidInvitation"))
        #expect(result.errors.split(separator: "\n").count == 1)
    }

    private func code(from simulator: ForgeRockSimulator) async throws -> String {
        guard case .scanned(let secret) = try await simulator.invitation(for: "jane") else {
            throw PushError(.invalidInvitation, "The simulator's invitation isn't a code.")
        }
        return secret.withBytes { String(decoding: $0, as: UTF8.self) }
    }
}
