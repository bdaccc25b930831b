import Foundation
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushPlusAuthSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// Enrollments that are named by what they are.
@Suite(.timeLimit(.minutes(3))) struct `the selection of pushauth` {
    private let bank = ForgeRockSimulator(.init(issuer: "Bank"))
    private let shop = PlusAuthSimulator(.init(application: "Shop"))

    /// Runs a test with jane and bob at the bank, and jane at the shop.
    private func run(
        _ test: (PushAuthSite, _ ids: [String]) async throws -> Void
    ) async throws {
        try await PushAuthSite.run(with: bank) { site in
            let server = try await site.serve { [shop] in await shop.respond(to: $0, body: $1) }
            try await shop.move(to: server.origin)
            do {
                let ids = [
                    try await site.enroll(with: bank, as: "jane"),
                    try await site.enroll(with: bank, as: "bob"),
                    try await site.enroll(with: shop, as: "jane"),
                ].compactMap { $0["id"]?.string }
                try #require(ids.count == 3)
                try await test(site, ids)
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }
    }

    @Test func `lists have what matches all that is named`() async throws {
        try await run { site, ids in
            for (options, expected) in [
                (["--user", "jane"], [ids[0], ids[2]]), (["--issuer", "Bank"], [ids[0], ids[1]]),
                (["--provider", "plusauth"], [ids[2]]),
                (["--user", "jane", "--issuer", "Bank", "--provider", "forgerock"], [ids[0]]),
            ] {
                for command in ["list", "refresh"] {
                    let result = try await site.pushauth([command, "--json"] + options)
                    #expect(result.exitCode == 0, "\(result.errors)")
                    let listed = try result.lines.compactMap { $0["id"]?.string }
                    #expect(listed.sorted() == expected.sorted(), "\(command) \(options)")
                }
            }
        }
    }

    @Test func `what waits is listed for the selected alone`() async throws {
        try await run { site, ids in
            for user in ["jane", "bob"] {
                _ = try await bank.startLogin(of: user, asking: .confirm)
            }
            _ = try await site.deliver(from: bank)
            for options in [["pending", "--offline"], ["pending"], ["watch", "--timeout", "1"]] {
                let result = try await site.pushauth(options + ["--json", "--user", "bob"])
                #expect(result.exitCode == 0, "\(options) \(result.errors)")
                #expect(try result.lines.map { $0["enrollment"]?.string } == [ids[1]])
            }
            let none = try await site.pushauth("pending", "--provider", "plusauth")
            #expect(none.exitCode == 0 && none.output.isEmpty)
            #expect(none.errors.hasPrefix("Nothing waits for an answer."))
        }
    }

    @Test func `one that is wanted is found, beside an ID or without`() async throws {
        try await run { site, ids in
            let code = try await site.pushauth("code", "--user", "jane", "--provider", "plusauth")
            #expect(code.exitCode == 0, "\(code.errors)")
            let shown = try await site.pushauth("show", "--json", "--user", "bob")
            #expect(try shown.json["id"]?.string == ids[1])
            let both = try await site.pushauth("show", "--json", ids[0], "--user", "jane")
            #expect(try both.json["id"]?.string == ids[0])
            let other = try await site.pushauth("show", ids[1], "--user", "jane")
            #expect(other.exitCode == 3 && other.output.isEmpty)
            let removed = try await site.pushauth("remove", "--yes", "--issuer", "Shop")
            #expect(removed.exitCode == 0, "\(removed.errors)")
            #expect(try await site.pushauth("list", "--json").lines.count == 2)
        }
    }

    @Test func `more than one is an error that lists the candidates`() async throws {
        try await run { site, ids in
            for command in ["show", "remove", "code", "inbox", "history"] {
                let result = try await site.pushauth([command, "--user", "jane"])
                #expect(result.exitCode == 3 && result.output.isEmpty)
                #expect(result.errors.contains("\(ids[0]) (forgerock Bank jane)"))
                #expect(result.errors.contains("\(ids[2]) (plusauth Shop jane)"))
                #expect(!result.errors.contains(ids[1]), "\(result.errors)")
            }
            #expect(try await site.pushauth("list", "--json").lines.count == 3)
        }
    }

    @Test func `nothing that matches is said, and names are compared letter by letter`()
        async throws
    {
        try await run { site, _ in
            for command in [
                ["list"], ["refresh"], ["pending"], ["watch"], ["show"], ["remove"], ["code"],
            ] {
                for option in [["--user", "Jane"], ["--issuer", "Ban"], ["--provider", "acme"]] {
                    let result = try await site.pushauth(command + option)
                    #expect(result.exitCode == 3 && result.output.isEmpty, "\(command)")
                    #expect(result.errors.contains("'\(option[1])'"), "\(result.errors)")
                }
            }
        }
    }

    @Test(arguments: [["show"], ["remove"], ["code"], ["inbox"], ["history"], Self.sign])
    func `without an ID or a selection the usage is wrong`(command: [String]) async throws {
        try await PushAuthSite.run { site in
            let result = try await site.pushauth(command)
            #expect(result.exitCode == 64 && result.errors.contains("--user"))
            #expect(!FileManager.default.fileExists(atPath: site.store.path))
        }
    }

    private static let sign = ["sign", "--resource", "/x", "--factors", "possession"]
}
