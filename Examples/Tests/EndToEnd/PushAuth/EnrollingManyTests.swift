import Foundation
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushPlusAuthSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

@Suite(.timeLimit(.minutes(5))) struct `pushauth enroll --from` {
    private let bank = ForgeRockSimulator(.init(issuer: "Bank"))

    private func users(_ count: Int) -> [String] { (1...count).map { "user\($0)" } }

    /// A file with an invitation for each of some users, one a line.
    private func file(_ users: [String], at site: PushAuthSite) async throws -> String {
        if try await site.pushauth("token", "set", "--fcm", "lab-token").exitCode != 0 {
            throw PushError(.storage, "The token wasn't kept.")
        }
        var lines: [String] = []
        for user in users { lines.append(try await bank.invitation(for: user).scannedText ?? "") }
        return try site.file("invitations", lines.joined(separator: "\n"))
    }

    private func statuses(_ result: Program.Result) throws -> [String] {
        try result.lines.compactMap { $0["status"]?.string }.sorted()
    }

    /// How many devices the vendor has of each user.
    private func devices(_ users: [String]) async -> [Int] {
        var counts: [Int] = []
        for user in users { counts.append(await bank.devices(of: user).count) }
        return counts
    }

    // MARK: Lines

    @Test func `says of each line what came of it, and of no invitation what it is`() async throws {
        try await PushAuthSite.run(with: bank) { site in
            let users = users(3)
            let path = try await file(users, at: site)
            var lines = try String(contentsOfFile: path, encoding: .utf8)
                .components(separatedBy: "\n")
            let secret = "c2VjcmV0LXRoYXQtbm9ib2R5LW1heS1zZWU"
            lines.insert(contentsOf: ["# staff", "", "   "], at: 0)
            lines += [lines[3], "nonsense \(secret)", "pushauth://push/Bank:eve?s=\(secret)"]
            let input = lines.joined(separator: "\r\n")
            let result = try await site.pushauth("enroll", "--from", "-", input: input)
            #expect(result.exitCode == 1)
            let results = try result.lines.sorted {
                ($0["line"]?.integer ?? 0) < ($1["line"]?.integer ?? 0)
            }
            #expect(results.map { $0["line"]?.integer } == [4, 5, 6, 7, 8, 9])
            #expect(
                results.map { $0["status"]?.string }
                    == ["enrolled", "enrolled", "enrolled", "duplicate", "failed", "failed"])
            #expect(results.prefix(3).map { $0["user"]?.string } == users)
            #expect(results[0]["provider"] == "forgerock" && results[0]["issuer"] == "Bank")
            #expect(results[0]["state"] == "active" && results[3]["of"] == 4)
            #expect(results[5]["error"] == "invalidInvitation" && results[5]["why"] != nil)
            let listed = Set(
                try await site.pushauth("list", "--json").lines.map { $0["id"]?.string })
            #expect(Set(results.prefix(3).map { $0["enrollment"]?.string }) == listed)
            #expect(await devices(users) == [1, 1, 1])
            for line in lines where line.contains("=") || line.contains(secret) {
                #expect(!(result.output + result.errors).contains(line))
            }
            #expect(!(result.output + result.errors).contains(secret))
            #expect(result.errors.hasSuffix("3 enrolled, 1 duplicate, 2 failed.\n"))
        }
    }

    @Test func `asks nobody about what an earlier run enrolled`() async throws {
        try await PushAuthSite.run(with: bank) { site in
            let path = try await file(users(3), at: site)
            let first = try await site.pushauth("enroll", "--from", path, "--parallel", "2")
            #expect(first.exitCode == 0, "\(first.output)\(first.errors)")
            let exchanges = await bank.exchanges.count
            let second = try await site.pushauth("enroll", "--from", path)
            #expect(second.exitCode == 0 && second.errors == "3 already.\n")
            #expect(try statuses(second) == ["already", "already", "already"])
            #expect(await bank.exchanges.count == exchanges)
            // The store has the journal, and no text of an invitation.
            let text = try String(contentsOfFile: path, encoding: .utf8).prefix(40)
            let files = FileManager.default.enumerator(atPath: site.store.path)?.allObjects ?? []
            for case let name as String in files {
                let bytes = FileManager.default.contents(atPath: site.store.path + "/" + name)
                #expect(bytes.map { $0.firstRange(of: Data(text.utf8)) == nil } ?? true)
            }
        }
    }

    @Test(arguments: [
        ["--from", "f", "text"], ["--from", "f", "--image", "i"], ["--parallel", "2", "text"],
        ["--from", "f", "--parallel", "0"], ["--from", "f", "--parallel", "65"],
    ])
    func `refuses what doesn't go together`(options: [String]) async throws {
        try await PushAuthSite.run { site in
            let result = try await site.pushauth(["enroll"] + options)
            #expect(result.exitCode == 64, "\(result.errors)")
        }
    }

    @Test func `names a file that isn't there, and says that one is empty`() async throws {
        try await PushAuthSite.run { site in
            let missing = try await site.pushauth("enroll", "--from", "/nonexistent/file")
            #expect(missing.exitCode == 1 && missing.errors.contains("/nonexistent/file"))
            let empty = try await site.pushauth("enroll", "--from", "-", input: "# none\n\n")
            #expect(empty.exitCode == 0 && empty.output.isEmpty)
            #expect(empty.errors == "There are no invitations.\n")
        }
    }

    // MARK: Ends

    /// Runs it until the vendor gets the fourth registration, and does something to it then.
    ///
    /// - Parameters:
    ///   - wasTaken: Whether the vendor takes that one before; else it gets it after.
    ///   - isLost: Whether it never gets it.
    ///   - act: What happens to the process.
    ///   - test: Looks at what is left.
    /// - Throws: What the test throws.
    private func interrupted(
        wasTaken: Bool, isLost: Bool = false, _ act: @escaping (ChildProcess, Gate) async -> Void,
        then test: (PushAuthSite, String, Program.Result) async throws -> Void
    ) async throws {
        let gate = Gate()
        let bank = bank
        let count = Counter()
        let handler: LocalServer.Handler = { request, body in
            let isFourth = await count.next() == 4
            if isFourth, !wasTaken { await gate.pass() }
            if isFourth, isLost { return nil }
            let reply = await bank.respond(to: request, body: body)
            if isFourth, wasTaken { await gate.pass() }
            return reply
        }
        try await PushAuthSite.run(with: bank, answering: handler) { site in
            let path = try await file(users(8), at: site)
            let knock = await gate.shut()
            let result = try await site.pushauth("enroll", "--from", path) { child in
                await knock.wait()
                await act(child, gate)
            }
            await gate.open()
            try await test(site, path, result)
        }
    }

    @Test(arguments: [false, true])
    func `goes on after it was killed, and enrolls nobody twice`(wasTaken: Bool) async throws {
        try await interrupted(wasTaken: wasTaken, isLost: !wasTaken) { child, _ in
            child.kill()
            _ = await child.ended()
        } then: { site, path, first in
            // The last of them may not have been told yet.
            #expect([2, 3].contains(try first.lines.count))
            #expect(Set(try statuses(first)) == ["enrolled"])
            let second = try await site.pushauth("enroll", "--from", path)
            let all = users(8)
            #expect(await devices(all) == all.map { _ in 1 }, "\(second.output)")
            let already = Array(repeating: "already", count: 3)
            guard wasTaken else {
                #expect(second.exitCode == 0, "\(second.errors)")
                #expect(try statuses(second) == already + Array(repeating: "enrolled", count: 5))
                // What was begun and came to nothing is gone.
                let listed = try await site.pushauth("list", "--json").lines
                #expect(listed.compactMap { $0["user"]?.string }.sorted() == all)
                return
            }
            // AM takes a code once, and says no more of it: its first push tells.
            #expect(second.exitCode == 1, "\(second.errors)")
            #expect(
                try statuses(second)
                    == already + Array(repeating: "enrolled", count: 4) + ["unconfirmed"])
            let half = try #require(try second.lines.first { $0["status"] == "unconfirmed" })
            let user = try #require(half["user"]?.string)
            #expect(half["state"] == "pending" && half["error"] != nil)
            _ = try await bank.startLogin(of: user, asking: .confirm)
            _ = try await site.deliver(from: bank)
            let third = try await site.pushauth("enroll", "--from", path)
            #expect(third.exitCode == 0 && third.errors == "8 already.\n", "\(third.output)")
            #expect(await devices(all) == all.map { _ in 1 })
            #expect(try await site.pushauth("list", "--json").lines.count == 8)
        }
    }

    @Test func `ends after what is under way when Ctrl-C comes`() async throws {
        try await interrupted(wasTaken: false) { child, gate in
            child.interrupt()
            // Long enough for one that wouldn't wait to be gone.
            try? await Task.sleep(for: .seconds(1))
            await gate.open()
        } then: { site, path, first in
            #expect(first.exitCode == 130, "\(first.errors)")
            #expect(first.errors.contains("of 8 lines"), "\(first.errors)")
            let enrolled = try statuses(first)
            // Of one vendor, the next ones wait for the one that is under way.
            #expect((4...7).contains(enrolled.count) && Set(enrolled) == ["enrolled"])
            let second = try await site.pushauth("enroll", "--from", path)
            #expect(second.exitCode == 0, "\(second.output)")
            #expect(await devices(users(8)) == users(8).map { _ in 1 })
        }
    }
}

private actor Counter {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}
