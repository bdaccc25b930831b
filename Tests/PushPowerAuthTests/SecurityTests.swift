import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// What is required of a client. Where another suite has the whole of a requirement, there is the
/// shortest case here.
@Suite struct SecurityTests {
    let bank = Bank()
    let phone: PowerAuthHarness
    let id: Enrollment.ID

    init() async throws {
        phone = try await PowerAuthHarness(of: bank)
        id = try await phone.activated(token: .fcm("t"))
        _ = await bank.simulator.takePushes()
    }

    @Test func `codes and keys that the server didn't sign are refused`() async throws {
        let stranger = try await Bank(seed: 4).simulator.invitation(for: "x")
        await #expect(throws: PushError.self) { try await phone.enroll(stranger) }
        await bank.simulator.forgetTemporaryKeys()
        let other = try await PowerAuthHarness(of: bank)
        await bank.simulator.spoil(
            by: .replaced(member: "challenge", value: "AAECAwQFBgcICQoLDA0ODxAR"), at: .keystore)
        await #expect(throws: PushError.self) { try await other.enroll() }
    }

    @Test func `the fingerprint is there before the commit, and after it`() async throws {
        let enrollment = try await phone.enroll()
        let known = try #require(try await bank.record(enrollment.id).fingerprint)
        #expect(enrollment.state == .pending(.comparison(code: known)))
        #expect(try await phone.manager(enrollment.id).fingerprint() == known)
        let again = try await phone.restarted()
        #expect(try await again.state(enrollment.id) == .pending(.comparison(code: known)))
        try await bank.simulator.commit(enrollment.id.name)
        _ = try await again.authenticator.refresh(enrollment.id)
        #expect(try await again.manager(enrollment.id).fingerprint() == known)
    }

    @Test func `only the server's word on attempts is shown, and one bad answer wipes nothing`()
        async throws
    {
        await phone.customer.type("0000")
        await phone.fail(.status, .refuse, times: 5)
        let operation = try await bank.ask()
        let challenge = try await phone.open(operation, at: id)
        let outcome = try? await phone.authenticator.resolve(challenge, with: .approve)
        #expect(outcome?.refusal?.attemptsLeft == nil)
        #expect(try await phone.state(id) == .active)
        let again = try await phone.restarted()
        await again.customer.type(Customer.pin)
        #expect(try await again.approve(try await bank.ask(), at: id) == .delivered)
    }

    @Test func `on REMOVED the keys go, and a new activation is needed`() async throws {
        try await bank.simulator.remove(id.name)
        _ = try await phone.authenticator.refresh(id)
        #expect(try await phone.state(id) == .needsReenrollment)
        let sent = await bank.simulator.exchanges.count
        _ = try? await phone.authenticator.pending(for: id)
        #expect(
            await bank.simulator.exchanges.dropFirst(sent).allSatisfy {
                $0.request.path == Bank.Call.status.rawValue
            })
        let new = try await phone.activated()
        #expect(new != id)
        #expect(try await phone.approve(try await bank.ask(), at: new) == .delivered)
    }

    @Test(arguments: [FaultPlan.Fault.dropBefore, .dropAfter, .status(503), .status(429), .refuse])
    func `a signature with a PIN is never sent again by itself`(
        _ fault: FaultPlan.Fault
    ) async throws {
        await phone.customer.type("0000")
        let operation = try await bank.ask()
        let challenge = try await phone.open(operation, at: id)
        await phone.fail(.authorize, fault)
        _ = try? await phone.authenticator.resolve(challenge, with: .approve)
        let sent = await bank.count(.authorize)
        let again = try await phone.restarted()
        for _ in 0..<4 {
            again.pass(60)
            _ = try await again.authenticator.resume()
            _ = try await again.authenticator.pending(for: id)
        }
        #expect(await bank.count(.authorize) == sent)
        #expect(try await bank.record(id).failedAttempts <= 1)
    }

    @Test func `a PIN is tried at the server with two factors`() async throws {
        try await phone.manager(id).validatePIN(Secret(Customer.pin.utf8))
        let header = try await bank.header("X-PowerAuth-Authorization", of: .validation)
        #expect(header["pa_signature_type"] == "possession_knowledge")
        await #expect(throws: PushError.self) {
            try await phone.manager(id).validatePIN(Secret("0000".utf8))
        }
        #expect(try await bank.record(id).failedAttempts == 1)
    }

    @Test func `the counter is on disk before the request is on the wire`() async throws {
        let operation = try await bank.ask()
        let challenge = try await phone.open(operation, at: id)
        let before: Secret = try await phone.account(id).credential()
        await phone.fail(.authorize, .refuse)
        _ = try? await phone.authenticator.resolve(challenge, with: .approve)
        let after: Secret = try await phone.account(id).credential()
        #expect(after.array != before.array)
        #expect(await bank.count(.authorize) == 0)
    }

    @Test func `a second process takes its own values`() async throws {
        let watch = try await phone.another()
        for process in [phone, watch, phone, watch] {
            #expect(try await process.approve(try await bank.ask(), at: id) == .delivered)
        }
        let counters = await bank.counters(of: id)
        #expect(counters == counters.sorted())
        #expect(Set(counters).count == counters.count)
    }

    @Test func `nothing goes out over plain HTTP`() async throws {
        #expect(await bank.simulator.exchanges.allSatisfy { $0.request.scheme == "https" })
    }

    @Test func `what is shown is made safe, and what is signed is untouched`() async throws {
        let operation = try await bank.ask {
            $0.title = "Pay\u{202E}ment\u{7}"
            $0.message = "<b>You</b>\u{200B}"
            $0.data = "A1*A1EUR*N\u{202E}abc"
        }
        let challenge = try await phone.open(operation, at: id)
        for field in challenge.fields {
            #expect(!(field.label + field.value).unicodeScalars.contains("\u{202E}"))
            #expect(!(field.label + field.value).unicodeScalars.contains("\u{7}"))
        }
        #expect(try await phone.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await bank.sent(.authorize)["data"] == "A1*A1EUR*N\u{202E}abc")
    }

    @Test func `factors are asked for at every approval`() async throws {
        for number in 1...3 {
            let before = await phone.customer.requests.count
            #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
            #expect(await phone.customer.requests.count == before + 1, "\(number)")
        }
    }

    @Test func `a push leads to questions alone`() async throws {
        let sent = await bank.simulator.exchanges.count
        let operation = try await bank.ask()
        try await phone.deliver()
        try await bank.simulator.cancelOperation(operation)
        try await phone.deliver()
        let readings: Set<String?> = Set(
            [Bank.Call.list, .detail, .status, .keystore, .tokenCreation].map(\.rawValue))
        for exchange in await bank.simulator.exchanges.dropFirst(sent) {
            #expect(readings.contains(exchange.request.path))
        }
    }

    @Test func `an app may veto each signature`() async throws {
        await phone.customer.leave()
        let operation = try await bank.ask()
        let error = try await refusal { _ = try await phone.approve(operation, at: id) }
        #expect(error.code == .cancelled)
        #expect(await bank.count(.authorize) == 0)
        #expect(try await phone.ledger(operation, at: id) == .open)
    }

    @Test func `biometry that isn't listed signs nothing`() async throws {
        let customer = Customer(finger: Customer.finger)
        let other = try await PowerAuthHarness(of: bank, customer: customer)
        let mine = try await other.activated()
        await customer.prefer(finger: true)
        let operation = try await bank.simulator.createOperation(
            for: Bank.user,
            {
                var template = Bank.Template.payment
                template.approval = .twoFactors([.possessionKnowledge])
                return template
            }(), on: mine.name
        ).id
        #expect(try await other.approve(operation, at: mine) == .delivered)
        let header = try await bank.header("X-PowerAuth-Authorization", of: .authorize)
        #expect(header["pa_signature_type"] == "possession_knowledge")
    }
}
