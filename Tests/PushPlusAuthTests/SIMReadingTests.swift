import Foundation
import IndependentEncodings
import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// Cards that can't be read, and settings that were seen before:
/// `docs/vendors/plusauth.md#sim-binding`.
@Suite struct SIMReadingTests {
    /// A phone that fails to tell.
    private struct BrokenCards: SIMIdentitySource {
        func identities() async throws(PushError) -> [SIMIdentity]? {
            throw PushError(.unsupported, "The phone can't tell now.")
        }
    }

    private func configuration(isStrict: Bool) -> PlusAuth.Configuration {
        .ec {
            $0.simIdentity = BrokenCards()
            if isStrict { $0.simPolicy = .strict }
        }
    }

    @Test func `a phone that fails to tell is one that can't`() async throws {
        let harness = try await PlusAuthHarness.enrolled(configuration(isStrict: false))
        _ = try await harness.challenge(ContextJWT(harness.key()).bindingSIM(true))
        #expect(try await harness.code() == "435223")
        let strict = try await PlusAuthHarness.enrolled(configuration(isStrict: true))
        let message = try await ContextJWT(strict.key()).bindingSIM(true).message()
        #expect(try await strict.refusal(of: message).code == .blocked)
    }

    /// What was seen is no news, not even within one second.
    @Test func `a push played back within its own second unbinds nothing`() async throws {
        let cards = SIMCards()
        let harness = try await PlusAuthHarness.enrolled(.sims(cards))
        let key = try await harness.key()
        let old = ContextJWT(key, token: "old").bindingSIM(false)
        _ = try await harness.challenge(old)
        _ = try await harness.challenge(ContextJWT(key, token: "new").bindingSIM(true))
        _ = try? await harness.authenticator.receive(old.message())
        #expect(try await harness.provider.accountDetails(of: harness.account().id).isSIMBound)
        await cards.insert([SIMCards.other])
        _ = try? await harness.authenticator.receive(old.message())
        let message = try ContextJWT(key, token: "next").message()
        #expect(try await harness.refusal(of: message).code == .blocked)
    }

    @Test func `an older push that comes late doesn't overrule a newer one`() async throws {
        let harness = try await PlusAuthHarness.enrolled(.sims(SIMCards()))
        let key = try await harness.key()
        for (token, isBound, issued) in [
            ("new", true, 1_702_243_090), ("old", false, 1_702_243_050),
        ] as [(String, JSON, Int64)] {
            let context = ContextJWT(key, token: token).bindingSIM(isBound)
            _ = try await harness.challenge(context.with("iat", .integer(issued)))
        }
        #expect(try await harness.provider.accountDetails(of: harness.account().id).isSIMBound)
    }

    @Test func `an expired push binds and unbinds nothing, however new its setting is`()
        async throws
    {
        let cards = SIMCards()
        let harness = try await PlusAuthHarness.enrolled(.sims(cards))
        await harness.hearTime()
        let key = try await harness.key()
        func setting(_ isBound: JSON, token: String, issued: Int64) -> ContextJWT {
            ContextJWT(key, token: token).bindingSIM(isBound).with("iat", .integer(issued))
        }
        func isBound() async throws -> Bool {
            try await harness.provider.accountDetails(of: harness.account().id).isSIMBound
        }
        let late = setting(true, token: "a", issued: 1_702_242_000).with("exp", 1_702_243_000)
        func expectOver(_ context: ContextJWT, _ token: String) async throws {
            let id = try await Challenge.ID(hex(sha256(token)), of: harness.account().id)
            let receptions = try await harness.authenticator.receive(context.message())
            #expect(receptions.map(\.kind) == [.over(Withdrawal(id, .expired))])
        }
        try await expectOver(late, "a")
        #expect(try await !isBound())
        _ = try await harness.challenge(setting(true, token: "b", issued: 1_702_242_100))
        let lifting = setting(false, token: "c", issued: 1_702_242_200).with("exp", 1_702_243_000)
        try await expectOver(lifting, "c")
        #expect(try await isBound())
    }

    @Test func `a single lying Date keeps no push from binding`() async throws {
        let harness = try PlusAuthHarness(.sims(SIMCards()))
        let date = "Mon, 10 Dec 2063 21:18:20 GMT"
        await harness.server.reply(.init(status: 200, fields: ["Date": date]))
        try await harness.enroll()
        _ = try await harness.challenge(ContextJWT(harness.key()).bindingSIM(true))
        #expect(try await harness.provider.accountDetails(of: harness.account().id).isSIMBound)
    }

    @Test func `a device clock that is set forward keeps no push from binding`() async throws {
        let cards = SIMCards()
        let harness = try PlusAuthHarness(.sims(cards))
        await harness.server.hideTime()
        try await harness.enroll()
        harness.clock.set(WorkedExample.now + 10_800)
        let key = try await harness.key()
        _ = try await harness.challenge(ContextJWT(key, token: "a").bindingSIM(true))
        // Nor does a `false` that may be old unbind then.
        let lifting = ContextJWT(key, token: "b").bindingSIM(false)
        _ = try await harness.challenge(
            lifting.with("iat", .integer(Int64(WorkedExample.now.timeIntervalSince1970))))
        #expect(try await harness.provider.accountDetails(of: harness.account().id).isSIMBound)
        await cards.insert([SIMCards.other])
        let message = try ContextJWT(key, token: "c").message()
        #expect(try await harness.refusal(of: message).code == .blocked)
    }

    @Test func `where there was no card at enrollment, the first push with one takes the baseline`()
        async throws
    {
        let cards = SIMCards([])
        let harness = try await PlusAuthHarness.enrolled(.sims(cards))
        let key = try await harness.key()
        for (token, issued) in [("a", 1_702_243_050), ("b", 1_702_243_060)] as [(String, Int64)] {
            let context = ContextJWT(key, token: token).bindingSIM(true)
            _ = try await harness.challenge(context.with("iat", .integer(issued)))
            #expect(try await harness.provider.accountDetails(of: harness.account().id).isSIMBound)
            await cards.insert([SIMCards.first])
        }
        await cards.insert([SIMCards.other])
        let message = try ContextJWT(key, token: "c").message()
        #expect(try await harness.refusal(of: message).code == .blocked)
    }

    @Test func `each of several cards counts`() async throws {
        for rest in [SIMCards.first, SIMCards.second] {
            let cards = SIMCards([SIMCards.first, SIMCards.second])
            let harness = try await PlusAuthHarness.enrolled(.sims(cards))
            let key = try await harness.key()
            _ = try await harness.challenge(ContextJWT(key, token: "a").bindingSIM(true))
            await cards.insert([rest])
            let message = try ContextJWT(key, token: "b").message()
            #expect(try await harness.refusal(of: message).code == .blocked)
        }
    }

    @Test func `a block outlives the process`() async throws {
        let cards = SIMCards()
        let harness = try await PlusAuthHarness.enrolled(.sims(cards))
        let key = try await harness.key()
        _ = try await harness.challenge(ContextJWT(key, token: "a").bindingSIM(true))
        await cards.insert([SIMCards.other])
        _ = try await harness.refusal(of: ContextJWT(key, token: "b").message())
        let later = try PlusAuthHarness(.sims(SIMCards()), sharing: harness)
        #expect(try await later.refusal(of: ContextJWT(key, token: "c").message()).code == .blocked)
        #expect(try await refusal { _ = try await later.code() }.code == .blocked)
    }

    @Test func `no identifier is stored or told as it is`() async throws {
        let cards = SIMCards([SIMCards.first, SIMCards.second])
        let harness = try await PlusAuthHarness.enrolled(.sims(cards))
        _ = try await harness.challenge(ContextJWT(harness.key()).bindingSIM(true))
        let details = try await harness.provider.accountDetails(of: harness.account().id)
        #expect(details.simCardIdentifiers.map(\.slot).sorted() == [0, 1])
        for identifier in details.simCardIdentifiers {
            #expect(!SIMCards.first.identifier.contains(identifier.id))
            #expect(!SIMCards.second.identifier.contains(identifier.id))
        }
        #expect(details.json["is_sim_bound"] == true)
        let cardNames = details.simCardIdentifiers.map { JSON.string($0.id) }
        #expect(
            details.json["sim_card_identifiers"] == [
                ["slot": 0, "id": cardNames[0]], ["slot": 1, "id": cardNames[1]],
            ])
        #expect(!details.json.text.contains("8949"))
        for name in try await harness.store.names(in: "enrollment") {
            let record = try await harness.store.read(RecordKey("enrollment", name))
            #expect(record?.value.text.contains("8949020000") == false)
        }
    }
}
