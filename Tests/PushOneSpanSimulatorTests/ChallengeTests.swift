import Crypto
import Foundation
import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

struct ChallengeTests {
    @Test func `a challenge says until when, by the server's clock`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let request = try await bench.login()
        bench.clock.advance(by: .seconds(20))
        let fetched = try await bench.fetch(request, by: &phone)
        let issued = try #require(fetched.fields[0x0E].map { number($0) })
        let end = try #require(fetched.fields[0x0F].map { number($0) })
        #expect(issued == 1_767_225_020_000)
        #expect(end == 1_767_225_060_000)
        #expect(fetched.text(0x21) == "session-0001")
    }

    @Test func `a challenge belongs to its flow and its device`() async throws {
        let bench = Bench()
        var phone = try await bench.activated(token: "aa")
        var second = try await bench.activated(token: "bb")
        let request = try await bench.login()
        let one = try Draft(to: await bench.fetch(request, by: &phone))
        let other = try Draft(to: await bench.fetch(request, by: &phone))
        var mixed = one
        mixed.challenge = other.challenge
        #expect(try await bench.answer(mixed, by: &phone).code == -1001)
        #expect(try await bench.answer(one, by: &second).code == -1001)
        var unfetched = one
        unfetched.flow = phone.random.array(16)
        #expect(try await bench.answer(unfetched, by: &phone).code == -1001)
        #expect(try await bench.answer(one, by: &phone).state == 2)
    }

    @Test func `a flow fetches once`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let request = try await bench.login()
        let flow = phone.random.array(16)
        let body = tlv([0x20: Array(request.utf8)])
        let first = try phone.command(0x21, body, flow: flow)
        #expect(try await bench.exchange(first, by: phone).type == 0x22)
        let second = try phone.command(0x21, body, flow: flow)
        #expect(try await bench.exchange(second, by: phone).code == -1001)
    }

    @Test func `another user's request, and one of the other kind, isn't found`() async throws {
        let bench = Bench()
        var alice = try await bench.activated("alice", token: "aa")
        _ = try await bench.activated("bob", token: "bb")
        let foreign = try await bench.login("bob")
        let own = try await bench.login("alice")
        #expect(try await bench.fetch(foreign, by: &alice).code == -1400)
        #expect(try await bench.fetch(own, by: &alice, isTransaction: true).code == -1400)
        var draft = try Draft(to: await bench.fetch(own, by: &alice))
        draft.request = Array(foreign.utf8)
        #expect(try await bench.answer(draft, by: &alice).code == -1400)
        draft.request = Array(own.utf8)
        draft.isTransaction = true
        #expect(try await bench.answer(draft, by: &alice).code == -1400)
    }

    @Test func `fields are shown as they were asked for`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let fields = [Bench.Field("Amount", "1 €"), Bench.Field("Note", "")]
        let request = try await bench.server.startTransaction(
            of: "alice", fields: fields, method: .none
        ).id
        let fetched = try await bench.fetch(request, by: &phone, isTransaction: true)
        #expect(fetched.fields[0x24] == [1])
        let expected =
            [2, 0, 6] + Array("Amount".utf8) + [0, 5] + Array("1 €".utf8)
            + [0, 4] + Array("Note".utf8) + [0, 0]
        #expect(fetched.fields[0x25] == expected)
        _ = try await bench.answer(Draft(to: fetched), by: &phone)
        let session = try #require(await bench.server.session(request))
        #expect(session.display == .fields(fields))
        #expect(session.decision.map { Array($0.displayDigest) } == sha([1] + expected))
    }

    @Test func `any form and data can be asked to be shown, sealed as they are`() async throws {
        let bench = Bench()
        var phone = try await bench.activated()
        let request = try await bench.server.startTransaction(
            of: "alice", showing: .raw(form: 7, data: [0xFF, 1]), method: .none
        ).id
        let fetched = try await bench.fetch(request, by: &phone, isTransaction: true)
        #expect(fetched.fields[0x24] == [7])
        #expect(fetched.fields[0x25] == [0xFF, 1])
        for display in [.raw(form: 0, data: [1]), .raw(form: 1, data: [])]
            as [OneSpanSimulator.DisplayContent]
        {
            await #expect(throws: PushError.self) {
                try await bench.server.startTransaction(of: "alice", showing: display)
            }
        }
    }

    @Test func `a login may show nothing`() async throws {
        let bench = Bench { $0.loginDisplay = .none }
        var phone = try await bench.activated()
        let request = try await bench.login()
        let fetched = try await bench.fetch(request, by: &phone)
        #expect(fetched.fields[0x24] == [0])
        #expect(fetched.fields[0x25] == nil)
        #expect(try await bench.answer(Draft(to: fetched), by: &phone).state == 2)
    }
}
