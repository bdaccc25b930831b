import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@Suite(.timeLimit(.minutes(3))) struct `quickstart` {
    private let program = Program("quickstart")
    private let deviceToken = "a-token"

    /// Runs it in a directory of a user's own.
    private func run(
        _ arguments: [String], in directory: TemporaryDirectory, input: Pipe? = nil
    ) async throws -> Program.Result {
        let script = #"cd "$0" && exec "$@""#
        return try await Program(at: URL(fileURLWithPath: "/bin/sh")).run(
            ["-c", script, directory.url.path, program.executable.path] + arguments, input: input)
    }

    @Test func `enrolls, and answers as the user says`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
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
        async let run = run([code, deviceToken], in: directory, input: input)
        var paths = invitations.makeAsyncIterator()
        #expect(await paths.next()?.hasSuffix("_action=register") == true)
        let login = try await answer(simulator, input)

        let result = try await run
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("Enrolled jane at "))
        #expect(result.output.hasSuffix("delivered\n"))
        #expect(result.errors.contains("Which of "))
        #expect(try await simulator.status(of: login) == .approved)
        await server.stop()
    }

    @Test func `goes on the next time with what it has enrolled`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let simulator = ForgeRockSimulator()
        let server = try await LocalServer.start {
            await simulator.respond(to: $0, body: $1)
        }
        try await simulator.move(to: server.origin)
        let code = try await code(from: simulator)
        let first = try await run([code, deviceToken], in: directory)
        #expect(first.exitCode == 0, "\(first.errors)")

        let input = Pipe()
        async let run = run([], in: directory, input: input)
        let login = try await answer(simulator, input)
        let second = try await run
        #expect(second.exitCode == 0, "\(second.errors)")
        #expect(second.output == "delivered\n")
        #expect(try await simulator.status(of: login) == .approved)
        await server.stop()
    }

    @Test func `keeps the device token when a later account is enrolled without one`()
        async throws
    {
        try await withSimulator { simulator, directory in
            let none = try await run([code(from: simulator)], in: directory)
            #expect(none.exitCode == 1 && none.output.isEmpty)
            #expect(none.errors.contains("missingDeviceToken"), "\(none.errors)")
            for (user, arguments) in [("jane", [deviceToken]), ("bob", [])] {
                let code = try await code(from: simulator, for: user)
                let result = try await run([code] + arguments, in: directory)
                #expect(result.exitCode == 0, "\(result.errors)")
            }
            for user in ["jane", "bob"] {
                let known = await simulator.devices(of: user).map(\.deviceToken)
                #expect(known == [.fcm(deviceToken)], "\(known)")
            }
        }
    }

    @Test func `shows every field of what it asks, before it asks`() async throws {
        var configuration = ForgeRockSimulator.Configuration()
        configuration.customPayload = ["Amount": "10 EUR", "Payee": "Acme"]
        try await withSimulator(ForgeRockSimulator(configuration)) { simulator, directory in
            let first = try await run([code(from: simulator), deviceToken], in: directory)
            #expect(first.exitCode == 0, "\(first.errors)")
            let login = try await simulator.startLogin(of: "jane", asking: .confirm)
            let push = try #require(await simulator.takePushes().first).payload
            let result = try await run([], in: directory, lines: [push, Data("y".utf8)])
            let question = try #require(result.errors.range(of: "[y/n]"))
            let shown = result.errors[..<question.lowerBound]
            #expect(shown.contains("Amount: 10 EUR\n") && shown.contains("Payee: Acme\n"))
            #expect(try await simulator.status(of: login.id) == .approved)
        }
    }

    @Test func `goes on after what is forged, and asks once what comes twice`() async throws {
        try await withSimulator { simulator, directory in
            let first = try await run([code(from: simulator), deviceToken], in: directory)
            #expect(first.exitCode == 0, "\(first.errors)")
            let forged = try await simulator.startLogin(
                of: "jane", asking: .number, spoiledBy: .wrongKey)
            let login = try await simulator.startLogin(of: "jane", asking: .number)
            let other = try await simulator.startLogin(of: "jane", asking: .number)
            let pushes = await simulator.takePushes().map(\.payload)
            try #require(pushes.count == 3)
            let result = try await run(
                [], in: directory,
                lines: [
                    Data("no JSON".utf8), pushes[0],
                    // No number that can be chosen, so it stays open; and it comes once more.
                    pushes[1], Data("?".utf8), pushes[1],
                    pushes[2], Data((other.shown ?? "").utf8),
                ])
            #expect(result.exitCode == 0 && result.output == "delivered\n", "\(result.errors)")
            #expect(result.errors.components(separatedBy: "Which of ").count == 3)
            #expect(result.errors.contains("untrusted"), "\(result.errors)")
            #expect(try await simulator.status(of: forged.id) == .waiting)
            #expect(try await simulator.status(of: login.id) == .waiting)
            #expect(try await simulator.status(of: other.id) == .approved)
        }
    }

    /// A simulator that the program reaches, and a directory of its user's.
    private func withSimulator(
        _ simulator: ForgeRockSimulator = ForgeRockSimulator(),
        _ test: (ForgeRockSimulator, TemporaryDirectory) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let server = try await LocalServer.start {
            await simulator.respond(to: $0, body: $1)
        }
        do {
            try await simulator.move(to: server.origin)
            try await test(simulator, directory)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// Runs it with all of its standard input.
    private func run(
        _ arguments: [String], in directory: TemporaryDirectory, lines: [Data]
    ) async throws -> Program.Result {
        let input = Pipe()
        for line in lines {
            try input.fileHandleForWriting.write(contentsOf: line + Data("\n".utf8))
        }
        try input.fileHandleForWriting.close()
        return try await run(arguments, in: directory, input: input)
    }

    /// Starts a login, delivers its push, and types the number that its page shows.
    private func answer(
        _ simulator: ForgeRockSimulator, _ input: Pipe
    ) async throws -> String {
        let login = try await simulator.startLogin(of: "jane", asking: .number)
        let push = try #require(await simulator.takePushes().first)
        let lines = push.payload + Data("\n\(login.shown ?? "")\n".utf8)
        try input.fileHandleForWriting.write(contentsOf: lines)
        try input.fileHandleForWriting.close()
        return login.id
    }

    @Test func `the README's package links what its program imports, and no more`() throws {
        let root = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../..").standardizedFileURL
        let readme = try String(
            contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        let folder = root.appendingPathComponent("Examples/quickstart")
        let sources = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil
        ).map { try String(contentsOf: $0, encoding: .utf8) }
        let imports = sources.joined(separator: "\n").split(separator: "\n")
            .filter { $0.hasPrefix("import Push") }.map { String($0.dropFirst(7)) }
        let manifest = try #require(
            readme.components(separatedBy: "```swift\n").first {
                $0.hasPrefix("// swift-tools-version")
            })
        let linked = manifest.components(separatedBy: ".product(name: \"").dropFirst()
            .map { String($0.prefix { $0 != "\"" }) }
        #expect(Set(linked) == Set(imports) && !imports.isEmpty)
        #expect(linked.count == Set(linked).count)
    }

    @Test func `says how it is used`() async throws {
        let result = try await program.run(["--help"])
        #expect(result.exitCode == 64)
        #expect(result.output.contains("usage: quickstart"))
    }

    @Test(arguments: ["hello", "pushauth://push/Acme:jane?s=AA"])
    func `says what is wrong with a code, and nothing else`(code: String) async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let result = try await run([code, deviceToken], in: directory)
        #expect(result.exitCode == 1)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("quickstart: invalidInvitation"))
        #expect(result.errors.split(separator: "\n").count == 1)
    }

    private func code(
        from simulator: ForgeRockSimulator, for user: String = "jane"
    ) async throws -> String {
        guard case .scanned(let secret) = try await simulator.invitation(for: user) else {
            throw PushError(.invalidInvitation, "The simulator's invitation isn't a code.")
        }
        return secret.withBytes { String(decoding: $0, as: UTF8.self) }
    }
}
