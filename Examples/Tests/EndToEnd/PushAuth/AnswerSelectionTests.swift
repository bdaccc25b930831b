import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab

/// Challenges that are named by whose they are.
@Suite(.timeLimit(.minutes(3))) struct `an answer by a selection` {
    private let bank = ForgeRockSimulator(.init(issuer: "Bank"))

    /// Runs a test with jane and bob at the bank.
    private func run(_ test: (PushAuthSite) async throws -> Void) async throws {
        try await PushAuthSite.run(with: bank) { site in
            for user in ["jane", "bob"] { try await site.enroll(with: bank, as: user) }
            try await test(site)
        }
    }

    /// A login that a push has announced.
    private func login(
        of user: String, asking kind: SimulatedLogin.Kind = .confirm, at site: PushAuthSite
    ) async throws -> SimulatedLogin {
        let login = try await bank.startLogin(of: user, asking: kind)
        _ = try await site.deliver(from: bank)
        return login
    }

    @Test func `the only challenge that waits is approved or denied`() async throws {
        try await run { site in
            for (verb, expected) in [
                ("approve", SimulatedLogin.Status.approved), ("deny", .denied),
            ] {
                let jane = try await login(of: "jane", at: site)
                let bob = try await login(of: "bob", at: site)
                let result = try await site.pushauth(
                    verb, "--user", "jane", "--issuer", "Bank", "--provider", "forgerock", "--json")
                #expect(result.exitCode == 0, "\(result.errors)")
                #expect(try result.json["user"] == "jane")
                #expect(try await bank.status(of: jane.id) == expected)
                #expect(try await bank.status(of: bob.id) == .waiting)
                let other = try await site.pushauth(verb, "--user", "bob")
                #expect(other.exitCode == 0, "\(other.errors)")
                #expect(try await bank.status(of: bob.id) == expected)
            }
        }
    }

    @Test func `a number is chosen, with an ID before it or without`() async throws {
        try await run { site in
            for isNamed in [false, true] {
                let login = try await login(of: "jane", asking: .number, at: site)
                let number = try #require(login.shown)
                let id = isNamed ? [String(try await site.waiting().prefix(4))] : []
                let result = try await site.pushauth(["choose"] + id + [number, "--user", "jane"])
                #expect(result.exitCode == 0, "\(result.errors)")
                #expect(try await bank.status(of: login.id) == .approved)
            }
        }
    }

    @Test func `of several that wait, none is taken, and their IDs are listed`() async throws {
        try await run { site in
            let logins = [
                try await login(of: "jane", at: site), try await login(of: "jane", at: site),
                try await login(of: "bob", at: site),
            ]
            let pending = try await site.pushauth("pending", "--offline", "--json").lines
            let ids = pending.filter { $0["user"] == "jane" }.compactMap { $0["id"]?.string }
            let others = pending.filter { $0["user"] == "bob" }.compactMap { $0["id"]?.string }
            try #require(ids.count == 2 && others.count == 1)
            for command in [["approve"], ["deny"], ["choose", "94"], ["enter", "94"]] {
                let result = try await site.pushauth(command + ["--user", "jane"])
                #expect(result.exitCode == 3 && result.output.isEmpty)
                #expect(result.errors.contains("More than one challenge of user 'jane'"))
                #expect(ids.allSatisfy { result.errors.contains("\($0) (forgerock") })
                #expect(!result.errors.contains(others[0]), "\(result.errors)")
                // An ID is looked for in the selection alone.
                let strange = try await site.pushauth(
                    [command[0], others[0]] + command.dropFirst() + ["--user", "jane"])
                #expect(strange.exitCode == 3 && strange.output.isEmpty, "\(strange.errors)")
            }
            for login in logins { #expect(try await bank.status(of: login.id) == .waiting) }
            let named = try await site.pushauth("approve", ids[1], "--user", "jane")
            #expect(named.exitCode == 0, "\(named.errors)")
            let left = try await site.pushauth("approve", "--user", "jane")
            #expect(left.exitCode == 0, "\(left.errors)")
        }
    }

    @Test func `nothing that waits is said, as is a name that nobody has`() async throws {
        try await run { site in
            let bob = try await login(of: "bob", at: site)
            for command in [["approve"], ["deny"], ["choose", "94"], ["enter", "94"]] {
                let none = try await site.pushauth(command + ["--user", "jane"])
                #expect(none.exitCode == 3 && none.output.isEmpty)
                #expect(
                    none.errors.contains("No challenge of user 'jane' waits for an answer."),
                    "\(none.errors)")
                #expect(none.errors.contains("`pushauth pending`"))
                let nobody = try await site.pushauth(command + ["--user", "Jane"])
                #expect(nobody.exitCode == 3 && nobody.errors.contains("'Jane'"))
            }
            #expect(try await bank.status(of: bob.id) == .waiting)
        }
    }

    @Test(arguments: [["approve"], ["deny"], ["choose"], ["enter"]])
    func `without an ID or a selection the usage is wrong`(command: [String]) async throws {
        try await PushAuthSite.run { site in
            let nothing = try await site.pushauth(command)
            #expect(nothing.exitCode == 64 && nothing.errors.contains("--user"))
            #expect(!FileManager.default.fileExists(atPath: site.store.path))
        }
    }

    @Test(arguments: ["choose", "enter"])
    func `without what the page shows the usage is wrong`(command: String) async throws {
        try await PushAuthSite.run { site in
            for arguments in [["4a37"], ["--user", "jane"]] {
                let result = try await site.pushauth([command] + arguments)
                #expect(result.exitCode == 64)
                #expect(result.errors.contains("that the login page shows"), "\(result.errors)")
            }
        }
    }
}
