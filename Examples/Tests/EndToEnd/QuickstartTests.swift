import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab

@Suite(.timeLimit(.minutes(5))) struct `quickstart` {
    private let program = Program("quickstart")
    private let deviceToken = "a-token"

    /// Runs it in a directory of a user's own; the first line that it reads is the device token.
    private func run(
        in directory: TemporaryDirectory, _ input: Pipe,
        meanwhile: (ChildProcess) async throws -> Void = { _ in }
    ) async throws -> Program.Result {
        let script = #"cd "$0" && exec "$@""#
        return try await Program(at: URL(fileURLWithPath: "/bin/sh")).run(
            ["-c", script, directory.url.path, program.executable.path], input: input,
            meanwhile: meanwhile)
    }

    /// Runs it with all of its standard input.
    private func run(
        in directory: TemporaryDirectory, _ lines: [String]
    ) async throws -> Program.Result {
        let input = Pipe()
        try write([deviceToken] + lines, to: input)
        try input.fileHandleForWriting.close()
        return try await run(in: directory, input)
    }

    private func write(_ lines: [String], to input: Pipe) throws {
        let text = lines.map { $0 + "\n" }.joined()
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    /// A simulator that the program reaches, and a directory of its user's. What `handled` is given is
    /// the path of each request, once its reply is ready; `lost` says first which have none.
    private func withSimulator(
        _ simulator: ForgeRockSimulator = ForgeRockSimulator(),
        handled: AsyncStream<String>.Continuation? = nil,
        losing lost: @escaping @Sendable (String) async -> Bool = { _ in false },
        _ test: (ForgeRockSimulator, TemporaryDirectory) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let server = try await LocalServer.start { request, body in
            let path = request.path ?? ""
            if await lost(path) { return nil }
            let reply = await simulator.respond(to: request, body: body)
            handled?.yield(path)
            return reply
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

    /// Joins the account of a user.
    private func enroll(
        _ user: String = "jane", at simulator: ForgeRockSimulator, in directory: TemporaryDirectory
    ) async throws {
        let result = try await run(in: directory, [code(from: simulator, for: user), "y"])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("Join "), "\(result.output)")
        #expect(await simulator.devices(of: user).count == 1, "\(result.output)")
    }

    @Test func `enrolls, and answers as the user says, in one run`() async throws {
        let (paths, handled) = AsyncStream<String>.makeStream()
        try await withSimulator(handled: handled) { simulator, directory in
            let input = Pipe()
            try write([deviceToken, try await code(from: simulator), "y"], to: input)
            let result = try await run(in: directory, input) { _ in
                // The push can only be made once the device is registered.
                for await path in paths where path.hasSuffix("_action=register") { break }
                let login = try await simulator.startLogin(of: "jane", asking: .number)
                try await write([push(from: simulator), login.shown ?? ""], to: input)
                try input.fileHandleForWriting.close()
            }
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(result.output.hasSuffix("delivered\n"), "\(result.output)")
        }
    }

    @Test func `goes on the next time with what it has enrolled`() async throws {
        try await withSimulator { simulator, directory in
            try await enroll(at: simulator, in: directory)
            let login = try await simulator.startLogin(of: "jane", asking: .number)
            let lines = [try await push(from: simulator), login.shown ?? ""]
            let second = try await run(in: directory, lines)
            #expect(second.exitCode == 0 && second.output.hasSuffix("delivered\n"))
            #expect(try await simulator.status(of: login.id) == .approved)
        }
    }

    @Test func `killed while its answer is on the way, it sends the answer in the next run`()
        async throws
    {
        let (paths, handled) = AsyncStream<String>.makeStream()
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let (ends, end) = AsyncStream<Void>.makeStream()
        let first = Once()
        try await withSimulator(
            handled: handled,
            losing: { path in
                guard path.hasSuffix("_action=authenticate"), await first.take() else {
                    return false
                }
                arrived.yield()
                for await _ in ends {}
                return true
            },
            { simulator, directory in
                try await enroll(at: simulator, in: directory)
                let login = try await simulator.startLogin(of: "jane", asking: .confirm)
                let payload = try await push(from: simulator)
                let input = Pipe()
                try write([deviceToken, payload, "y"], to: input)
                let killed = try await run(in: directory, input) { child in
                    for await _ in arrivals { break }
                    child.kill()
                }
                end.finish()
                #expect(killed.exitCode == SIGKILL, "\(killed.errors)")
                #expect(try await simulator.status(of: login.id) == .waiting)

                // It waits for the end of the killed one's lease, so its input stays open.
                let next = Pipe()
                try write([deviceToken, payload], to: next)
                let result = try await run(in: directory, next) { _ in
                    for await path in paths where path.hasSuffix("_action=authenticate") { break }
                    try next.fileHandleForWriting.close()
                }
                #expect(try await simulator.status(of: login.id) == .approved)
                // The user was asked by the run that was killed.
                #expect(result.exitCode == 0 && result.output.isEmpty, "\(result.output)")
            })
    }

    @Test func `two that begin at once make one store with one key`() async throws {
        try await withSimulator { simulator, directory in
            async let one = run(in: directory, [])
            async let two = run(in: directory, [])
            for result in try await [one, two] { #expect(result.exitCode == 0, "\(result.errors)") }
            let files = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
            #expect(Set(files) == ["phone", "phone.key"])
            try await enroll(at: simulator, in: directory)
        }
    }

    @Test func `tells each vendor the device token that it is given`() async throws {
        try await withSimulator { simulator, directory in
            for user in ["jane", "bob"] { try await enroll(user, at: simulator, in: directory) }
            for user in ["jane", "bob"] {
                let known = await simulator.devices(of: user).map(\.deviceToken)
                #expect(known == [.fcm(deviceToken)], "\(known)")
            }
        }
    }

    @Test func `joins nothing that the user doesn't want, or that is no code`() async throws {
        try await withSimulator { simulator, directory in
            let code = try await code(from: simulator)
            let result = try await run(in: directory, [code, "n", "hello"])
            #expect(result.exitCode == 0, "\(result.errors)")
            let lines = result.output.split(separator: "\n")
            #expect(lines.count == 3 && lines[0].hasPrefix("Join "), "\(result.output)")
            #expect(lines[1].hasPrefix("cancelled") && lines[2].hasPrefix("invalidInvitation"))
            #expect(await simulator.devices(of: "jane").isEmpty)
        }
    }

    @Test func `shows every field of what it asks, before it asks`() async throws {
        var configuration = ForgeRockSimulator.Configuration()
        configuration.customPayload = ["Amount": "10 EUR", "Payee": "Acme"]
        try await withSimulator(ForgeRockSimulator(configuration)) { simulator, directory in
            try await enroll(at: simulator, in: directory)
            let login = try await simulator.startLogin(of: "jane", asking: .confirm)
            let result = try await run(in: directory, [push(from: simulator), "y"])
            let question = try #require(result.output.range(of: "[y, n"))
            let shown = result.output[..<question.lowerBound]
            #expect(shown.contains("Amount: 10 EUR") && shown.contains("Payee: Acme"))
            #expect(try await simulator.status(of: login.id) == .approved)
        }
    }

    @Test func `a no is a no`() async throws {
        try await withSimulator { simulator, directory in
            try await enroll(at: simulator, in: directory)
            let login = try await simulator.startLogin(of: "jane", asking: .number)
            let result = try await run(in: directory, [push(from: simulator), "n"])
            #expect(result.output.hasSuffix("delivered\n"), "\(result.output)")
            #expect(try await simulator.status(of: login.id) == .denied)
        }
    }

    @Test func `goes on after what is forged, and asks once what comes twice`() async throws {
        try await withSimulator { simulator, directory in
            try await enroll(at: simulator, in: directory)
            let forged = try await simulator.startLogin(
                of: "jane", asking: .number, spoiledBy: .wrongKey)
            let login = try await simulator.startLogin(of: "jane", asking: .number)
            let other = try await simulator.startLogin(of: "jane", asking: .number)
            let pushes = await simulator.takePushes().map {
                String(decoding: $0.payload, as: UTF8.self)
            }
            try #require(pushes.count == 3)
            let result = try await run(
                in: directory,
                [
                    "{no JSON", pushes[0],
                    // No number that can be chosen, so it stays open; and it comes once more.
                    pushes[1], "?", pushes[1],
                    pushes[2], other.shown ?? "",
                ])
            #expect(result.exitCode == 0 && result.output.hasSuffix("delivered\n"))
            #expect(result.output.components(separatedBy: "[y, n").count == 3, "\(result.output)")
            for code in ["malformed", "untrusted", "invalidResolution"] {
                #expect(result.output.contains("\n\(code)") || result.output.hasPrefix(code))
            }
            #expect(try await simulator.status(of: forged.id) == .waiting)
            #expect(try await simulator.status(of: login.id) == .waiting)
            #expect(try await simulator.status(of: other.id) == .approved)
        }
    }

    @Test func `is at most 25 lines, and the README's package links what it imports`() throws {
        let root = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../..").standardizedFileURL
        func lines(_ path: String) throws -> [Substring] {
            try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
                .split(separator: "\n")
        }
        let source = try lines("Examples/quickstart/main.swift")
        #expect(source.filter { $0.contains { $0 != " " } }.count <= 25)
        let imports = source.filter { $0.hasPrefix("import ") }.map { String($0.dropFirst(7)) }
        let linked = try lines("README.md").filter { $0.contains(".product(name: \"") }
            .compactMap { $0.split(separator: "\"").dropFirst().first.map(String.init) }
        #expect(linked.sorted() == imports.sorted() && !imports.isEmpty)
    }

    private func push(from simulator: ForgeRockSimulator) async throws -> String {
        let push = try #require(await simulator.takePushes().first)
        return String(decoding: push.payload, as: UTF8.self)
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

/// Is there for the first who comes.
private actor Once {
    private var isTaken = false

    func take() -> Bool {
        defer { isTaken = true }
        return !isTaken
    }
}
