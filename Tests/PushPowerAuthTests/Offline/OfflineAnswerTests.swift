import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// `docs/vendors/powerauth.md#offline-operations`, which no network carries: the back office
/// verifies what the user copies.
@Suite struct OfflineAnswerTests {
    let bank = Bank()
    let phone: PowerAuthHarness
    let id: Enrollment.ID

    init() async throws {
        phone = try await PowerAuthHarness(of: bank, customer: Customer(finger: Customer.finger))
        id = try await phone.activated()
        await phone.customer.prefer(finger: false)
    }

    private func code(
        _ change: (inout PowerAuthSimulator.OfflineRequest) -> Void = { _ in }
    ) async throws -> PowerAuthSimulator.OfflineCode {
        var request = PowerAuthSimulator.OfflineRequest(
            operation: "5ff1b1ed-a3cc-45a3-8ab0-ed60950312b6", title: "Payment",
            message: "Please confirm this payment",
            data: "A1*A100CZK*ICZ2730300000001165254011*D20180425")
        change(&request)
        return try await bank.simulator.createOfflineCode(request, for: id.name)
    }

    private func scan(_ text: String) async throws -> Challenge {
        let receptions = try await phone.authenticator.receive(
            PushMessage(text: text, by: .scanned))
        let notice = try #require(receptions.compactMap(\.newNotice).first)
        #expect(notice.proof == .signature)
        return try await phone.authenticator.challenge(notice.id)
    }

    private func answer(
        _ challenge: Challenge, isOnCall: Bool? = false
    ) async throws -> String {
        let outcome = try await phone.authenticator.resolve(
            challenge, with: .approve, extras: PowerAuthApproval(isOnCall: isOnCall))
        guard case .code(let text, _) = outcome else {
            Issue.record("It is \(outcome).")
            return ""
        }
        return text
    }

    @Test(arguments: [PowerAuthSimulator.OfflineKey.master, .personalized], [false, true])
    func `a code is shown, approved and verified, and no request is made`(
        _ key: PowerAuthSimulator.OfflineKey, _ hasPassword: Bool
    ) async throws {
        let code = try await code {
            $0.key = key
            $0.hasPassword = hasPassword
        }
        let sent = await bank.simulator.exchanges.count
        let challenge = try await scan(code.text)
        #expect(challenge.prompt == .approve)
        let read = try #require(challenge.details(as: PowerAuthOfflineOperation.self))
        #expect(read.title == "Payment")
        #expect(read.operationData?.template == .payment)
        let text = try await answer(challenge)
        #expect(text.wholeMatch(of: #/\d{8}-\d{8}/#) != nil)
        #expect(await bank.simulator.exchanges.count == sent)
        #expect(
            try await bank.simulator.verifyOfflineSignature(text, of: code.id)
                == .accepted(.possessionKnowledge))
    }

    @Test func `a network that is down is no hindrance`() async throws {
        let code = try await code()
        for _ in 0..<9 { await phone.faults.next(.refuse) }
        let text = try await answer(try await scan(code.text))
        #expect(
            try await bank.simulator.verifyOfflineSignature(text, of: code.id)
                == .accepted(.possessionKnowledge))
    }

    @Test(arguments: [("B", true), ("", false), ("XFC", false), ("XB", true), ("Zq", false)])
    func `biometry signs only where a flag says so`(
        _ flags: String, _ allows: Bool
    ) async throws {
        await phone.customer.prefer(finger: true)
        let code = try await code { $0.flags = flags }
        let challenge = try await scan(code.text)
        #expect(challenge.verification.joined().contains(.biometry) == allows)
        let text = try await answer(challenge)
        #expect(
            try await bank.simulator.verifyOfflineSignature(text, of: code.id)
                == .accepted(allows ? .possessionBiometry : .possessionKnowledge))
    }

    @Test func `what is escaped is shown with its line breaks`() async throws {
        let code = try await code {
            $0.title = "One\nTwo"
            $0.message = #"C:\new"# + "\n" + #"\\server"#
        }
        let read = try #require(
            try await scan(code.text).details(as: PowerAuthOfflineOperation.self))
        #expect(read.title == "One\nTwo")
        #expect(read.message == #"C:\new"# + "\n" + #"\\server"#)
    }

    @Test func `lines of later versions are passed over, but signed`() async throws {
        let code = try await code {
            $0.hasPassword = true
            $0.futureLines = ["later", "", "still later"]
        }
        let text = try await answer(try await scan(code.text))
        #expect(
            try await bank.simulator.verifyOfflineSignature(text, of: code.id)
                == .accepted(.possessionKnowledge))
        let changed = code.text.replacing("still later", with: "still latex")
        await #expect(throws: PushError.self) {
            _ = try await phone.authenticator.receive(PushMessage(text: changed, by: .scanned))
        }
    }

    @Test func `a changed code is refused, whichever byte it is, and leaves nothing`()
        async throws
    {
        for key in [PowerAuthSimulator.OfflineKey.master, .personalized] {
            let bytes = Array(try await code { $0.key = key }.text.utf8)
            for place in bytes.indices {
                var changed = bytes
                changed[place] = changed[place] == UInt8(ascii: "A") ? 0x42 : 0x41
                let text = String(decoding: changed, as: UTF8.self)
                let receptions = try? await phone.authenticator.receive(
                    PushMessage(text: text, by: .scanned))
                #expect(receptions?.isEmpty ?? true, "\(key) \(place)")
            }
        }
        #expect(try await phone.authenticator.records().isEmpty)
    }

    @Test func `a code of another bank's or another phone's key is refused`() async throws {
        let stranger = Bank(seed: 99)
        let other = try await PowerAuthHarness(of: stranger)
        let foreign = try await other.activated()
        let sameBank = try await PowerAuthHarness(of: bank)
        let neighbour = try await sameBank.activated()
        for key in [PowerAuthSimulator.OfflineKey.master, .personalized] {
            var request = PowerAuthSimulator.OfflineRequest(
                operation: "1", title: "T", message: "M", data: "A2")
            request.key = key
            let text = try await stranger.simulator.createOfflineCode(request, for: foreign.name)
                .text
            await #expect(throws: PushError.self) {
                _ = try await phone.authenticator.receive(PushMessage(text: text, by: .scanned))
            }
        }
        var request = PowerAuthSimulator.OfflineRequest(
            operation: "1", title: "T", message: "M", data: "A2")
        request.key = .personalized
        let text = try await bank.simulator.createOfflineCode(request, for: neighbour.name).text
        await #expect(throws: PushError.self) {
            _ = try await phone.authenticator.receive(PushMessage(text: text, by: .scanned))
        }
    }

    @Test func `a personalized code belongs to the activation whose key verifies it`()
        async throws
    {
        let other = try await phone.activated()
        for activation in [id, other] {
            var request = PowerAuthSimulator.OfflineRequest(
                operation: "op-\(activation.name)", title: "T", message: "M", data: "A2")
            request.key = .personalized
            let code = try await bank.simulator.createOfflineCode(request, for: activation.name)
            let challenge = try await scan(code.text)
            #expect(challenge.id.enrollment == activation)
            let text = try await answer(challenge)
            #expect(
                try await bank.simulator.verifyOfflineSignature(text, of: code.id)
                    == .accepted(.possessionKnowledge))
        }
    }

    @Test(arguments: ["2", "9", "A", "3"])
    func `a kind of key nobody knows is refused`(_ kind: String) async throws {
        let text = try await code().text
        let end = try #require(text.range(of: "\n1", options: .backwards))
        let changed = text.replacingCharacters(in: end, with: "\n" + kind)
        await #expect(throws: PushError.self) {
            _ = try await phone.authenticator.receive(PushMessage(text: changed, by: .scanned))
        }
        #expect(try await phone.authenticator.records().isEmpty)
    }

    @Test func `a call that is on blocks the answer where the flag says so`() async throws {
        let code = try await code { $0.flags = "BC" }
        let challenge = try await scan(code.text)
        for isOnCall in [true, nil] {
            await #expect(throws: PushError.self) {
                _ = try await phone.authenticator.resolve(
                    challenge, with: .approve, extras: PowerAuthApproval(isOnCall: isOnCall))
            }
        }
        _ = try await answer(challenge, isOnCall: false)
    }

    @Test func `a wrong PIN gives digits that the server refuses`() async throws {
        await phone.customer.type("0000")
        let code = try await code()
        let text = try await answer(try await scan(code.text))
        #expect(text.wholeMatch(of: #/\d{8}-\d{8}/#) != nil)
        #expect(try await bank.simulator.verifyOfflineSignature(text, of: code.id) == .refused)
        #expect(try await bank.record(id).failedAttempts == 1)
    }

    @Test func `an offline rejection tells the server nothing`() async throws {
        let sent = await bank.simulator.exchanges.count
        let challenge = try await scan(try await code().text)
        _ = try? await phone.authenticator.resolve(challenge, with: .deny(.unexpected))
        #expect(await bank.simulator.exchanges.count == sent)
        await #expect(throws: PushError.self) {
            _ = try await phone.authenticator.resolve(challenge, with: .approve)
        }
    }

    @Test func `the same code scanned twice is one challenge`() async throws {
        let text = try await code().text
        _ = try await scan(text)
        let again = try await phone.authenticator.receive(PushMessage(text: text, by: .scanned))
        #expect(again.compactMap(\.newNotice).isEmpty)
        #expect(try await phone.authenticator.records().count == 1)
    }

    @Test func `a code sent as a push is nobody's`() async throws {
        let text = try await code().text
        let push = PushMessage(fcm: ["text": text])
        #expect(try await phone.authenticator.receive(push).isEmpty)
    }

    @Test(arguments: ["\r\n", "\n\n"])
    func `other line ends are another text`(_ end: String) async throws {
        let text = try await code().text.replacing("\n", with: end)
        let receptions = try? await phone.authenticator.receive(
            PushMessage(text: text, by: .scanned))
        #expect(receptions?.isEmpty ?? true)
        #expect(try await phone.authenticator.records().isEmpty)
    }
}
