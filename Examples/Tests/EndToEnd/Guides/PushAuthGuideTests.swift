import ArgumentParser
import Foundation
import LinkedVendors
import PushCore
import PushPlatform
import Testing

@testable import PushAuthCommand

/// What `docs/guides` says of `pushauth` and can be checked without running it.
@Suite struct `the guide to pushauth` {
    private func guide(_ name: String) throws -> String {
        let file = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../../../docs/guides/\(name).md").standardizedFileURL
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// The content of each fence of a language.
    private func fences(_ language: String, in guide: String) -> [String] {
        guide.components(separatedBy: "\n```\(language)\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0]
        }
    }

    @Test func `it lists every exit code`() throws {
        let guide = try guide("pushauth")
        for status in ExitStatus.allCases {
            let isListed = guide.contains("| \(status.rawValue) | \(status.meaning) |")
            #expect(isListed, "\(status)")
        }
    }

    @Test func `it names every command`() throws {
        let guide = try guide("pushauth")
        for command in PushAuth.configuration.subcommands {
            let name = try #require(command.configuration.commandName)
            let isNamed = ["`pushauth \(name) ", "$ pushauth \(name) ", "`\(name)`"]
                .contains { guide.contains($0) }
            #expect(isNamed, "\(name)")
        }
    }

    @Test func `it names every option of listen`() throws {
        let guide = try guide("pushauth")
        let help = ListenCommand.helpMessage(columns: 200)
        let options = help.matches(of: /--[a-z][a-z-]+/).map { String($0.output) }
        #expect(options.contains("--poll"))
        for option in Set(options).subtracting(["--help", "--version"]) {
            #expect(guide.contains("`\(option)"), "\(option)")
        }
    }

    @Test(arguments: ["pushauth", "ci-testing"])
    func `its policies can be used`(name: String) throws {
        let policies = fences("toml", in: try guide(name)).filter { $0.contains("[[rule]]") }
        try #require(!policies.isEmpty)
        for policy in policies { #expect(try !Policy(parsing: policy).rules.isEmpty) }
    }

    @Test func `its configuration has every key, and no other`() throws {
        let text = try #require(
            fences("toml", in: try guide("pushauth")).first { $0.contains("[device]") })
        let configuration = try Configuration(parsing: text, linking: LinkedVendors.all)
        #expect(configuration.device.name != nil)
        #expect(configuration.server.authorities != nil)
        #expect(configuration.server.plainHTTP == true)
        #expect(configuration.pins.rules.rules.map(\.host) == ["login.example.com"])
        let linked = LinkedProviders(LinkedVendors.all, in: configuration)
        let written = linked.names.filter { configuration.providers[$0] != nil }
        let others = ExpectedVendor.names.filter { !["forgerock", "plusauth"].contains($0) }
        #expect(written == ["forgerock", "forgerock-staging"] + others)
        for key in ["enabled", "local-hosts", "key-bits", "apns-tokens", "vendor"] {
            #expect(text.contains("\n\(key) = "))
        }
    }
}
