import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

struct BadPushTests {
    typealias BadPush = ForgeRockSimulator.BadPush

    @Test(arguments: [
        BadPush.tampered(claim: "t", value: "86400"), .wrongKey, .signedWithKey(of: "john"),
        .unsigned, .signedWithHS384,
    ])
    func `a forged push doesn't prove itself to the device's key`(fault: BadPush) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        _ = try await bench.enrolled("john") { $0.mechanismUID = "john's" }
        let received = try Received(await bench.login(asking: .number, spoiledBy: fault).push)
        #expect(try !received.isSigned(by: phone.key))
        #expect(received.claims["u"] == .string(phone.mechanismUID))
    }

    @Test func `a push signed with another user's key is genuine to that user`() async throws {
        let bench = Bench()
        _ = try await bench.enrolled()
        let john = try await bench.enrolled("john")
        let push = try await bench.login(spoiledBy: .signedWithKey(of: "john")).push
        #expect(try Received(push).isSigned(by: john.key))
        await #expect(throws: PushError.self) {
            try await bench.login(spoiledBy: .signedWithKey(of: "nobody"))
        }
    }

    @Test(arguments: [
        (BadPush.type("telepathy"), "k", JSON?.some("telepathy")),
        (.noNumbers, "n", ""), (.missing(claim: "n"), "n", nil), (.missing(claim: "c"), "c", nil),
        (.expired(ago: .seconds(1)), "i", "1759999879000"),
    ])
    func `an odd push is correctly signed`(
        fault: BadPush, claim: String, value: JSON?
    ) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let received = try Received(await bench.login(asking: .number, spoiledBy: fault).push)
        #expect(received.claims[claim] == value)
        #expect(try received.isSigned(by: phone.key))
    }

    @Test func `the server takes an answer to a push that looks expired`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let (login, push) = try await bench.login(spoiledBy: .expired(ago: .seconds(600)))
        #expect(try await bench.answer(push, by: phone) == 200)
        #expect(try await bench.am.status(of: login.id) == .approved)
    }

    @Test func `a repeated push is the same bytes, as often as asked`() async throws {
        let bench = Bench()
        _ = try await bench.enrolled()
        let login = try await bench.am.startLogin(
            of: "jane", asking: .confirm, spoiledBy: .repeated)
        try await bench.am.repeatPush(of: login.id)
        let pushes = await bench.am.takePushes()
        #expect(pushes.count == 3)
        #expect(Set(pushes.map(\.payload)).count == 1)
        #expect(await bench.am.takePushes().isEmpty)
    }
}
