import Foundation
import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// Which account a push is for that names none, and what it costs to find out.
@Suite struct AccountSearchTests {
    /// A harness of many accounts, and their keys, oldest first.
    private func harness(of count: Int) async throws -> (
        harness: PlusAuthHarness, keys: [AccountKey]
    ) {
        let harness = try PlusAuthHarness()
        try await harness.authenticator.deviceTokenChanged(.fcm(WorkedExample.deviceToken))
        for index in 0..<count { try await harness.enroll(.account("user\(index)"), token: nil) }
        return (harness, try await harness.enrollments().map { try $0.key() })
    }

    /// A push that names no key, and says nothing of the user.
    private func nameless(_ key: AccountKey, token: String) -> ContextJWT {
        ContextJWT(key, token: token).with(header: "kid", nil)
    }

    /// The same of a stranger: one that verifies by no account's key.
    private func forged(_ index: Int) throws -> PushMessage {
        try nameless(.stranger(), token: "forged-\(index)").message()
    }

    private func isUntried(_ error: PushError) -> Duration? {
        (error.underlying as? PlusAuth.UntriedAccounts)?.wait
    }

    @Test(arguments: [51, 500])
    func `every account gets its push, though nothing names it`(count: Int) async throws {
        let (harness, keys) = try await harness(of: count)
        for index in [0, 1, count / 2, count - 1] {
            // A minute later: so many tries are a minute's.
            harness.clock.advance(by: .seconds(60))
            let key = keys[index]
            let challenge = try await harness.challenge(nameless(key, token: "ctx-\(index)"))
            #expect(challenge.id.enrollment.name == key.id)
        }
    }

    @Test func `a push that tells its user leads to the account, whatever their number`()
        async throws
    {
        var costs: Set<Int> = []
        for count in [5, 60] {
            let (harness, keys) = try await harness(of: count)
            let context = nameless(keys[2], token: "ctx").with("info", ["user_identifier": "user2"])
            let message = try context.message()
            let cost = try await harness.reads.during {
                guard case .notice(let found) = try await harness.event(of: message) else {
                    throw NothingThrown()
                }
                #expect(found.notice.id.enrollment.name == keys[2].id)
            }
            costs.insert(cost)
        }
        #expect(costs.count == 1)
    }

    @Test func `what a push tells of its user is believed of nobody else's key`() async throws {
        let (harness, keys) = try await harness(of: 3)
        let context = nameless(keys[0], token: "ctx").with("info", ["user_identifier": "user1"])
        let challenge = try await harness.challenge(context)
        #expect(challenge.id.enrollment.name == keys[0].id)
        let stranger = nameless(.stranger(), token: "x").with("info", ["user_identifier": "user1"])
        #expect(try await harness.refusal(of: stranger.message()).code == .untrusted)
    }

    @Test func `a flood of forged pushes costs a bounded number of tries`() async throws {
        let (harness, _) = try await harness(of: 60)
        func flood(_ count: Int) async throws -> Int {
            try await harness.reads.during {
                for index in 0..<count {
                    let message = try forged(index)
                    let error = try await refusal {
                        _ = try await harness.event(of: message)
                    }
                    #expect(error.code == .untrusted)
                }
            }
        }
        // Each costs one try more once the minute's are used up, as if it named an account.
        let first = try await flood(200)
        #expect(try await flood(200) == 200)
        // All accounts were tried 16 times, and for each of those listed.
        #expect(first < 4_000)
        harness.clock.advance(by: .seconds(60))
        #expect(try await flood(200) < 4_000)
    }

    @Test func `many at once cost no more than one after the other`() async throws {
        let (harness, _) = try await harness(of: 60)
        let messages = try (0..<200).map { try forged($0) }
        let cost = await harness.reads.during {
            await withTaskGroup { group in
                for message in messages {
                    group.addTask {
                        _ = try? await harness.event(of: message)
                    }
                }
            }
        }
        #expect(cost < 4_000)
    }

    /// Uses up the minute's tries.
    private func exhaust(_ harness: PlusAuthHarness) async throws {
        for index in 0..<2_000 {
            let message = try forged(index)
            let error = try await refusal {
                _ = try await harness.event(of: message)
            }
            if let wait = isUntried(error) {
                #expect(wait > .zero && wait <= .seconds(60))
                return
            }
        }
        Issue.record("There is no limit.")
    }

    @Test func `a flood keeps no push away that names its account, or leads to it`() async throws {
        let (harness, keys) = try await harness(of: 60)
        try await exhaust(harness)
        _ = try await harness.challenge(ContextJWT(keys[7], token: "named"))
        _ = try await harness.challenge(
            nameless(keys[8], token: "led").with("info", ["user_identifier": "user8"]))
    }

    @Test func `a push that does neither is found during a flood by chance, and after it for sure`()
        async throws
    {
        let (harness, keys) = try await harness(of: 60)
        try await exhaust(harness)
        let genuine = try nameless(keys[9], token: "genuine").message()
        var refusals = 0
        // The chance that none of so many tries meets one account of 60 is 1 in 10 ^ 14.
        for _ in 0..<2_000 {
            do throws(PushError) {
                _ = try await harness.event(of: genuine)
                break
            } catch {
                #expect(isUntried(error) != nil)
                refusals += 1
            }
        }
        #expect(refusals < 2_000)
        #expect(try await harness.authenticator.records().isEmpty)
        harness.clock.advance(by: .seconds(60))
        _ = try await harness.challenge(genuine)
    }

    @Test func `the only account of a phone gets each of its pushes during a flood`() async throws {
        let (harness, keys) = try await harness(of: 1)
        for index in 0..<1_100 {
            let message = try forged(index)
            _ = try await refusal {
                _ = try await harness.event(of: message)
            }
        }
        _ = try await harness.challenge(nameless(keys[0], token: "ctx"))
    }

    @Test func `an account that another process has just enrolled is found`() async throws {
        let (harness, keys) = try await harness(of: 2)
        _ = try await harness.challenge(nameless(keys[0], token: "a"))
        let other = try PlusAuthHarness(sharing: harness)
        try await other.enroll(.account("bob"))
        _ = try await harness.challenge(nameless(other.key(), token: "b"))
    }

    @Test func `a try by chance leaves the search where it was, so that it meets all`()
        async throws
    {
        let harness = try PlusAuthHarness(
            random: PlannedRandom(always: [0, 0, 0, 0], rest: SystemRandom()))
        try await harness.authenticator.deviceTokenChanged(.fcm(WorkedExample.deviceToken))
        let count = 1_100
        for index in 0..<count { try await harness.enroll(.account("user\(index)"), token: nil) }
        let keys = try await harness.enrollments().map { try $0.key() }
        // The minute's tries don't reach the oldest account; then there is one try by chance.
        for index in 0..<2 {
            let message = try forged(index)
            let error = try await refusal {
                _ = try await harness.event(of: message)
            }
            #expect(isUntried(error) != nil)
        }
        harness.clock.advance(by: .seconds(60))
        let last = try #require(await harness.authenticator.enrollments().first)
        let oldest = try #require(keys.first { $0.id == last.id.name })
        let challenge = try await harness.challenge(nameless(oldest, token: "ctx"))
        #expect(challenge.id.enrollment.name == oldest.id)
    }

    @Test func `of an account's enrollments the newest is tried first`() async throws {
        let harness = try PlusAuthHarness()
        try await harness.authenticator.deviceTokenChanged(.fcm(WorkedExample.deviceToken))
        // Eight of one account, none of which PlusAuth is known to have taken.
        await harness.server.replyAlways(503)
        for _ in 0..<8 {
            try await harness.enroll(.account("ada"), token: nil)
            harness.clock.advance(by: .seconds(1))
        }
        let keys = try await harness.enrollments().map { try $0.key() }
        func cost(_ index: Int) async throws -> Int {
            let context = nameless(keys[index], token: "ctx-\(index)")
                .with("info", ["user_identifier": "ada"])
            let message = try context.message()
            return try await harness.reads.during {
                guard case .notice(let found) = try await harness.event(of: message) else {
                    throw NothingThrown()
                }
                #expect(found.notice.id.enrollment.name == keys[index].id)
            }
        }
        let newest = try await cost(7)
        #expect(try await cost(6) == newest + 1)
        #expect(try await cost(0) > newest + 3)
    }

    @Test func `a search reads one record of each account, whatever challenges it holds`()
        async throws
    {
        let (harness, keys) = try await harness(of: 4)
        // The first search ends at the account, where the next ones begin.
        _ = try await harness.event(of: nameless(keys[0], token: "first").message())
        func cost(_ token: String) async throws -> Int {
            let message = try nameless(keys[0], token: token).message()
            return try await harness.reads.during { _ = try await harness.event(of: message) }
        }
        // The names, the records, and the one that is tried.
        #expect(try await cost("before") == 2 * keys.count + 1)
        for (index, key) in keys.enumerated() {
            for number in 0..<5 {
                _ = try await harness.challenge(ContextJWT(key, token: "\(index)-\(number)"))
            }
        }
        #expect(try await cost("after") == 2 * keys.count + 1)
    }

    // MARK: Enrolling

    @Test func `enrolling reads as much beside 200 accounts as beside 10`() async throws {
        var costs: [Int] = []
        for count in [10, 200] {
            let (harness, _) = try await harness(of: count)
            costs.append(
                try await harness.reads.during {
                    try await harness.enroll(.account("new"), token: nil)
                }
            )
        }
        #expect(costs[0] == costs[1])
    }

    @Test func `an account has eight enrollments at the most, finished or not`() async throws {
        let harness = try PlusAuthHarness()
        await harness.server.replyAlways(503)
        for _ in 0..<8 { try await harness.enroll() }
        let sent = await harness.enrollments().count
        let error = try await refusal { try await harness.enroll() }
        #expect(error.code == .alreadyEnrolled)
        #expect(await harness.enrollments().count == sent)
        let half = try await harness.account().id
        try await harness.enroll(.account("bob"))
        try await harness.authenticator.remove(half)
        await harness.server.replyAlways(200)
        let enrollment = try await harness.enroll()
        let accounts = try await harness.authenticator.enrollments()
        #expect(accounts.filter { $0.account == enrollment.account } == [enrollment])
        #expect(accounts.count == 2)
    }
}
