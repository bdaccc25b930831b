import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

struct ReceivingTests {
    @Test func `a challenge is announced once, by push, poll and restart alike`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let first = try await authenticator.receive(try AcmeWire.ask("1"))
        #expect(first.map(\.isNew) == [true])
        #expect(first.first?.challenge == .ada("1"))
        let replay = try await authenticator.receive(try AcmeWire.ask("1"))
        #expect(replay.map(\.isNew) == [false])
        await harness.server.offer(["id": "1", "prompt": "approve"], to: "ada")
        #expect(try await authenticator.pending(for: .ada).map(\.isNew) == [false])
        let reborn = try harness.authenticator()
        #expect(try await reborn.receive(try AcmeWire.ask("1")).map(\.isNew) == [false])
        #expect(try await reborn.records().count == 1)
    }

    @Test func `an identifier beside the signature makes no second challenge`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        for beside in ["a", "b"] {
            let message = try AcmeWire.push(
                ["kind": "ask", "id": "1"], to: "ada", beside: ["id": .string(beside)])
            _ = try await authenticator.receive(message)
        }
        #expect(try await authenticator.records().map(\.id) == [.ada("1")])
    }

    @Test func `what the first message said stays; a second one changes nothing`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        let other = try AcmeWire.push(
            ["kind": "ask", "id": "1", "prompt": "choose", "title": "Other"], to: "ada")
        let reception = try #require(try await authenticator.receive(other).first)
        guard case .notice(let notice, _) = reception.kind else {
            Issue.record("\(reception)")
            return
        }
        #expect(notice.title == "Log in?")
        #expect(try await authenticator.challenge(.ada("1")).prompt == .approve)
    }

    @Test func `the app's own push is nobody's`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let own = try PushMessage(json: Data(#"{"aps":{"alert":"mine"}}"#.utf8))
        #expect(try await authenticator.receive(own).isEmpty)
        #expect(harness.observer.observations.isEmpty)
    }

    @Test func `a forged, foreign or malformed message is refused and stores nothing`() async throws
    {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let count = await harness.store.count
        let forged = try AcmeWire.push(["kind": "ask", "id": "1"], to: "ada", key: "wrong")
        let lost = try AcmeWire.ask("1", to: "nobody")
        let broken = try PushMessage(json: Data(#"{"acme":"{}"}"#.utf8))
        #expect(await code { try await authenticator.receive(forged) } == .untrusted)
        #expect(await code { try await authenticator.receive(lost) } == .unknownEnrollment)
        #expect(await code { try await authenticator.receive(broken) } == .malformed)
        #expect(await code { try await authenticator.receive(forged) } == .untrusted)
        #expect(await harness.store.count == count)
        let heard = harness.observer.observations
        #expect(heard.map(\.count) == [1, 1, 1, 2])
        #expect(heard.map(\.kind).last == .refused(.untrusted))
        #expect(
            heard.allSatisfy { $0.provider == "acme" && $0.summary == "A message was refused." })
    }

    @Test func `a cancel takes a challenge back`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        let reception = try await authenticator.receive(try AcmeWire.cancel("1"))
        #expect(reception.map(\.kind) == [.over(Withdrawal(.ada("1"), .cancelled))])
        #expect(reception.map(\.isNew) == [true])
        #expect(try await authenticator.receive(try AcmeWire.cancel("1")).map(\.isNew) == [false])
        #expect(await code { try await authenticator.challenge(.ada("1")) } == .over)
        #expect(await code { try await authenticator.resolve(challenge, with: .approve) } == .over)
        #expect(await code { try await authenticator.deny(.ada("1")) } == .over)
        #expect(await harness.server.answers.isEmpty)
    }

    @Test func `a cancel that comes first leaves a tombstone`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        #expect(try await authenticator.receive(try AcmeWire.cancel("1")).map(\.isNew) == [true])
        let late = try await harness.authenticator().receive(try AcmeWire.ask("1"))
        #expect(late.map(\.kind) == [.over(Withdrawal(.ada("1"), .cancelled))])
        #expect(late.map(\.isNew) == [false])
        #expect(try await authenticator.records().isEmpty)
        #expect(try await authenticator.record(of: .ada("1")) == nil)
        #expect(await code { try await authenticator.challenge(.ada("1")) } == .over)
        #expect(await code { try await authenticator.announcement(of: .ada("1")) } == .over)
    }

    @Test func `one challenge's cancel is no other's, nor another enrollment's`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada", "bob"])
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        _ = try await authenticator.receive(try AcmeWire.cancel("2"))
        _ = try await authenticator.receive(try AcmeWire.cancel("1", to: "bob"))
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
    }

    @Test(arguments: [false, true])
    func `a message from the future is told, and withdraws if it says so`(
        withdraws: Bool
    ) async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        let told = try await authenticator.receive(try AcmeWire.future("1", withdraws: withdraws))
        guard case .incompatible(let what)? = told.first?.kind else {
            Issue.record("\(told)")
            return
        }
        #expect(what.kind == "hologram" && told.first?.challenge == .ada("1"))
        let over = ChallengeRecord.State.over(Withdrawal(.ada("1"), .cancelled))
        #expect(try await authenticator.record(of: .ada("1"))?.state == (withdraws ? over : .open))
    }

    @Test func `a record is told newest first, with what announced it`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada", "bob"])
        for id in ["1", "2"] { _ = try await authenticator.receive(try AcmeWire.ask(id)) }
        _ = try await authenticator.receive(try AcmeWire.ask("3", to: "bob"))
        #expect(try await authenticator.records().map(\.id.name) == ["3", "2", "1"])
        #expect(try await authenticator.records(of: .ada).map(\.id.name) == ["2", "1"])
        #expect(try await authenticator.announcement(of: .ada("1")).notice.title == "Log in?")
        #expect(await code { try await authenticator.announcement(of: .ada("9")) } == .notFound)
        #expect(try await authenticator.record(of: .ada("9")) == nil)
    }

    @Test func `a damaged row is named, reported, and stops no other`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        try await harness.damageRow(.ada("1"))
        let challenge = try await authenticator.open(try AcmeWire.ask("2"))
        await harness.faults.next(.dropAfter)
        _ = try await authenticator.resolve(challenge, with: .approve)
        let again = await code { try await authenticator.receive(try AcmeWire.ask("1")) }
        #expect(again == .unsupportedRecord)
        #expect(await code { try await authenticator.deny(.ada("1")) } == .unsupportedRecord)
        #expect(await code { try await authenticator.record(of: .ada("1")) } == .unsupportedRecord)
        #expect(try await authenticator.records().map(\.id) == [.ada("2")])
        #expect(try await authenticator.resume() == [.ada("2"): .delivered])
        let observations = harness.observer.observations.filter {
            $0.kind == .damaged(.challenge)
        }
        #expect(!observations.isEmpty && observations.allSatisfy { $0.enrollment == .ada })
        try await authenticator.remove(.ada)
        #expect(await harness.store.count == 0)
    }

    // MARK: Time

    @Test func `what has expired when it comes displaces nothing that waits`() async throws {
        let harness = AuthenticatorHarness()
        await harness.server.tell(morning)
        let authenticator = try await harness.enrolled()
        try await authenticator.hearTimeAgain()
        for number in 0..<64 { _ = try await authenticator.receive(try AcmeWire.ask("\(number)")) }
        let late = try await authenticator.receive(
            try AcmeWire.ask("late", expiry: morning - 3600))
        #expect(late.map(\.kind) == [.over(Withdrawal(.ada("late"), .expired))])
        #expect(late.map(\.isNew) == [true])
        #expect(try await authenticator.unfinishedRecords().count == 64)
        let again = try await authenticator.receive(
            try AcmeWire.ask("late", expiry: morning - 3600))
        #expect(again.map(\.isNew) == [false])
    }

    @Test func `an expired challenge comes to nothing`() async throws {
        let harness = AuthenticatorHarness()
        await harness.server.tell(morning)
        let authenticator = try await harness.enrolled()
        try await authenticator.hearTimeAgain()
        let late = try await authenticator.receive(try AcmeWire.ask("1", expiry: morning - 1))
        #expect(late.map(\.kind) == [.over(Withdrawal(.ada("1"), .expired))])
        let fresh = try await authenticator.receive(try AcmeWire.ask("2", expiry: morning + 60))
        guard case .notice(_, .valid)? = fresh.first?.kind else {
            Issue.record("\(fresh)")
            return
        }
        #expect(await code { try await authenticator.deny(.ada("1")) } == .over)
    }

    @Test func `the device's own clock says nothing about expiry`() async throws {
        let harness = AuthenticatorHarness()
        await harness.server.tell(morning)
        let authenticator = try await harness.enrolled()
        harness.clock.set(morning + 1e6)
        let reception = try await authenticator.receive(try AcmeWire.ask("1", expiry: morning + 60))
        guard case .notice(_, .valid)? = reception.first?.kind else {
            Issue.record("\(reception)")
            return
        }
    }

    @Test func `without the server's time nothing is refused as late`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let reception = try await authenticator.receive(try AcmeWire.ask("1", expiry: morning - 60))
        guard case .notice(_, .uncertain)? = reception.first?.kind else {
            Issue.record("\(reception)")
            return
        }
        #expect(try await authenticator.deny(.ada("1")) == .delivered)
    }

    @Test func `a vendor that judges lateness itself gets late answers`() async throws {
        let harness = AuthenticatorHarness()
        await harness.server.tell(morning)
        let authenticator = try await harness.enrolled(["ada"], .init(capabilities: [.lateAnswers]))
        try await authenticator.hearTimeAgain()
        let reception = try await authenticator.receive(try AcmeWire.ask("1", expiry: morning - 1))
        guard case .notice(_, .expired)? = reception.first?.kind else {
            Issue.record("\(reception)")
            return
        }
        #expect(try await authenticator.deny(.ada("1")) == .delivered)
    }
}
