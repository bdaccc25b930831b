import ArgumentParser
import Foundation
import TerminalIO
import Testing

@testable import PushAuthCommand

/// What the environment says, and what the programs say of themselves.
@Suite(.timeLimit(.minutes(3))) struct `the environment of pushauth` {
    /// A variable, its option, and a command that names the file it can't use.
    @Test(arguments: [
        (PathVariable.keyFile, "--key-file", ["list"]),
        (.configuration, "--config", ["list"]),
        (.authorities, "--authorities", ["list"]),
        (.policy, "--policy", ["listen", "--stdin"]),
        (.secretFile, "--secret-file", ["listen", "--http", "0"]),
        (
            .tlsKey, "--tls-key",
            ["listen", "--http", "0", "--tls-cert", "c", "--secret-file", "SECRET"]
        ),
    ])
    func `a variable names a file, and the option of its name wins`(
        variable: PathVariable, option: String, command: [String]
    ) async throws {
        try await PushAuthSite.run { site in
            let (named, meant) = (site.directory.path + "/named", site.directory.path + "/meant")
            let environment = [variable.rawValue: named]
            let secret = try site.secret()
            let command = command.map { $0 == "SECRET" ? secret : $0 }
            let one = try await site.pushauth(command, environment: environment)
            #expect(one.exitCode == 5 && one.errors.contains(named), "\(one.errors)")
            let other = try await site.pushauth(
                command + [option, meant], environment: environment)
            #expect(other.exitCode == 5 && other.errors.contains(meant), "\(other.errors)")
            #expect(!other.errors.contains(named), "\(other.errors)")
        }
    }

    @Test func `a variable names a directory, and the option of its name wins`() async throws {
        try await PushAuthSite.run { site in
            let places = ["a", "b", "c", "d"].map { site.directory.appendingPathComponent($0).path }
            func isThere(_ place: String) -> Bool { FileManager.default.fileExists(atPath: place) }
            let environment = ["PUSHAUTH_STORE": places[0], "PUSHAUTH_CREDENTIALS": places[2]]
            let listen = ["listen", "--http", "0", "--timeout", "1"]
            let one = try await site.pushauth(listen, environment: environment)
            #expect(one.exitCode == 10, "\(one.errors)")
            #expect(isThere(places[0] + "/header") && isThere(places[0] + ".key"))
            #expect(isThere(places[2] + "/http-secret"))
            #expect(!isThere(site.store.path))
            let other = try await site.pushauth(
                listen + ["--store", places[1], "--credentials", places[3]],
                environment: environment)
            #expect(other.exitCode == 10, "\(other.errors)")
            #expect(isThere(places[1] + "/header") && isThere(places[3] + "/http-secret"))
        }
    }

    @Test func `a variable wins over the configuration, and an empty one says nothing`()
        async throws
    {
        try await PushAuthSite.run { site in
            let none = site.directory.path + "/none.pem"
            try site.configure("[server]\nauthorities = \"\(none)\"\n", trusting: false)
            let configured = try await site.pushauth(
                ["list"], environment: ["PUSHAUTH_AUTHORITIES": ""])
            #expect(configured.exitCode == 5 && configured.errors.contains(none))
            let certificate = try site.file("authority.pem", "-----BEGIN CERTIFICATE-----\n")
            let named = try await site.pushauth(
                ["list"], environment: ["PUSHAUTH_AUTHORITIES": certificate])
            #expect(named.exitCode == 0, "\(named.errors)")
            let all = Dictionary(
                uniqueKeysWithValues: PathVariable.allCases.map { ($0.rawValue, "") })
            try site.configure("")
            let empty = try await site.pushauth(["list"], environment: all)
            #expect(empty.exitCode == 0, "\(empty.errors)")
            #expect(FileManager.default.fileExists(atPath: site.store.path))
        }
    }

    @Test func `a file with the key wins over the key itself`() async throws {
        try await PushAuthSite.run { site in
            #expect(try await site.pushauth("list").exitCode == 0)
            let wrong = String(repeating: "ab", count: 32)
            let result = try await site.pushauth(
                ["list"],
                environment: ["PUSHAUTH_KEY": wrong, "PUSHAUTH_KEY_FILE": site.keyFile.path])
            #expect(result.exitCode == 0, "\(result.errors)")
        }
    }

    @Test func `help and the guide name every variable`() throws {
        let guide = try String(contentsOf: Self.root("docs/guides/pushauth.md"), encoding: .utf8)
        let help = ListenCommand.helpMessage(columns: 500)
        let overview = PushAuth.helpMessage(columns: 500)
        for variable in PathVariable.allCases {
            #expect(help.contains("$\(variable.rawValue)"), "\(variable)")
            #expect(overview.contains(variable.rawValue), "\(variable)")
            #expect(guide.contains("`\(variable.rawValue)`"), "\(variable)")
        }
    }

    // MARK: Version

    @Test(arguments: ["pushauth", "push-lab"])
    func `a program says its version`(name: String) async throws {
        let result = try await Program(name).run(["--version"])
        #expect(result.exitCode == 0 && result.errors.isEmpty)
        #expect(result.output == Version.text + "\n")
    }

    @Test func `the version is that of the newest release, or of the one that is being made`()
        throws
    {
        let changes = try String(contentsOf: Self.root("CHANGELOG.md"), encoding: .utf8)
        let newest = try #require(changes.firstMatch(of: /\n## \[?([^\]\n ]+)/)?.1)
        let version = try #require(Version.text.wholeMatch(of: /(\d+\.\d+\.\d+)(-dev)?/))
        #expect(newest == (version.2 == nil ? version.1 : "Unreleased"))
    }

    private static func root(_ path: String) -> URL {
        URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../../\(path)")
            .standardizedFileURL
    }
}

extension PushAuthSite {
    /// A file with a secret that an intake takes.
    fileprivate func secret() throws -> String {
        let path = try file("s", "0123456789abcdef")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }
}
