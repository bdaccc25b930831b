import Foundation
import LocalServer
import PushCore
import PushTesting

@testable import push_lab

/// A user of `pushauth` with a home of its own, and the servers that it talks to.
struct PushAuthSite {
    let directory: URL
    private let authority: LocalAuthority
    private let identity: LocalIdentity

    /// What its servers speak.
    var wire: LocalServer.Wire { .secure(identity) }
    private let program: Program

    /// The file with the certificate that its servers are trusted by.
    var certificateFile: String { authority.certificateFile.path }

    /// Runs a test in a new home, and takes it away after.
    ///
    /// - Parameters:
    ///   - name: The executable that is `pushauth`.
    ///   - test: The test.
    /// - Throws: What the test throws.
    static func run(
        as name: String = "pushauth", _ test: (PushAuthSite) async throws -> Void
    ) async throws {
        let home = try TemporaryDirectory()
        defer { home.remove() }
        let authority = try LocalAuthority()
        defer { authority.removeFile() }
        let site = PushAuthSite(
            directory: home.url, authority: authority, identity: try authority.identity(),
            program: Program(name))
        try site.configure(
            ["forgerock", "plusauth", "xignin"]
                .map { "[providers.\($0)]\nlocal-hosts = true\n" }.joined())
        try await test(site)
    }

    /// Runs a test with a simulator behind HTTPS.
    ///
    /// - Parameters:
    ///   - simulator: The vendor.
    ///   - name: The executable that is `pushauth`.
    ///   - handler: What answers in the simulator's place, should something stand before it.
    ///   - configuration: What the user's configuration says of a vendor at an origin, if it must.
    ///   - test: The test.
    /// - Throws: What the test throws.
    static func run<Simulator: VendorSimulator>(
        with simulator: Simulator, as name: String = "pushauth",
        answering handler: LocalServer.Handler? = nil,
        configuredBy configuration: (_ origin: String) async -> String? = { _ in nil },
        _ test: (PushAuthSite) async throws -> Void
    ) async throws {
        try await run(as: name) { site in
            let server = try await site.serve(
                handler ?? { await simulator.respond(to: $0, body: $1) })
            try await simulator.move(to: server.origin)
            do {
                if let text = await configuration(server.origin) { try site.configure(text) }
                try await test(site)
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }
    }

    /// A server that this user trusts.
    func serve(_ handler: @escaping LocalServer.Handler) async throws -> LocalServer {
        try await LocalServer.start(wire, handler: handler)
    }

    /// The directory of the default store.
    var store: URL { directory.appendingPathComponent("data/pushauth/store") }

    var configurationFile: URL {
        directory.appendingPathComponent("config/pushauth/config.toml")
    }

    var keyFile: URL { directory.appendingPathComponent("data/pushauth/store.key") }

    /// Writes the configuration, beside the certificates that are trusted.
    func configure(_ text: String, trusting isTrusting: Bool = true) throws {
        try FileManager.default.createDirectory(
            at: configurationFile.deletingLastPathComponent(), withIntermediateDirectories: true)
        let server =
            isTrusting ? "[server]\nauthorities = \"\(authority.certificateFile.path)\"\n" : ""
        try Data((server + text).utf8).write(to: configurationFile)
    }

    /// Writes a file into the home.
    func file(_ name: String, _ content: Data) throws -> String {
        let file = directory.appendingPathComponent(name)
        try content.write(to: file)
        return file.path
    }

    func file(_ name: String, _ content: String) throws -> String {
        try file(name, Data(content.utf8))
    }

    /// What a process of this user finds in its environment.
    var environment: [String: String] {
        [
            "HOME": directory.path, "XDG_DATA_HOME": directory.appendingPathComponent("data").path,
            "XDG_CONFIG_HOME": directory.appendingPathComponent("config").path,
        ]
    }

    /// Runs `pushauth` to its end.
    func pushauth(
        _ arguments: String..., input: String? = nil, environment: [String: String] = [:],
        meanwhile: (ChildProcess) async throws -> Void = { _ in }
    ) async throws -> Program.Result {
        let result = try await program.run(
            arguments, text: input, environment: self.environment.merging(environment) { $1 },
            meanwhile: meanwhile)
        OutputSchema.check(result.output, of: arguments)
        return result
    }

    /// Runs `pushauth` with no input, or with all of it.
    func pushauth(
        _ arguments: [String], input: String? = nil, environment: [String: String] = [:]
    ) async throws -> Program.Result {
        let result = try await program.run(
            arguments, text: input, environment: self.environment.merging(environment) { $1 })
        OutputSchema.check(result.output, of: arguments)
        return result
    }

    /// Enrolls with the text of a QR code.
    @discardableResult
    func enroll(with simulator: some VendorSimulator, as user: String) async throws -> JSON {
        if try await pushauth("token", "set", "--fcm", "lab-token").exitCode != 0 {
            throw PushError(.storage, "The token wasn't kept.")
        }
        let text = try await simulator.invitation(for: user).scannedText ?? ""
        let result = try await pushauth("enroll", "-", "--yes", "--json", input: text)
        guard result.exitCode == 0 else { throw PushError(.malformed, result.errors) }
        return try result.json
    }

    /// Delivers what the simulator has pushed.
    func deliver(from simulator: some VendorSimulator) async throws -> Program.Result {
        let lines = await simulator.takePushes().map { String(decoding: $0.payload, as: UTF8.self) }
        return try await pushauth(
            "listen", "--stdin", "--json", input: lines.joined(separator: "\n") + "\n")
    }

    /// The abbreviation of the only challenge that waits.
    func waiting() async throws -> String {
        let result = try await pushauth("pending", "--offline", "--json")
        return try result.json["id"]?.string ?? ""
    }
}

extension Program.Result {
    /// The only line of the output, as JSON.
    var json: JSON {
        get throws { try JSON(parsing: Data(output.utf8)) }
    }

    /// Every line of the output, as JSON.
    var lines: [JSON] {
        get throws { try output.split(separator: "\n").map { try JSON(parsing: String($0)) } }
    }
}

/// Something that a test turns on and off.
actor Switch {
    private(set) var isOn = false

    func turn(on isOn: Bool) { self.isOn = isOn }
}
