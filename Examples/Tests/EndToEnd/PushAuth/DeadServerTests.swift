import Foundation
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// What a server that is gone means for several enrollments is said once.
@Suite(.timeLimit(.minutes(3))) struct `a dead server under several enrollments` {
    private func check(
        _ result: Program.Result, _ sentence: String = "can't be reached"
    ) {
        let count = result.errors.components(separatedBy: sentence).count - 1
        #expect(count == 1, "\(result.errors)")
        #expect(result.errors.contains("This concerns 3 enrollments."), "\(result.errors)")
    }

    @Test func `is told by token set and by listen`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run { site in
            let server = try await site.serve { await simulator.respond(to: $0, body: $1) }
            try await simulator.move(to: server.origin)
            for user in ["jane", "john", "joan"] {
                try await site.enroll(with: simulator, as: user)
            }
            await server.stop()
            let set = try await site.pushauth("token", "set", "--fcm", "another")
            #expect(set.exitCode == 4)
            check(set)
            // Then it makes a token of its own.
            try FileManager.default.removeItem(atPath: site.store.path + ".tokens.json")
            let listened = try await site.pushauth(
                "listen", "--fcm", "0", "--credentials", site.directory.path + "/c", "--timeout",
                "1")
            #expect(listened.exitCode == 10)
            check(listened)
        }
    }

    @Test func `is told by refresh, pending and watch`() async throws {
        let vendor = try #require(ConsoleVendors.all().first { $0.name == "privacyidea" })
        let simulator = vendor.simulator
        try await PushAuthSite.run { site in
            let server = try await site.serve { await simulator.respond(to: $0, body: $1) }
            try await simulator.move(to: server.origin)
            try site.configure(await vendor.configuration(server.origin))
            for user in ["jane", "john", "joan"] {
                try await site.enroll(with: simulator, as: user)
            }
            await server.stop()
            let refreshed = try await site.pushauth("refresh")
            #expect(refreshed.exitCode == 4)
            check(refreshed)
            let pending = try await site.pushauth("pending")
            #expect(pending.exitCode == 4)
            check(pending)
            let selected = try await site.pushauth("pending", "--provider", "privacyidea")
            check(selected)
            // Long enough for a second round of questions.
            let watched = try await site.pushauth("watch", "--interval", "5", "--timeout", "9")
            #expect(watched.exitCode == 10)
            check(watched)
        }
    }

    @Test func `is told again only after it was gone for a while`() {
        let enrollments = (0..<3).map {
            Enrollment(
                id: Enrollment.ID("\($0)", of: "acme"), host: $0 < 2 ? "a.example" : nil,
                state: .active, created: .now)
        }
        var news = RepeatedFailures(of: enrollments, isOverAfter: .seconds(30))
        let dead = PushError(.unreachable, "a.example:443 can't be reached.")
        let start = ContinuousClock.now
        #expect(news.count(dead, of: enrollments[0].id, at: start) == 2)
        #expect(news.count(dead, of: enrollments[1].id, at: start) == nil)
        #expect(news.count(dead, of: enrollments[0].id, at: start + .seconds(29)) == nil)
        #expect(news.count(dead, of: enrollments[0].id, at: start + .seconds(58)) == nil)
        #expect(news.count(dead, of: enrollments[0].id, at: start + .seconds(89)) == 2)
        // What a server says of one enrollment concerns no other.
        let blocked = PushError(.blocked, "It is blocked.")
        #expect(news.count(blocked, of: enrollments[1].id, at: start) == 1)
        #expect(news.count(dead, of: enrollments[2].id, at: start + .seconds(200)) == 1)
    }
}
