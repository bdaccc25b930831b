import Foundation
import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// An account that is bound to its SIM cards: `docs/vendors/plusauth.md#sim-binding`.
@Suite struct SIMTests {
    private func context(
        _ world: World, _ isBound: JSON?, token: String
    ) async throws -> ContextJWT {
        // Each push is made a second after the one before.
        world.clock.advance(by: .seconds(1))
        let now = Int64(world.clock.now.timeIntervalSince1970)
        return try await ContextJWT(world.key(), token: token).bindingSIM(isBound)
            .with("iat", .integer(now))
    }

    private func isBound(in world: World) async throws -> Bool {
        try await world.provider.accountDetails(of: world.account().id).isSIMBound
    }

    private func expectBlocked(
        _ world: World, _ context: ContextJWT, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let error = try await world.refusal(of: context.message())
        #expect(error.code == .blocked, "\(error)", sourceLocation: sourceLocation)
        guard case .blocked = try await world.account().state else {
            Issue.record("It must be seen that it's blocked.", sourceLocation: sourceLocation)
            return
        }
        let codes = try await refusal { _ = try await world.code() }
        #expect(codes.code == .blocked, sourceLocation: sourceLocation)
        #expect(await world.answers().isEmpty, sourceLocation: sourceLocation)
    }

    /// A world whose account has been bound by a push.
    private func bound(_ cards: SIMCards, isStrict: Bool = false) async throws -> World {
        let world = try await World.enrolled(.sims(cards, isStrict: isStrict))
        _ = try await world.challenge(context(world, true, token: "bind"))
        return world
    }

    // MARK: Transitions

    @Test func `nothing is bound until a push says so`() async throws {
        let cards = SIMCards()
        let world = try await World.enrolled(.sims(cards))
        #expect(try await !isBound(in: world))
        await cards.insert([SIMCards.other])
        for (index, settings) in [nil, .null, false, "true", 1].enumerated()
            as EnumeratedSequence<[JSON?]>
        {
            _ = try await world.challenge(context(world, settings, token: "\(index)"))
            #expect(try await !isBound(in: world))
        }
        #expect(try await world.code() == "435223")
    }

    @Test func `once bound, another SIM card blocks pushes and codes`() async throws {
        let cards = SIMCards()
        let world = try await bound(cards)
        #expect(try await isBound(in: world))
        #expect(try await world.code() == "435223")
        await cards.insert([SIMCards.other])
        try await expectBlocked(world, context(world, nil, token: "a"))
        try await expectBlocked(world, context(world, true, token: "b"))
    }

    @Test(arguments: [nil, .null, "x", 0] as [JSON?])
    func `a push that doesn't say leaves it bound`(isBound: JSON?) async throws {
        let cards = SIMCards()
        let world = try await bound(cards)
        _ = try await world.challenge(context(world, isBound, token: "a"))
        _ = try await world.challenge(
            ContextJWT(world.key(), token: "b").with("settings", .null))
        #expect(try await self.isBound(in: world))
        await cards.insert([SIMCards.other])
        try await expectBlocked(world, context(world, isBound, token: "c"))
    }

    @Test func `false unbinds`() async throws {
        let cards = SIMCards()
        let world = try await bound(cards)
        _ = try await world.challenge(context(world, false, token: "a"))
        #expect(try await !isBound(in: world))
        await cards.insert([SIMCards.other])
        _ = try await world.challenge(context(world, nil, token: "b"))
        #expect(try await world.code() == "435223")
    }

    @Test func `false lifts a block, and its own push is shown`() async throws {
        let cards = SIMCards()
        let world = try await bound(cards)
        await cards.insert([SIMCards.other])
        try await expectBlocked(world, context(world, nil, token: "a"))
        _ = try await world.challenge(context(world, false, token: "b"))
        #expect(try await world.account().state == .active)
        #expect(try await world.code() == "435223")
    }

    @Test func `the old card's return lifts nothing`() async throws {
        let cards = SIMCards()
        let world = try await bound(cards)
        await cards.insert([SIMCards.other])
        try await expectBlocked(world, context(world, nil, token: "a"))
        await cards.insert([SIMCards.first])
        try await expectBlocked(world, context(world, nil, token: "b"))
        try await expectBlocked(world, context(world, true, token: "c"))
    }

    @Test func `a code alone notices the change, too, and its block stays`() async throws {
        let cards = SIMCards()
        let world = try await bound(cards)
        await cards.insert([SIMCards.other])
        let error = try await refusal { _ = try await world.code() }
        #expect(error.code == .blocked)
        await cards.insert([SIMCards.first])
        try await expectBlocked(world, context(world, nil, token: "a"))
    }

    @Test func `enrolling again lifts a block`() async throws {
        let cards = SIMCards()
        let world = try await bound(cards)
        await cards.insert([SIMCards.other])
        try await expectBlocked(world, context(world, nil, token: "a"))
        try await world.enroll()
        #expect(try await world.authenticator.enrollments().count == 1)
        #expect(try await world.account().state == .active)
        _ = try await world.challenge(context(world, true, token: "b"))
        #expect(try await world.code() == "435223")
    }

    @Test func `other accounts go on`() async throws {
        let cards = SIMCards()
        let world = try World(.sims(cards))
        for account in ["ada", "bob"] { try await world.enroll(.account(account)) }
        let keys = try await world.enrollments().map { try $0.key() }
        _ = try await world.challenge(ContextJWT(keys[0], token: "a").bindingSIM(true))
        await cards.insert([SIMCards.other])
        let message = try ContextJWT(keys[0], token: "b").message()
        #expect(try await world.refusal(of: message).code == .blocked)
        _ = try await world.challenge(ContextJWT(keys[1], token: "c"))
        let other = try #require(
            await world.authenticator.enrollments().first { $0.id.name == keys[1].id })
        #expect(try await world.authenticator.code(for: other.id).text.text == "435223")
    }

    /// The cards are checked before repeats are told apart; nothing of that answer changes.
    @Test func `a blocked account refuses even a push that was answered before`() async throws {
        let cards = SIMCards()
        let world = try await bound(cards)
        let context = try await context(world, nil, token: "a")
        let challenge = try await world.challenge(context)
        #expect(try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
        await cards.insert([SIMCards.other])
        for _ in 0..<2 {
            #expect(try await world.refusal(of: context.message()).code == .blocked)
        }
        let state = try await world.authenticator.record(of: challenge.id)?.state
        #expect(state == .answered(.approve, .delivered))
        #expect(await world.answers().count == 1)
    }

    // MARK: The baseline

    @Test func `a card that was changed before the first push doesn't become the baseline`()
        async throws
    {
        let cards = SIMCards()
        let world = try await World.enrolled(.sims(cards))
        await cards.insert([SIMCards.other])
        try await expectBlocked(world, context(world, true, token: "a"))
    }

    @Test func `where none could be read at enrollment, the first push takes the baseline`()
        async throws
    {
        let cards = SIMCards(nil)
        let world = try await World.enrolled(.sims(cards))
        await cards.insert([SIMCards.first])
        _ = try await world.challenge(context(world, true, token: "a"))
        await cards.insert([SIMCards.other])
        try await expectBlocked(world, context(world, nil, token: "b"))
    }

    @Test func `one more card is fine, one card less isn't`() async throws {
        let cards = SIMCards()
        let world = try await bound(cards)
        await cards.insert([SIMCards.second, SIMCards.first])
        _ = try await world.challenge(context(world, true, token: "a"))
        await cards.insert([SIMCards.first])
        _ = try await world.challenge(context(world, true, token: "b"))
        await cards.insert([SIMCards.second])
        try await expectBlocked(world, context(world, true, token: "c"))
    }

    @Test func `no card left is a change`() async throws {
        let cards = SIMCards([SIMCards.first, SIMCards.second])
        let world = try await bound(cards)
        await cards.insert([])
        try await expectBlocked(world, context(world, nil, token: "a"))
    }

    @Test func `the same card in another slot is a change`() async throws {
        let cards = SIMCards()
        let world = try await bound(cards)
        await cards.insert([SIMIdentity(slot: 1, identifier: SIMCards.first.identifier)])
        try await expectBlocked(world, context(world, nil, token: "a"))
    }

    // MARK: Cards that can't be read

    @Test func `unknown isn't changed: it passes, and is told`() async throws {
        for cards in [SIMCards(nil), nil] {
            let world = try await World.enrolled(.sims(cards))
            let before = world.observer.observations.count
            _ = try await world.challenge(context(world, true, token: "a"))
            #expect(world.observer.observations.count > before)
            #expect(try await world.code() == "435223")
            #expect(try await world.account().state == .active)
        }
        let cards = SIMCards()
        let world = try await bound(cards)
        await cards.insert(nil)
        _ = try await world.challenge(context(world, nil, token: "b"))
        #expect(try await world.code() == "435223")
    }

    @Test func `where the app is strict, unknown blocks`() async throws {
        for cards in [SIMCards(nil), nil] {
            let world = try await World.enrolled(.sims(cards, isStrict: true))
            #expect(try await world.code() == "435223")
            _ = try await world.challenge(context(world, nil, token: "a"))
            let error = try await world.refusal(of: context(world, true, token: "b").message())
            #expect(error.code == .blocked)
            #expect(try await refusal { _ = try await world.code() }.code == .blocked)
        }
        let cards = SIMCards()
        let world = try await bound(cards, isStrict: true)
        #expect(try await world.code() == "435223")
        await cards.insert(nil)
        let error = try await world.refusal(of: context(world, nil, token: "c").message())
        #expect(error.code == .blocked)
        #expect(try await refusal { _ = try await world.code() }.code == .blocked)
    }

    // MARK: The order of `docs/vendors/plusauth.md#what-a-context-must-be`

    @Test func `what is refused before the cards are checked binds and unbinds nothing`()
        async throws
    {
        let cards = SIMCards()
        let world = try await World.enrolled(.sims(cards))
        let key = try await world.key()
        let token = ContextJWT(key)
        let bad = [
            ContextJWT(AccountKey.stranger()), token.with("iat", nil),
            token.with("exp", .integer(WorkedExample.issued)),
            token.with("resolve_url", "https://evil.example/resolve"),
            token.with("response", "accepted"),
        ]
        for context in bad {
            _ = try await world.refusal(of: context.bindingSIM(true).message())
            #expect(try await !isBound(in: world))
        }
        _ = try await world.challenge(context(world, true, token: "bind"))
        for context in bad {
            _ = try await world.refusal(of: context.bindingSIM(false).message())
            #expect(try await isBound(in: world))
        }
    }

    @Test func `what is refused after the cards are checked binds all the same`() async throws {
        let world = try await World.enrolled(.sims(SIMCards()))
        let unknown = try await context(world, true, token: "a").with("type", "biometric")
        _ = try await world.authenticator.receive(unknown.message())
        #expect(try await isBound(in: world))
    }

    @Test func `a push that is played back unbinds nothing`() async throws {
        let cards = SIMCards()
        let world = try await World.enrolled(.sims(cards))
        let old = try await context(world, false, token: "old").with("iat", 1_702_243_000)
        _ = try await world.challenge(old)
        _ = try await world.challenge(
            context(world, true, token: "new").with("iat", 1_702_243_060))
        await cards.insert([SIMCards.other])
        _ = try? await world.authenticator.receive(old.message())
        #expect(try await isBound(in: world))
        try await expectBlocked(world, context(world, nil, token: "a"))
    }
}
