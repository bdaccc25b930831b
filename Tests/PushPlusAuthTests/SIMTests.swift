import Foundation
import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// An account that is bound to its SIM cards: `docs/vendors/plusauth.md#sim-binding`.
@Suite struct SIMTests {
    private func context(
        _ harness: PlusAuthHarness, _ isBound: JSON?, token: String
    ) async throws -> ContextJWT {
        // Each push is made a second after the one before.
        harness.clock.advance(by: .seconds(1))
        let now = Int64(harness.clock.now.timeIntervalSince1970)
        return try await ContextJWT(harness.key(), token: token).bindingSIM(isBound)
            .with("iat", .integer(now))
    }

    private func isBound(in harness: PlusAuthHarness) async throws -> Bool {
        try await harness.provider.accountDetails(of: harness.account().id).isSIMBound
    }

    private func expectBlocked(
        _ harness: PlusAuthHarness, _ context: ContextJWT,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let error = try await harness.refusal(of: context.message())
        #expect(error.code == .blocked, "\(error)", sourceLocation: sourceLocation)
        guard case .blocked = try await harness.account().state else {
            Issue.record("It must be seen that it's blocked.", sourceLocation: sourceLocation)
            return
        }
        let codes = try await refusal { _ = try await harness.code() }
        #expect(codes.code == .blocked, sourceLocation: sourceLocation)
        #expect(await harness.answers().isEmpty, sourceLocation: sourceLocation)
    }

    /// A harness whose account has been bound by a push.
    private func bound(_ cards: SIMCards, isStrict: Bool = false) async throws -> PlusAuthHarness {
        let harness = try await PlusAuthHarness.enrolled(.sims(cards, isStrict: isStrict))
        _ = try await harness.challenge(context(harness, true, token: "bind"))
        return harness
    }

    // MARK: Transitions

    @Test func `nothing is bound until a push says so`() async throws {
        let cards = SIMCards()
        let harness = try await PlusAuthHarness.enrolled(.sims(cards))
        #expect(try await !isBound(in: harness))
        await cards.insert([SIMCards.other])
        for (index, settings) in [nil, .null, false, "true", 1].enumerated()
            as EnumeratedSequence<[JSON?]>
        {
            _ = try await harness.challenge(context(harness, settings, token: "\(index)"))
            #expect(try await !isBound(in: harness))
        }
        #expect(try await harness.code() == "435223")
    }

    @Test func `once bound, another SIM card blocks pushes and codes`() async throws {
        let cards = SIMCards()
        let harness = try await bound(cards)
        #expect(try await isBound(in: harness))
        #expect(try await harness.code() == "435223")
        await cards.insert([SIMCards.other])
        try await expectBlocked(harness, context(harness, nil, token: "a"))
        try await expectBlocked(harness, context(harness, true, token: "b"))
    }

    @Test(arguments: [nil, .null, "x", 0] as [JSON?])
    func `a push that doesn't say leaves it bound`(isBound: JSON?) async throws {
        let cards = SIMCards()
        let harness = try await bound(cards)
        _ = try await harness.challenge(context(harness, isBound, token: "a"))
        _ = try await harness.challenge(
            ContextJWT(harness.key(), token: "b").with("settings", .null))
        #expect(try await self.isBound(in: harness))
        await cards.insert([SIMCards.other])
        try await expectBlocked(harness, context(harness, isBound, token: "c"))
    }

    @Test func `false unbinds`() async throws {
        let cards = SIMCards()
        let harness = try await bound(cards)
        _ = try await harness.challenge(context(harness, false, token: "a"))
        #expect(try await !isBound(in: harness))
        await cards.insert([SIMCards.other])
        _ = try await harness.challenge(context(harness, nil, token: "b"))
        #expect(try await harness.code() == "435223")
    }

    @Test func `false lifts a block, and its own push is shown`() async throws {
        let cards = SIMCards()
        let harness = try await bound(cards)
        await cards.insert([SIMCards.other])
        try await expectBlocked(harness, context(harness, nil, token: "a"))
        _ = try await harness.challenge(context(harness, false, token: "b"))
        #expect(try await harness.account().state == .active)
        #expect(try await harness.code() == "435223")
    }

    @Test func `the old card's return lifts nothing`() async throws {
        let cards = SIMCards()
        let harness = try await bound(cards)
        await cards.insert([SIMCards.other])
        try await expectBlocked(harness, context(harness, nil, token: "a"))
        await cards.insert([SIMCards.first])
        try await expectBlocked(harness, context(harness, nil, token: "b"))
        try await expectBlocked(harness, context(harness, true, token: "c"))
    }

    @Test func `a code alone notices the change, too, and its block stays`() async throws {
        let cards = SIMCards()
        let harness = try await bound(cards)
        await cards.insert([SIMCards.other])
        let error = try await refusal { _ = try await harness.code() }
        #expect(error.code == .blocked)
        await cards.insert([SIMCards.first])
        try await expectBlocked(harness, context(harness, nil, token: "a"))
    }

    @Test func `enrolling again lifts a block`() async throws {
        let cards = SIMCards()
        let harness = try await bound(cards)
        await cards.insert([SIMCards.other])
        try await expectBlocked(harness, context(harness, nil, token: "a"))
        try await harness.enroll()
        #expect(try await harness.authenticator.enrollments().count == 1)
        #expect(try await harness.account().state == .active)
        _ = try await harness.challenge(context(harness, true, token: "b"))
        #expect(try await harness.code() == "435223")
    }

    @Test func `other accounts go on`() async throws {
        let cards = SIMCards()
        let harness = try PlusAuthHarness(.sims(cards))
        for account in ["ada", "bob"] { try await harness.enroll(.account(account)) }
        let keys = try await harness.enrollments().map { try $0.key() }
        _ = try await harness.challenge(ContextJWT(keys[0], token: "a").bindingSIM(true))
        await cards.insert([SIMCards.other])
        let message = try ContextJWT(keys[0], token: "b").message()
        #expect(try await harness.refusal(of: message).code == .blocked)
        _ = try await harness.challenge(ContextJWT(keys[1], token: "c"))
        let other = try #require(
            await harness.authenticator.enrollments().first { $0.id.name == keys[1].id })
        #expect(try await harness.authenticator.code(for: other.id).text.text == "435223")
    }

    /// The cards are checked before repeats are told apart; nothing of that answer changes.
    @Test func `a blocked account refuses even a push that was answered before`() async throws {
        let cards = SIMCards()
        let harness = try await bound(cards)
        let context = try await context(harness, nil, token: "a")
        let challenge = try await harness.challenge(context)
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        await cards.insert([SIMCards.other])
        for _ in 0..<2 {
            #expect(try await harness.refusal(of: context.message()).code == .blocked)
        }
        let state = try await harness.authenticator.record(of: challenge.id)?.state
        #expect(state == .answered(.approve, .delivered))
        #expect(await harness.answers().count == 1)
    }

    // MARK: The baseline

    @Test func `a card that was changed before the first push doesn't become the baseline`()
        async throws
    {
        let cards = SIMCards()
        let harness = try await PlusAuthHarness.enrolled(.sims(cards))
        await cards.insert([SIMCards.other])
        try await expectBlocked(harness, context(harness, true, token: "a"))
    }

    @Test func `where none could be read at enrollment, the first push takes the baseline`()
        async throws
    {
        let cards = SIMCards(nil)
        let harness = try await PlusAuthHarness.enrolled(.sims(cards))
        await cards.insert([SIMCards.first])
        _ = try await harness.challenge(context(harness, true, token: "a"))
        await cards.insert([SIMCards.other])
        try await expectBlocked(harness, context(harness, nil, token: "b"))
    }

    @Test func `one more card is fine, one card less isn't`() async throws {
        let cards = SIMCards()
        let harness = try await bound(cards)
        await cards.insert([SIMCards.second, SIMCards.first])
        _ = try await harness.challenge(context(harness, true, token: "a"))
        await cards.insert([SIMCards.first])
        _ = try await harness.challenge(context(harness, true, token: "b"))
        await cards.insert([SIMCards.second])
        try await expectBlocked(harness, context(harness, true, token: "c"))
    }

    @Test func `no card left is a change`() async throws {
        let cards = SIMCards([SIMCards.first, SIMCards.second])
        let harness = try await bound(cards)
        await cards.insert([])
        try await expectBlocked(harness, context(harness, nil, token: "a"))
    }

    @Test func `the same card in another slot is a change`() async throws {
        let cards = SIMCards()
        let harness = try await bound(cards)
        await cards.insert([SIMIdentity(slot: 1, identifier: SIMCards.first.identifier)])
        try await expectBlocked(harness, context(harness, nil, token: "a"))
    }

    // MARK: Cards that can't be read

    @Test func `unknown isn't changed: it passes, and is told`() async throws {
        for cards in [SIMCards(nil), nil] {
            let harness = try await PlusAuthHarness.enrolled(.sims(cards))
            let before = harness.observer.observations.count
            _ = try await harness.challenge(context(harness, true, token: "a"))
            #expect(harness.observer.observations.count > before)
            #expect(try await harness.code() == "435223")
            #expect(try await harness.account().state == .active)
        }
        let cards = SIMCards()
        let harness = try await bound(cards)
        await cards.insert(nil)
        _ = try await harness.challenge(context(harness, nil, token: "b"))
        #expect(try await harness.code() == "435223")
    }

    @Test func `where the app is strict, unknown blocks`() async throws {
        for cards in [SIMCards(nil), nil] {
            let harness = try await PlusAuthHarness.enrolled(.sims(cards, isStrict: true))
            #expect(try await harness.code() == "435223")
            _ = try await harness.challenge(context(harness, nil, token: "a"))
            let error = try await harness.refusal(of: context(harness, true, token: "b").message())
            #expect(error.code == .blocked)
            #expect(try await refusal { _ = try await harness.code() }.code == .blocked)
        }
        let cards = SIMCards()
        let harness = try await bound(cards, isStrict: true)
        #expect(try await harness.code() == "435223")
        await cards.insert(nil)
        let error = try await harness.refusal(of: context(harness, nil, token: "c").message())
        #expect(error.code == .blocked)
        #expect(try await refusal { _ = try await harness.code() }.code == .blocked)
    }

    // MARK: The order of `docs/vendors/plusauth.md#what-a-context-must-be`

    @Test func `what is refused before the cards are checked binds and unbinds nothing`()
        async throws
    {
        let cards = SIMCards()
        let harness = try await PlusAuthHarness.enrolled(.sims(cards))
        let key = try await harness.key()
        let token = ContextJWT(key)
        let bad = [
            ContextJWT(AccountKey.stranger()), token.with("iat", nil),
            token.with("exp", .integer(WorkedExample.issued)),
            token.with("resolve_url", "https://evil.example/resolve"),
            token.with("response", "accepted"),
        ]
        for context in bad {
            _ = try await harness.refusal(of: context.bindingSIM(true).message())
            #expect(try await !isBound(in: harness))
        }
        _ = try await harness.challenge(context(harness, true, token: "bind"))
        for context in bad {
            _ = try await harness.refusal(of: context.bindingSIM(false).message())
            #expect(try await isBound(in: harness))
        }
    }

    @Test func `what is refused after the cards are checked binds all the same`() async throws {
        let harness = try await PlusAuthHarness.enrolled(.sims(SIMCards()))
        let unknown = try await context(harness, true, token: "a").with("type", "biometric")
        _ = try await harness.authenticator.receive(unknown.message())
        #expect(try await isBound(in: harness))
    }

    @Test func `a push that is played back unbinds nothing`() async throws {
        let cards = SIMCards()
        let harness = try await PlusAuthHarness.enrolled(.sims(cards))
        let old = try await context(harness, false, token: "old").with("iat", 1_702_243_000)
        _ = try await harness.challenge(old)
        _ = try await harness.challenge(
            context(harness, true, token: "new").with("iat", 1_702_243_060))
        await cards.insert([SIMCards.other])
        _ = try? await harness.authenticator.receive(old.message())
        #expect(try await isBound(in: harness))
        try await expectBlocked(harness, context(harness, nil, token: "a"))
    }
}
