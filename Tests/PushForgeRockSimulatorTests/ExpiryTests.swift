import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

struct ExpiryTests {
    @Test func `a message lives as long as the cache, whatever its own timeout says`() async throws
    {
        let bench = Bench { $0.messageTimeout = .seconds(30) }
        let phone = try await bench.enrolled()
        let (login, push) = try await bench.login()
        #expect(try Received(push).claims["t"] == "30")
        bench.clock.advance(by: .seconds(120))
        #expect(try await bench.answer(push, by: phone) == 200)
        #expect(try await bench.am.status(of: login.id) == .approved)
    }

    @Test func `a late answer is refused, unless the reaper is slow; the login is over anyway`()
        async throws
    {
        for isSlow in [false, true] {
            let bench = Bench { $0.isReaperSlow = isSlow }
            let phone = try await bench.enrolled()
            let (login, push) = try await bench.login()
            bench.clock.advance(by: .milliseconds(120_001))
            #expect(try await bench.answer(push, by: phone) == (isSlow ? 200 : 400))
            #expect(try await bench.am.status(of: login.id) == .expired)
        }
    }

    @Test func `a reaper that comes at last removes the message`() async throws {
        let bench = Bench { $0.isReaperSlow = true }
        let phone = try await bench.enrolled()
        let (_, push) = try await bench.login()
        bench.clock.advance(by: .seconds(121))
        await bench.am.reap()
        #expect(try await bench.answer(push, by: phone) == 400)
    }

    @Test func `from AM 7.3 the journey stops one timeout after its first look`() async throws {
        for (isAM72, status) in [(true, SimulatedLogin.Status.waiting), (false, .expired)] {
            let bench = Bench(.b) {
                $0.isAM72 = isAM72
                $0.messageTimeout = .seconds(30)
            }
            _ = try await bench.enrolled()
            let (login, _) = try await bench.login()
            bench.clock.advance(by: .seconds(20))
            #expect(try await bench.am.status(of: login.id) == .waiting)
            bench.clock.advance(by: .seconds(30))
            #expect(try await bench.am.status(of: login.id) == .waiting)
            bench.clock.advance(by: .seconds(1))
            #expect(try await bench.am.status(of: login.id) == status)
        }
    }

    @Test func `an answer before the next look counts, even after the journey's time`() async throws
    {
        let bench = Bench { $0.messageTimeout = .seconds(30) }
        let phone = try await bench.enrolled()
        let (login, push) = try await bench.login()
        #expect(try await bench.am.status(of: login.id) == .waiting)
        bench.clock.advance(by: .seconds(60))
        #expect(try await bench.answer(push, by: phone) == 200)
        #expect(try await bench.am.status(of: login.id) == .approved)
    }

    @Test func `nobody asks for a login that doesn't exist`() async {
        await #expect(throws: PushError.self) { try await Bench().am.status(of: "AUTHENTICATE:1") }
        await #expect(throws: PushError.self) { try await Bench().am.repeatPush(of: "x") }
    }
}
