import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushPlatform
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// What commands exit with, kind by kind, as the guide's table has it.
@Suite(.timeLimit(.minutes(3))) struct `the exit code of pushauth` {
    private static let password = ["--password-env", "PASSWORD"]

    /// A way to fail that needs no vendor.
    struct Way: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let status: PushAuthCommand.ExitStatus
        let words: String

        var testDescription: String { arguments.joined(separator: " ") }
    }

    private static let ways = [
        Way(arguments: ["list", "--nonsense"], status: .usage, words: "Usage:"),
        Way(
            arguments: ["device", "add", "a/b", "--store", "etcd://127.0.0.1:1/acme"],
            status: .usage, words: "A device's name has"),
        Way(
            arguments: ["device", "list"], status: .usage, words: "the store of one device"),
        Way(
            arguments: ["fleet", "prepare"], status: .usage,
            words: "no database of PostgreSQL"),
        Way(arguments: ["show", "ab"], status: .notFound, words: "is known as"),
        Way(
            arguments: ["list", "--authorities", "/nonexistent/authority.pem"], status: .store,
            words: "/nonexistent/authority.pem"),
        Way(
            arguments: ["list", "--config", "/nonexistent/config.toml"], status: .store,
            words: "/nonexistent/config.toml"),
        Way(
            arguments: ["list", "--key-file", "/nonexistent/key"], status: .store,
            words: "/nonexistent/key"),
        Way(
            arguments: ["list", "--store", "/dev/null/store"], status: .store,
            words: "/dev/null/store"),
        Way(
            arguments: ["listen", "--stdin", "--policy", "/nonexistent/policy"], status: .store,
            words: "/nonexistent/policy"),
        Way(
            arguments: ["list", "--capture", "/nonexistent/capture"], status: .store,
            words: "/nonexistent/capture"),
        Way(
            arguments: ["enroll", "nonsense"], status: .failed, words: "No configured provider"),
    ]

    @Test(arguments: ways) func `is that of the table where there is no vendor`(
        way: Way
    ) async throws {
        try await PushAuthSite.run { site in
            _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
            let result = try await site.pushauth(way.arguments)
            #expect(result.exitCode == way.status.rawValue, "\(result.errors)")
            #expect(result.errors.contains(way.words), "\(result.errors)")
        }
    }

    @Test(arguments: ["powerauth", "onespan", "xignin"])
    func `is 6 for a PIN that can't be used, whether it is new or known`(
        name: String
    ) async throws {
        try await PushAuthSite.run(atVendor: name) { site, vendor in
            _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
            func enroll(_ pin: String?) async throws -> Program.Result {
                var arguments = ["enroll", "--yes"] + (pin == nil ? [] : ["--pin-env", "PIN"])
                var environment = pin.map { ["PIN": $0] } ?? [:]
                switch try await vendor.simulator.invitation(for: "jane") {
                case .credentials(let user, let password):
                    arguments += ["--user", user] + Self.password
                    environment["PASSWORD"] = password.copiedText()
                case let invitation: arguments.append(invitation.scannedText ?? "")
                }
                return try await site.pushauth(arguments, environment: environment)
            }
            for pin in ["1", nil] {
                // XignIn's PIN may be of any length, and its server says what it wants.
                if name == "xignin", pin == "1" { continue }
                let result = try await enroll(pin)
                #expect(result.exitCode == 6, "\(pin?.count ?? 0) \(result.errors)")
                #expect(!result.errors.contains("block the enrollment"), "\(result.errors)")
            }
            #expect(try await site.pushauth("list", "--json").output.isEmpty)
        }
    }

    @Test func `is 4 for a server that is gone, and for one that fails`() async throws {
        let simulator = ForgeRockSimulator()
        let isFailing = Switch()
        try await PushAuthSite.run { site in
            let server = try await site.serve { request, body in
                await isFailing.isOn
                    ? (.init(status: .internalServerError), Data())
                    : await simulator.respond(to: request, body: body)
            }
            try await simulator.move(to: server.origin)
            try await site.enroll(with: simulator, as: "jane")
            await isFailing.turn(on: true)
            let failing = try await site.pushauth("token", "set", "--fcm", "a")
            await server.stop()
            let gone = try await site.pushauth("token", "set", "--fcm", "b")
            #expect(failing.exitCode == 4, "\(failing.errors)")
            #expect(gone.exitCode == 4, "\(gone.errors)")
        }
    }

    @Test func `is 5 for a record that is newer than the program`() {
        #expect(PushAuthCommand.ExitStatus(PushError.Code.unsupportedRecord) == .store)
    }

    @Test func `is 6 for an export's password that is too short or missing`() async throws {
        let simulator = PushAuthSite.oneTimeCodes
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let file = site.directory.appendingPathComponent("moving").path
            for password in ["short", ""] {
                let result = try await site.pushauth(
                    ["export", file, "--yes"] + Self.password,
                    environment: ["PASSWORD": password])
                #expect(result.exitCode == 6, "\(result.errors)")
                #expect(!FileManager.default.fileExists(atPath: file))
            }
        }
    }

    @Test func `is 130 after Ctrl-C, and 143 after SIGTERM`() async throws {
        try await PushAuthSite.run { site in
            for code in [130, 143] as [Int32] {
                let process = try ListeningProcess(
                    ["--fcm", "0", "--credentials", site.directory.path + "/c"],
                    environment: site.environment)
                _ = try await process.event("listening")
                let end = code == 130 ? await process.stop() : await process.terminate()
                #expect(end.code == code)
            }
        }
    }
}
