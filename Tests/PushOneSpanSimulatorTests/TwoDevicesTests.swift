import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

struct TwoDevicesTests {
    private func phones(_ bench: Bench) async throws -> (Phone, Phone) {
        let first = try await bench.activated(token: "aa")
        return (first, try await bench.activated(token: "bb"))
    }

    @Test func `both get a push of their own`() async throws {
        let bench = Bench()
        _ = try await phones(bench)
        _ = try await bench.login()
        let pushes = await bench.server.takePushes()
        #expect(
            pushes.map(\.deviceToken) == [
                .apns(hex: "aa", isSandbox: false), .apns(hex: "bb", isSandbox: false),
            ])
        #expect(pushes[0].payload != pushes[1].payload)
    }

    @Test(arguments: [true, false])
    func `the first decision wins, and the second device learns it`(
        approves: Bool
    ) async throws {
        let bench = Bench { $0.authToken = "token" }
        var (first, second) = try await phones(bench)
        let request = try await bench.login()
        let mine = try await bench.fetch(request, by: &first)
        let theirs = try await bench.fetch(request, by: &second)
        let draft = approves ? try Draft(to: mine) : try Draft.refusing(mine)
        _ = try await bench.answer(draft, by: &first)
        for late in [try Draft(to: theirs), try Draft.refusing(theirs)] {
            let result = try await bench.answer(late, by: &second)
            #expect(result.state == (approves ? 2 : 3))
            #expect(result.isDecidedHere == false)
            #expect(result.fields[0x2D] == nil)
        }
        #expect(try await bench.fetch(request, by: &second).state == (approves ? 2 : 3))
        #expect(await bench.server.session(request)?.decision?.isApproved == approves)
    }

    @Test func `wrong responses of one don't keep the other from answering well`() async throws {
        let bench = Bench()
        var (first, second) = try await phones(bench)
        let request = try await bench.login()
        let mine = try await bench.fetch(request, by: &first)
        let theirs = try await bench.fetch(request, by: &second)
        var wrong = try Draft(to: mine)
        wrong.spoilsResponse = true
        for _ in 0..<2 { _ = try await bench.answer(wrong, by: &first) }
        #expect(try await bench.answer(Draft(to: theirs), by: &second).state == 2)
        let late = try await bench.answer(Draft(to: mine), by: &first)
        #expect(late.state == 2)
        #expect(late.isDecidedHere == false)
    }

    @Test func `a session that one has failed is failed for the other`() async throws {
        let bench = Bench()
        var (first, second) = try await phones(bench)
        let request = try await bench.login()
        let theirs = try await bench.fetch(request, by: &second)
        var wrong = try Draft(to: await bench.fetch(request, by: &first))
        wrong.spoilsResponse = true
        for _ in 0..<3 { _ = try await bench.answer(wrong, by: &first) }
        let late = try await bench.answer(Draft(to: theirs), by: &second)
        #expect(late.state == 5)
        #expect(late.isDecidedHere == false)
    }

    @Test func `an identifier leaves its user's other devices, but no other user's`() async throws {
        let bench = Bench()
        var (first, second) = try await phones(bench)
        _ = try await bench.activated("bob", token: "cc")
        let shared = identifier(apns: "cc")
        _ = try await bench.register(&first, shared)
        _ = try await bench.register(&second, shared)
        #expect(
            await bench.server.devices(of: "alice").map(\.notificationIdentifier)
                == [nil, shared])
        #expect(await bench.server.devices(of: "bob").map(\.notificationIdentifier) == [shared])
        let request = try await bench.login()
        #expect(await bench.server.takePushes().count == 1)
        #expect(try await bench.fetch(request, by: &first).state == 1)
    }
}
