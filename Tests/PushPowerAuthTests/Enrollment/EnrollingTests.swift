import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// Activation, from the code to the removal: `docs/vendors/powerauth.md#activation`.
@Suite struct EnrollingTests {
    let bank = Bank()
    let phone: PowerAuthHarness

    init() async throws { phone = try await PowerAuthHarness(of: bank) }

    private var untouched: Bool {
        get async { await bank.simulator.exchanges.isEmpty }
    }

    // MARK: The code

    @Test func `a code signed by another master key is refused before anything is sent`()
        async throws
    {
        let stranger = Bank(seed: 77)
        let foreign = try await stranger.simulator.invitation(for: Bank.user)
        let error = try await refusal { try await phone.enroll(foreign) }
        #expect(error.code == .untrusted || error.code == .invalidInvitation)
        #expect(await untouched)
    }

    @Test func `no character of a signed code can be changed`() async throws {
        let text = try await bank.simulator.createActivation(for: Bank.user).text
        for place in text.indices {
            var other = text
            other.replaceSubrange(place...place, with: text[place] == "A" ? "B" : "A")
            _ = try? await phone.enroll(.scanned(text: other))
        }
        #expect(await untouched)
        #expect(try await phone.authenticator.enrollments().isEmpty)
    }

    @Test(arguments: ["", "#", "#AAAA", "#!", "#\u{301}"])
    func `a scanned code needs a signature, and nothing behind the sign is an error`(
        _ end: String
    ) async throws {
        let code = try await bank.simulator.createActivation(for: Bank.user).code
        await #expect(throws: (any Error).self) {
            try await phone.enroll(.scanned(text: code + end))
        }
        #expect(await untouched)
    }

    @Test func `a typed code needs no signature, and typing slips are helped with`() async throws {
        let code = try await bank.simulator.createActivation(for: Bank.user).code
        let typed = code.lowercased().replacing("o", with: "0").replacing("i", with: "1")
        try await phone.enroll(.typed(text: typed))
        #expect(await bank.count(.activation) == 1)
    }

    @Test func `a typed code with a signature is held to it`() async throws {
        let one = try await bank.simulator.createActivation(for: Bank.user)
        let other = try await bank.simulator.createActivation(for: Bank.user)
        let signature = other.text.dropFirst(other.code.count)
        await #expect(throws: (any Error).self) {
            try await phone.enroll(.typed(text: one.code + signature))
        }
        #expect(await untouched)
    }

    @Test(arguments: [
        "R:W65WE-3T7VI-7FBS2-A4OYA", "W65WE-3T7VI-7FBS2-A4OYB", "W65WE-3T7VI7FBS2A4OYA",
        "W65WE-3T7VI-7FBS2-A4OY", "W65WE-3T7VI-7FBS2-A4OYA-", "", "https://a.example/?code=1",
        "AAAQE-AYEAU-DAOCA-JIICB",
    ])
    func `what isn't an activation code makes no offer`(_ text: String) throws {
        for invitation in [Invitation.typed(text: text), .scanned(text: text)] {
            let offers = try? phone.authenticator.offers(for: invitation)
            #expect(offers?.isEmpty != false)
        }
    }

    @Test(arguments: [
        "AAAQE-AYEAU-DAOCA-JIICA", "AAAAA-AAAAA-AAAAA-AAAAA", "MMMMM-MMMMM-MMMMM-MUTOA",
        "W65WE-3T7VI-7FBS2-A4OYA", "VVVVV-VVVVV-VVVVV-VTFVA",
    ])
    func `each published code makes an offer`(_ text: String) throws {
        #expect(try phone.authenticator.offers(for: .typed(text: text)).count == 1)
    }

    // MARK: The exchange

    @Test func `the server learns of the device what it should`() async throws {
        let id = try await phone.enroll().id
        let known = try await bank.record(id)
        #expect(known.deviceName == "Petra's phone")
        #expect(known.platform == "ios")
        #expect(known.deviceInfo?.isEmpty == false)
        // A temporary key serves both layers.
        #expect(await bank.count(.keystore) == 1)
        #expect(await bank.count(.activation) == 1)
    }

    @Test func `the user chooses a PIN before the code is spent`() async throws {
        await phone.customer.leave()
        let error = try await refusal { try await phone.enroll() }
        #expect(error.code == .cancelled)
        #expect(await untouched)
    }

    @Test func `the identifier keeps its case`() async throws {
        await bank.simulator.spoil(
            by: .replaced(
                member: "activationId", value: "C564E700-7e86-4A87-b6c8-a5a0cc89683f"),
            at: .activation)
        let enrollment = try? await phone.enroll()
        #expect(enrollment?.id.name == "C564E700-7e86-4A87-b6c8-a5a0cc89683f")
        let asked = try await bank.sent(.status)
        #expect(asked["activationId"] == "C564E700-7e86-4A87-b6c8-a5a0cc89683f")
    }

    @Test(arguments: [true, false])
    func `recovery codes and unknown members beside the reply do no harm`(
        _ isRecovery: Bool
    ) async throws {
        let value: JSON = ["recoveryCode": "R", "puk": "0123456789"]
        await bank.simulator.spoil(
            by: .replaced(member: isRecovery ? "activationRecovery" : "other", value: value),
            at: .activation)
        let id = try await phone.enroll().id
        try await bank.simulator.commit(id.name)
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
    }

    @Test(arguments: [
        "", "AA==",
        "BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB", "AA",
    ])
    func `a server key that is no point of the curve ends it`(_ key: String) async throws {
        await bank.simulator.spoil(
            by: .replaced(member: "serverPublicKey", value: .string(key)), at: .activation)
        await #expect(throws: PushError.self) { try await phone.enroll() }
        #expect(try await phone.authenticator.enrollments().isEmpty)
    }

    // MARK: The server's rules

    @Test func `a code that nobody made, and one that is too old, are refused`() async throws {
        let unknown = try await refusal {
            try await phone.enroll(.typed(text: "W65WE-3T7VI-7FBS2-A4OYA"))
        }
        #expect(unknown.code == .invalidInvitation)
        #expect(unknown.underlying as? PowerAuthErrorCode == .activation)
        let invitation = try await bank.simulator.invitation(for: Bank.user)
        phone.pass(301)
        let late = try await refusal { try await phone.enroll(invitation) }
        #expect(late.code == .invalidInvitation)
    }

    @Test func `a commit must come within the code's own time`() async throws {
        let id = try await phone.enroll().id
        phone.pass(301)
        #expect(try await phone.authenticator.refresh(id).state == .needsReenrollment)
    }

    @Test func `before the commit there is no token, and the status can be asked`() async throws {
        let id = try await phone.enroll().id
        _ = try? await phone.authenticator.deviceTokenChanged(.fcm("t"))
        _ = try? await phone.authenticator.pending(for: id)
        #expect(await bank.count(.tokenCreation) == 0)
        #expect(await bank.count(.list) == 0)
        guard case .pending(.comparison) = try await phone.authenticator.refresh(id).state else {
            Issue.record("It doesn't wait for the commit.")
            return
        }
        try await bank.simulator.commit(id.name)
        #expect(try await phone.authenticator.refresh(id).state == .active)
        try await phone.authenticator.resume()
        #expect(try await bank.record(id).deviceToken == .fcm("t"))
    }

    @Test func `a password is asked for where the app says so, and makes it active`() async throws {
        await bank.configure { $0.invitation.password = .onKeyExchange("246810") }
        let asking = try await PowerAuthHarness(of: bank) { $0.asksActivationOTP = true }
        #expect(try await asking.enroll().state == .active)
        let request = try #require(await asking.customer.requests.first)
        #expect(
            request.alternatives.allSatisfy { alternative in
                alternative.contains { if case .code = $0 { true } else { false } }
            })

        // Nobody asked, nothing sent: the server refuses what it has to.
        let error = try await refusal { try await phone.enroll() }
        #expect(error.code == .invalidInvitation)
    }

    @Test func `the fifth wrong password removes the activation`() async throws {
        await bank.configure { $0.invitation.password = .onKeyExchange("246810") }
        let customer = Customer()
        let asking = try await PowerAuthHarness(of: bank, customer: customer) {
            $0.asksActivationOTP = true
        }
        await customer.type(code: "000000")
        let invitation = try await bank.simulator.invitation(for: Bank.user)
        for _ in 0..<5 {
            let error = try await refusal { try await asking.enroll(invitation) }
            #expect(error.code == .invalidInvitation)
        }
        await customer.type(code: "246810")
        await #expect(throws: PushError.self) { try await asking.enroll(invitation) }
        #expect(await bank.simulator.activations(of: Bank.user).map(\.state) == [.removed])
    }

    // MARK: Removal

    @Test func `removing is signed with two factors, and ends both sides`() async throws {
        let id = try await phone.activated()
        try await phone.authenticator.remove(id)
        let header = try await bank.header("X-PowerAuth-Authorization", of: .removal)
        #expect(header["pa_signature_type"] == "possession_knowledge")
        #expect(try await bank.record(id).state == .removed)
        #expect(try await phone.authenticator.enrollments().isEmpty)
        for (key, bytes) in try await phone.disk.contents {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("possession"), "\(key.collection)")
        }
    }

    @Test func `wiping the device alone tells nobody, and is always possible`() async throws {
        let id = try await phone.activated()
        let sent = await bank.simulator.exchanges.count
        try await phone.manager(id).removeLocally()
        #expect(try await phone.authenticator.enrollments().isEmpty)
        #expect(await bank.simulator.exchanges.count == sent)
    }

    @Test func `one user may have several activations, each with keys of its own`() async throws {
        let one = try await phone.activated()
        let other = try await phone.activated()
        #expect(one != other)
        let operation = try await bank.simulator.createOperation(
            for: Bank.user, .payment, on: other.name
        ).id
        _ = try await phone.authenticator.pending(for: one)
        #expect(try await phone.ledger(operation, at: one) == nil)
        #expect(try await phone.approve(operation, at: other) == .delivered)
    }
}
