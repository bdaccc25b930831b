import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// What the vendor's server does to an answer, and what comes of it.
struct ReplyFaultTests {
    @Test(arguments: Answer.Kept.Form.allCases)
    func `accepted but the connection dropped is unknown first, then delivered, and taken once`(
        kept: Answer.Kept.Form
    ) async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life(.init(kept: kept))
        _ = try await life.authenticator.join("ada")
        let challenge = try await life.authenticator.open(try AcmeWire.ask("1"))
        await harness.faults.next(.dropAfter)
        guard
            case .unknown = try await life.authenticator.resolve(challenge, with: .approve)
        else {
            Issue.record("It was guessed.")
            return
        }
        #expect(try await life.authenticator.record(of: .ada("1"))?.state == .decided(.approve))
        #expect(try await life.authenticator.resume() == [.ada("1"): .delivered])
        #expect(await harness.server.taken == ["1": "approve"])
        #expect(Set(await harness.server.choices()) == ["approve"])
    }

    @Test(arguments: [Answer.Kept.Form.whole, .wholeOnceOpen])
    func `after 500, 502 and 503 the answer arrives by itself, once`(
        kept: Answer.Kept.Form
    ) async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life(.init(kept: kept))
        _ = try await life.authenticator.join("ada")
        _ = try await life.authenticator.receive(try AcmeWire.ask("1"))
        for status in [500, 502, 503] { await harness.faults.next(.status(status)) }
        guard case .unknown = try await life.authenticator.deny(.ada("1")) else {
            Issue.record("It was guessed.")
            return
        }
        for left in [2, 1, 0] {
            #expect(await harness.faults.remaining == left)
            try await eventually("It sleeps before it tries again.") { life.clock.sleepers == 1 }
            life.clock.advance(by: .seconds(300))
            if left > 0 {
                try await eventually("It tries again.") { await harness.faults.remaining < left }
            }
        }
        try await eventually("The vendor's word is recorded.") {
            try await life.authenticator.record(of: .ada("1"))?.state
                == .answered(.deny(.unexpected), .delivered)
        }
        #expect(await harness.server.choices() == ["deny:unexpected"])
    }

    // MARK: 429

    @Test(arguments: [false, true])
    func `after 429 nothing is asked or sent before Retry-After, and the answer isn't dropped`(
        isDate: Bool
    ) async throws {
        let harness = AuthenticatorHarness()
        // The device's clock is an hour ahead: only the server's counts.
        let life = try harness.life(clock: ManualClock(morning + 3600))
        _ = try await life.authenticator.join("ada")
        _ = try await life.authenticator.receive(try AcmeWire.ask("1"))
        await harness.faults.next(.reply(Self.busy(isDate)), where: { $0.path == "/answer" })
        _ = try await life.authenticator.deny(.ada("1"))
        let before = await harness.transport.exchanges.count
        try await eventually("It sleeps.") { life.clock.sleepers == 1 }
        life.clock.advance(by: .seconds(118))
        try await eventually("It still sleeps.") { life.clock.sleepers == 1 }
        // Neither the app's asking again nor a user's tap goes past it.
        _ = try await life.authenticator.resume()
        _ = try await life.authenticator.deny(.ada("1"))
        #expect(await harness.transport.exchanges.count == before)
        #expect(
            try await life.authenticator.record(of: .ada("1"))?.state
                == .decided(.deny(.unexpected)))
        try await eventually("It still sleeps.") { life.clock.sleepers >= 1 }
        life.clock.advance(by: .seconds(300))
        try await eventually("It arrives.") {
            await harness.server.taken == ["1": "deny:unexpected"]
        }
        #expect(await harness.server.answers.count == 1)
    }

    @Test(arguments: [false, true])
    func `Retry-After is kept across a restart`(isDate: Bool) async throws {
        let harness = AuthenticatorHarness()
        let clock = ManualClock(morning)
        let first = try harness.life(clock: clock)
        _ = try await first.authenticator.join("ada")
        _ = try await first.authenticator.receive(try AcmeWire.ask("1"))
        await harness.faults.next(.reply(Self.busy(isDate)), where: { $0.path == "/answer" })
        _ = try await first.authenticator.deny(.ada("1"))
        await first.kill()
        clock.advance(by: .seconds(60))
        let second = try harness.life(clock: clock).authenticator
        let before = await harness.transport.exchanges.count
        _ = try await second.resume()
        #expect(await harness.transport.exchanges.count == before)
        clock.advance(by: .seconds(400))
        try await eventually("It arrives.") {
            _ = try await second.resume()
            return await harness.server.taken == ["1": "deny:unexpected"]
        }
    }

    @Test(arguments: [false, true])
    func `after a 429 what met it waits, and a fresh decision of the user is tried once`(
        isDate: Bool
    ) async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        for id in ["1", "2", "3"] {
            _ = try await life.authenticator.receive(try AcmeWire.ask(id))
        }
        for _ in 1...2 {
            await harness.faults.next(.reply(Self.busy(isDate)), where: { $0.path == "/answer" })
        }
        for id in ["1", "2", "3"] { _ = try await life.authenticator.deny(.ada(id)) }
        #expect(await harness.server.taken == ["3": "deny:unexpected"])
        _ = try await life.authenticator.resume()
        #expect(await harness.server.taken.count == 1)
        life.clock.advance(by: .seconds(400))
        try await eventually("All arrive.") {
            _ = try await life.authenticator.resume()
            return await harness.server.taken.count == 3
        }
        #expect(await harness.server.answers.count == 3)
    }

    @Test(arguments: [false, true])
    func `a device token that meets a 429 is told after Retry-After`(isDate: Bool) async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        await harness.faults.next(.reply(Self.busy(isDate)), where: { $0.path == "/token" })
        let failures = try await life.authenticator.deviceTokenChanged(.fcm("t1"))
        #expect(failures[.ada]?.code == .server(status: 429))
        _ = try await life.authenticator.resume()
        #expect(await harness.server.tokenLog.isEmpty)
        try await eventually("It sleeps.") { life.clock.sleepers >= 1 }
        life.clock.advance(by: .seconds(400))
        try await eventually("It is told.") { await harness.server.tokens == ["ada": "t1"] }
        #expect(await harness.server.tokenLog == ["ada=t1"])
    }

    @Test(arguments: [
        "", "0", "-1", "soon", "1e9", "12 seconds", "99999999999999999999999",
        "9223372036854775807",
        "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT",
    ])
    func `a Retry-After that nobody can mean traps nothing, and loses nothing`(
        text: String
    ) async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        _ = try await life.authenticator.receive(try AcmeWire.ask("1"))
        await harness.faults.next(
            .reply(.busy(503, retryAfter: text, date: morning)), where: { $0.path == "/answer" })
        _ = try await life.authenticator.deny(.ada("1"))
        #expect(
            try await life.authenticator.record(of: .ada("1"))?.state
                == .decided(.deny(.unexpected)))
        await life.kill()
        let second = try harness.life(clock: ManualClock(morning + 60)).authenticator
        _ = try await second.resume()
        #expect(await harness.server.taken == ["1": "deny:unexpected"])
    }

    private static func busy(_ isDate: Bool) -> HTTPResponse {
        isDate
            ? .busy(retryAfter: AcmeService.httpDate(morning + 120), date: morning)
            : .busy(retryAfter: "120")
    }

    // MARK: 401 and 403

    @Test(arguments: [401, 403], [-86_400.0, 86_400, -1_760_000_000])
    func `a clock refused with 401 or 403 and a far Date is corrected, and nothing is lost`(
        status: Int, error: Double
    ) async throws {
        let harness = AuthenticatorHarness()
        let life = try harness.life(
            .init(tellsTime: true), clock: ManualClock(morning + error))
        _ = try await life.authenticator.join("ada")
        await harness.server.tell { [clock = life.clock] in
            morning + Double(clock.elapsed.components.seconds)
        }
        await harness.server.refuseWrongTimes(with: status)
        let challenge = try await life.authenticator.open(
            try AcmeWire.ask("1", expiry: morning + 60))
        #expect(
            await code { try await life.authenticator.resolve(challenge, with: .approve) }
                == .server(status: status))
        #expect(try await life.authenticator.record(of: .ada("1"))?.state == .decided(.approve))
        #expect(try await life.authenticator.resume() == [.ada("1"): .delivered])
        #expect(await harness.server.choices() == ["approve"])
        #expect(await harness.server.times.last == morning)
    }

    @Test(arguments: [401, 403])
    func `a wrong clock doesn't keep the user from enrolling the second time`(
        status: Int
    ) async throws {
        let harness = AuthenticatorHarness()
        await harness.server.tell(morning)
        await harness.server.refuseWrongTimes(with: status)
        let life = try harness.life(
            .init(tellsTime: true), clock: ManualClock(Date(timeIntervalSince1970: 0)))
        #expect(
            await code { try await life.authenticator.join("ada") } == .server(status: status))
        #expect(try await life.authenticator.join("ada").state == .active)
    }

    // MARK: 404, 409 and 410

    @Test(arguments: [404, 409, 410], [Answer.Kept.Form.whole, .wholeOnceOpen])
    func `already answered to the first copy is answered elsewhere, for good`(
        status: Int, kept: Answer.Kept.Form
    ) async throws {
        let harness = AuthenticatorHarness()
        await harness.server.sayAnswered(with: status)
        let life = try harness.life(.init(kept: kept))
        _ = try await life.authenticator.join("ada")
        let challenge = try await life.authenticator.open(try AcmeWire.ask("1"))
        await harness.server.answerElsewhere("1")
        #expect(
            try await life.authenticator.resolve(challenge, with: .approve) == .answeredElsewhere)
        #expect(try await life.authenticator.resume().isEmpty)
        #expect(await harness.server.answers.count == 1)
        #expect(
            try await life.authenticator.record(of: .ada("1"))?.state
                == .answered(.approve, .answeredElsewhere))
    }

    @Test(arguments: [404, 409, 410])
    func `already answered to a copy that may be the second isn't called elsewhere`(
        status: Int
    ) async throws {
        let harness = AuthenticatorHarness()
        await harness.server.sayAnswered(with: status)
        let life = try harness.life()
        _ = try await life.authenticator.join("ada")
        let challenge = try await life.authenticator.open(try AcmeWire.ask("1"))
        await harness.faults.next(.dropAfter)
        _ = try await life.authenticator.resolve(challenge, with: .approve)
        let outcome = try #require(try await life.authenticator.resume()[.ada("1")])
        switch outcome {
        case .delivered, .unknown: break
        default: Issue.record("\(outcome)")
        }
        // That is the vendor's last word: no third copy goes out.
        #expect(try await life.authenticator.resume().isEmpty)
        #expect(await harness.server.answers.count == 2)
        #expect(await harness.server.taken == ["1": "approve"])
    }

    @Test(arguments: [404, 409, 410])
    func `already answered, where the vendor tells by whom, is delivered`(
        status: Int
    ) async throws {
        let harness = AuthenticatorHarness()
        await harness.server.sayAnswered(with: status)
        let life = try harness.life(.init(kept: .wholeOnceOpen))
        _ = try await life.authenticator.join("ada")
        _ = try await life.authenticator.receive(try AcmeWire.ask("1"))
        await harness.faults.next(.dropAfter)
        _ = try await life.authenticator.deny(.ada("1"))
        #expect(try await life.authenticator.resume() == [.ada("1"): .delivered])
        #expect(await harness.server.answers.count == 1)
    }
}
