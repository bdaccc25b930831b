import Foundation
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// A user with two phones, and a finger that isn't the user's.
@Suite struct DeviceTests {
    @Test func `what one phone answered is over on the other`() async throws {
        let bank = Bank()
        let (one, other) = (
            try await PowerAuthHarness(of: bank), try await PowerAuthHarness(of: bank)
        )
        let first = try await one.activated(token: .fcm("one"))
        let second = try await other.activated(token: .fcm("other"))
        for resolution in [Resolution.approve, .deny(.unexpected)] {
            _ = await bank.simulator.takePushes()
            let operation = try await bank.ask()
            let challenge = try await one.open(operation, at: first)
            let rival = try await other.open(operation, at: second)
            let outcome = try await one.authenticator.resolve(challenge, with: resolution)
            #expect(outcome == .delivered)
            for push in await bank.simulator.takePushes() where push.deviceToken == .fcm("other") {
                _ = try await other.authenticator.receive(push.message())
            }
            guard case .over? = try await other.ledger(operation, at: second) else {
                Issue.record("It isn't over on the other phone.")
                continue
            }
            await #expect(throws: PushError.self) {
                _ = try await other.authenticator.resolve(rival, with: .approve)
            }
        }
    }

    @Test func `of two answers at once the server takes one, and the other is told`() async throws {
        let bank = Bank()
        let (one, other) = (
            try await PowerAuthHarness(of: bank), try await PowerAuthHarness(of: bank)
        )
        let (first, second) = (try await one.activated(), try await other.activated())
        let operation = try await bank.ask()
        let challenge = try await one.open(operation, at: first)
        let rival = try await other.open(operation, at: second)
        async let yes = one.authenticator.resolve(challenge, with: .approve)
        async let no = other.authenticator.resolve(rival, with: .deny(.unexpected))
        let outcomes = try await [yes, no]
        #expect(outcomes.count { $0 == .delivered } == 1)
        #expect(outcomes.count { $0 == .answeredElsewhere } == 1)
    }

    @Test func `a finger that unlocks another secret costs an attempt`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(
            of: bank, customer: Customer(finger: Customer.finger))
        let id = try await phone.activated()
        let stranger = Customer(finger: Secret(Array(repeating: 1, count: 32)))
        let held = try await PowerAuthHarness(of: bank, disk: phone.disk, customer: stranger)
        let outcome = try await held.approve(try await bank.ask(), at: id)
        #expect(outcome.refusal?.reason == .verification)
        #expect(outcome.refusal?.attemptsLeft == 4)
        let header = try await bank.header("X-PowerAuth-Authorization", of: .authorize)
        #expect(header["pa_signature_type"] == "possession_biometry")
    }

    @Test func `biometry that was given up signs nothing, and the PIN still does`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(
            of: bank, customer: Customer(finger: Customer.finger))
        let id = try await phone.activated()
        #expect(try await phone.manager(id).hasBiometry())
        try await phone.manager(id).removeBiometry()
        #expect(try await !phone.manager(id).hasBiometry())
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
        let header = try await bank.header("X-PowerAuth-Authorization", of: .authorize)
        #expect(header["pa_signature_type"] == "possession_knowledge")
    }

    @Test func `an approval by the device alone is sent again with a fresh signature`() async throws
    {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        let operation = try await bank.ask { $0.approval = .oneFactor }
        let challenge = try await phone.open(operation, at: id)
        await phone.fail(.authorize, .dropBefore)
        _ = try? await phone.authenticator.resolve(challenge, with: .approve)
        let again = try await phone.restarted()
        again.pass(3)
        let asked = await phone.customer.requests.count
        _ = try await again.authenticator.resume()
        #expect(try await bank.status(operation) == .approved)
        #expect(await phone.customer.requests.count == asked)
        #expect(try await again.ledger(operation, at: id) == .answered(.approve, .delivered))
    }

    @Test func `as many operations as a device holds are all found, and wait`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        for _ in 0..<64 { _ = try await bank.ask(.login) }
        let found = try await phone.authenticator.pending(for: id)
        #expect(found.compactMap(\.newNotice).count == 64)
        #expect(try await phone.authenticator.records().count { $0.state == .open } == 64)
    }

    @Test func `a blocked activation keeps what waits, and is answered once it's unblocked`()
        async throws
    {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        let operation = try await bank.ask()
        _ = try await phone.authenticator.pending(for: id)
        try await bank.simulator.block(id.name)
        _ = try? await phone.approve(operation, at: id)
        #expect(try await bank.status(operation) == .pending)
        try await bank.simulator.unblock(id.name)
        _ = try await phone.authenticator.refresh(id)
        #expect(try await phone.approve(operation, at: id) == .delivered)
        #expect(try await bank.record(id).failedAttempts == 0)
    }
}
