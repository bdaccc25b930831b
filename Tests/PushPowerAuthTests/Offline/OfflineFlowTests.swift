import Crypto
import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct OfflineFlowTests {
    private static func request(
        _ flags: String = "B",
        _ change: (inout PowerAuthSimulator.OfflineRequest) -> Void = { _ in }
    ) -> PowerAuthSimulator.OfflineRequest {
        var request = PowerAuthSimulator.OfflineRequest(
            operation: "5ff1b1ed-a3cc-45a3-8ab0-ed60950312b6", title: "Payment\nabroad",
            message: "Please confirm this payment", data: "A1*A100CZK*ICZ27*D20180425")
        request.flags = flags
        change(&request)
        return request
    }

    private func scanned(
        _ phone: PowerAuthHarness, _ code: PowerAuthSimulator.OfflineCode
    ) async throws -> Receipt {
        try await phone.authenticator.receive(PushMessage(text: code.text, by: .scanned))
    }

    private func opened(
        _ phone: PowerAuthHarness, _ code: PowerAuthSimulator.OfflineCode
    ) async throws -> Challenge {
        let found = try await scanned(phone, code)
        return try await phone.authenticator.challenge(try #require(found.first?.challenge))
    }

    /// Opened without an authenticator, which would ask in the background what else waits.
    private func direct(
        _ phone: PowerAuthHarness, _ code: PowerAuthSimulator.OfflineCode
    ) async throws -> (Announcement, Challenge) {
        let event = try await phone.event(of: PushMessage(text: code.text, by: .scanned))
        guard case .notice(var announcement) = event else {
            throw PushError(.notFound, "It isn't a notice.")
        }
        let challenge = try await phone.provider.resolver.challenge(
            for: &announcement, of: try await phone.account(announcement.notice.id.enrollment))
        return (announcement, challenge)
    }

    @Test func `a code is verified, shown, and answered with digits, without any network`()
        async throws
    {
        let (phone, id) = try await PowerAuthHarness.active()
        let code = try await phone.simulator.createOfflineCode(Self.request(), for: id.name)
        let calls = await phone.transport.exchanges.count
        let before = try await phone.record(id).counter
        var (announcement, challenge) = try await direct(phone, code)
        #expect(
            challenge.id.name == "offline/5ff1b1ed-a3cc-45a3-8ab0-ed60950312b6/\(code.nonce)")
        #expect(challenge.expiry == nil)
        #expect(challenge.verification == [[.pin]])
        #expect(
            challenge.fields == [
                .init("Payment\nabroad", "Please confirm this payment"),
                .init("Amount", "100 CZK"), .init("IBAN", "CZ27"), .init("Date", "2018-04-25"),
            ])
        #expect(challenge.details(as: PowerAuthOfflineOperation.self)?.title == "Payment\nabroad")
        let answer = try await phone.answer(
            to: Decision(
                announcement, .approve, challenge: challenge,
                evidence: [.pin(Secret(Customer.pin.utf8))], extras: nil))
        // Who has the device's store could try PINs against the digits.
        #expect(answer.kept.form == .nothing)
        let outcome = try await phone.provider.resolver.send(
            answer, for: &announcement, of: try await phone.account(id), again: false)
        guard case .code(let digits, _) = outcome else {
            Issue.record("The user carries a code: \(outcome)")
            return
        }
        #expect(digits.count == 17)
        #expect(try await phone.record(id).counter == before.next())
        #expect(await phone.transport.exchanges.count == calls)
        #expect(
            try await phone.simulator.verifyOfflineSignature(digits, of: code.id)
                == .accepted(.possessionKnowledge))
    }

    @Test func `a notice of a code is proved by its signature`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let code = try await phone.simulator.createOfflineCode(Self.request(), for: id.name)
        let event = try await phone.event(of: PushMessage(text: code.text, by: .scanned))
        guard case .notice(let announcement) = event else {
            Issue.record("It is a notice.")
            return
        }
        #expect(announcement.notice.proof == .signature)
        #expect(announcement.notice.title == "Payment abroad")
    }

    @Test func `a time-based code and lines of later versions are signed along`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let request = Self.request {
            $0.hasPassword = true
            $0.futureLines = ["later", ""]
        }
        let code = try await phone.simulator.createOfflineCode(request, for: id.name)
        let challenge = try await opened(phone, code)
        let outcome = try await phone.authenticator.resolve(challenge, with: .approve)
        guard case .code(let digits, _) = outcome else {
            Issue.record("The user carries a code: \(outcome)")
            return
        }
        #expect(
            try await phone.simulator.verifyOfflineSignature(digits, of: code.id)
                == .accepted(.possessionKnowledge))
    }

    @Test(arguments: [("B", true), ("X", false), ("", false)])
    func `a finger signs only where the flag allows it`(
        _ flags: String, _ allows: Bool
    ) async throws {
        let (phone, id) = try await PowerAuthHarness.withFinger()
        let code = try await phone.simulator.createOfflineCode(Self.request(flags), for: id.name)
        let challenge = try await opened(phone, code)
        #expect(challenge.verification == (allows ? [[.biometry], [.pin]] : [[.pin]]))
        if !allows { await phone.customer.lay(finger: nil) }
        let outcome = try await phone.authenticator.resolve(challenge, with: .approve)
        guard case .code(let digits, _) = outcome else {
            Issue.record("The user carries a code: \(outcome)")
            return
        }
        #expect(
            try await phone.simulator.verifyOfflineSignature(digits, of: code.id)
                == .accepted(allows ? .possessionBiometry : .possessionKnowledge))
    }

    @Test func `a finger that the flag doesn't allow signs nothing`() async throws {
        let (phone, id) = try await PowerAuthHarness.withFinger()
        let code = try await phone.simulator.createOfflineCode(Self.request(""), for: id.name)
        let challenge = try await opened(phone, code)
        let announcement = try await phone.authenticator.announcement(of: challenge.id)
        let finger = Evidence.biometry(Secret([UInt8](repeating: 7, count: 32)))
        let decision = Decision(
            announcement, .approve, challenge: challenge, evidence: [finger], extras: nil)
        #expect(
            await PushPowerAuthTests.code { try await phone.answer(to: decision) }
                == .verificationFailed)
    }

    @Test func `a code for one activation is that one's`() async throws {
        let (phone, first) = try await PowerAuthHarness.active()
        let second = try await phone.activated()
        for id in [first, second] {
            let code = try await phone.simulator.createOfflineCode(
                Self.request(), for: id.name)
            #expect(
                try await scanned(phone, code).map { $0.challenge?.enrollment } == [id])
        }
    }

    @Test func `a code for nobody in particular is offered at each activation`() async throws {
        let (phone, first) = try await PowerAuthHarness.active()
        let request = Self.request { $0.key = .master }
        let one = try await phone.simulator.createOfflineCode(request, for: first.name)
        #expect(try await scanned(phone, one).map { $0.challenge?.enrollment } == [first])
        let second = try await phone.activated()
        let both = try await phone.simulator.createOfflineCode(request, for: first.name)
        let found = try await scanned(phone, both).compactMap { $0.challenge?.enrollment }
        #expect(Set(found) == [first, second])
        let name = try #require(
            try await phone.authenticator.records(of: first)
                .first { $0.id.name.hasSuffix(both.nonce) })
        let challenge = try await phone.authenticator.challenge(name.id)
        guard
            case .code(let digits, _) = try await phone.authenticator.resolve(
                challenge, with: .approve)
        else {
            Issue.record("The user carries a code.")
            return
        }
        #expect(
            try await phone.simulator.verifyOfflineSignature(digits, of: both.id)
                == .accepted(.possessionKnowledge))
    }

    @Test(arguments: ["0", "1", "2", "A"])
    func `a code that no known key has signed is refused, and nothing is stored`(
        _ type: String
    ) async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let lines = ["1", "t", "m", "A2", "B", "AD8bOO0Df73kNaIGb3Vmpg=="]
        let text = try OfflineCodeTests.signed(lines, type: type, by: P256.Signing.PrivateKey())
        let message = PushMessage(text: text, by: .scanned)
        #expect(phone.provider.candidate(in: message) != nil)
        #expect(
            await PushPowerAuthTests.code { try await phone.authenticator.receive(message) }
                == .untrusted)
        #expect(try await phone.authenticator.records(of: id).isEmpty)
    }

    @Test func `a code signed with the other key is refused`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let personal = try await phone.simulator.createOfflineCode(Self.request(), for: id.name)
        // The kind of key is signed: to change it breaks the signature.
        let mark = try #require(personal.text.range(of: "\n1", options: .backwards))
        let changed = personal.text.replacingCharacters(in: mark, with: "\n0")
        #expect(
            await PushPowerAuthTests.code {
                try await phone.authenticator.receive(PushMessage(text: changed, by: .scanned))
            } == .untrusted)
    }

    @Test func `a no is given by giving no code`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let code = try await phone.simulator.createOfflineCode(Self.request(), for: id.name)
        let before = try await phone.record(id).counter
        let calls = await phone.transport.exchanges.count
        var (announcement, _) = try await direct(phone, code)
        let answer = try await phone.answer(
            to: Decision(
                announcement, .deny(.unexpected), challenge: nil, evidence: [], extras: nil))
        _ = try await phone.provider.resolver.send(
            answer, for: &announcement, of: try await phone.account(id), again: false)
        #expect(try await phone.record(id).counter == before)
        #expect(await phone.transport.exchanges.count == calls)
        let challenge = try await opened(phone, code)
        let outcome = try await phone.authenticator.resolve(challenge, with: .deny(.unexpected))
        let isUnknown = if case .unknown = outcome { true } else { false }
        #expect(isUnknown)
        let record = try await phone.authenticator.record(of: challenge.id)
        #expect(record?.state == .answered(.deny(.unexpected), outcome))
    }

    @Test(arguments: [nil, true] as [Bool?])
    func `a code with the flag C isn't approved during a call`(_ isOnCall: Bool?) async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let code = try await phone.simulator.createOfflineCode(Self.request("C"), for: id.name)
        let challenge = try await opened(phone, code)
        #expect(
            await PushPowerAuthTests.code {
                try await phone.authenticator.resolve(
                    challenge, with: .approve, extras: PowerAuthApproval(isOnCall: isOnCall))
            } == .invalidResolution)
        let outcome = try await phone.authenticator.resolve(
            challenge, with: .approve, extras: PowerAuthApproval(isOnCall: false))
        let isCode = if case .code = outcome { true } else { false }
        #expect(isCode)
    }

    @Test func `a blocked activation signs nothing`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let code = try await phone.simulator.createOfflineCode(Self.request(), for: id.name)
        let challenge = try await opened(phone, code)
        try await phone.simulator.block(id.name)
        _ = try await phone.authenticator.refresh(id)
        let before = try await phone.record(id).counter
        #expect(
            await PushPowerAuthTests.code {
                try await phone.authenticator.resolve(challenge, with: .approve)
            } == .blocked)
        #expect(try await phone.record(id).counter == before)
    }

    @Test func `the server can't say what became of a code`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let code = try await phone.simulator.createOfflineCode(Self.request(), for: id.name)
        let challenge = try await opened(phone, code)
        var announcement = try await phone.authenticator.announcement(of: challenge.id)
        let account = try await phone.account(id)
        #expect(
            try await phone.provider.resolver.status(for: &announcement, of: account, kept: nil)
                == .unknown)
    }
}
