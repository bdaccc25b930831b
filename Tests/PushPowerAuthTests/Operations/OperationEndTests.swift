import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// How operations end, and what a lost reply leaves: `docs/vendors/powerauth.md#errors`.
@Suite struct OperationEndTests: ServedSuite {
    let served: Served

    init() async throws { served = try await Served() }

    // MARK: How it ends

    @Test(arguments: [
        (PowerAuthSimulator.OperationStatus.approved, Outcome.answeredElsewhere),
        (.canceled, .cancelled), (.expired, .expired), (.failed, .answeredElsewhere),
    ])
    func `an approval that comes too late hears how it ended`(
        _ end: PowerAuthSimulator.OperationStatus, _ expected: Outcome
    ) async throws {
        for resolution in [Resolution.approve, .deny(.unexpected)] {
            let operation = try await bank.ask()
            let challenge = try await phone.open(operation, at: id)
            switch end {
            case .approved: try await bank.simulator.approveElsewhere(operation)
            case .canceled: try await bank.simulator.cancelOperation(operation)
            case .expired: try await bank.simulator.expireOperation(operation)
            default: try await bank.simulator.failOperation(operation)
            }
            let outcome = try await phone.authenticator.resolve(challenge, with: resolution)
            if end == .failed {
                // What failed wasn't answered; the core has no word of its own for it.
                #expect(outcome != .delivered)
            } else {
                #expect(outcome == expected, "\(resolution)")
            }
            #expect(try await phone.ledger(operation, at: id) != .open)
        }
        #expect(try await bank.record(id).failedAttempts == 0)
    }

    @Test func `what is over elsewhere can't be opened`() async throws {
        let operation = try await bank.ask()
        _ = try await phone.deliver()
        try await bank.simulator.cancelOperation(operation, because: "NO_FUNDS")
        let error = try await refusal {
            _ = try await phone.authenticator.challenge(Challenge.ID(operation, of: id))
        }
        #expect(error.code == .over)
        #expect(error.ends == .cancelled)
        let end = try #require(error.underlying as? PowerAuthOperationEnd)
        #expect(end.reason == .cancelled)
        #expect(end.status == .canceled)
        #expect(end.statusReason == "NO_FUNDS")
    }

    @Test func `an operation that ran out by the server's clock is over`() async throws {
        let operation = try await bank.ask { $0.lifetime = .seconds(30) }
        _ = try await phone.deliver()
        phone.pass(31)
        let error = try await refusal {
            _ = try await phone.authenticator.challenge(Challenge.ID(operation, of: id))
        }
        #expect(error.code == .over)
        #expect(await bank.count(.authorize) == 0)
    }

    @Test(arguments: [-3600.0, 3600.0])
    func `expiry is judged by the server's clock, not the phone's`(
        _ skew: TimeInterval
    ) async throws {
        let wrong = try await PowerAuthHarness(of: bank, skew: skew)
        let other = try await wrong.activated()
        let operation = try await bank.ask { $0.lifetime = .seconds(60) }
        let found = try await wrong.authenticator.pending(for: other)
        guard case .notice(_, let validity)? = found.first?.kind else {
            Issue.record("It isn't announced.")
            return
        }
        #expect(validity == .valid)
        #expect(try await wrong.approve(operation, at: other) == .delivered)
    }

    @Test(arguments: [
        ("INVALID_REQUEST", 400), ("INVALID_APPLICATION", 400), ("ERROR_GENERIC", 500),
        ("REMOTE_COMMUNICATION_ERROR", 409), ("SOMETHING_NEW", 400),
    ])
    func `an error that says nothing of the operation ends nothing`(
        _ code: String, _ status: Int
    ) async throws {
        let operation = try await bank.ask()
        let challenge = try await phone.open(operation, at: id)
        await bank.simulator.spoil(by: .refusal(status: status, code: code), at: .authorize)
        _ = try? await phone.authenticator.resolve(challenge, with: .approve)
        #expect(try await bank.record(id).failedAttempts == 0)
        let again = try await phone.restarted()
        _ = try await again.authenticator.resume()
        if try await bank.status(operation) == .pending {
            _ = try? await again.approve(operation, at: id)
        }
        #expect(await bank.count(.authorize) <= 2)
        guard case .over? = try await again.ledger(operation, at: id) else { return }
        Issue.record("\(code) isn't an end.")
    }

    @Test(arguments: [
        ("OPERATION_ALREADY_FINISHED", 400), ("OPERATION_ALREADY_FAILED", 400),
        ("OPERATION_ALREADY_CANCELED", 400), ("OPERATION_EXPIRED", 400), ("OPERATION_FAILED", 401),
    ])
    func `no answer that refuses is taken for a delivery`(
        _ code: String, _ status: Int
    ) async throws {
        for (call, resolution) in [
            (Bank.Call.authorize, Resolution.approve), (.cancel, .deny(.unexpected)),
        ] {
            let operation = try await bank.ask()
            let challenge = try await phone.open(operation, at: id)
            await bank.simulator.spoil(by: .refusal(status: status, code: code), at: call)
            let outcome = try? await phone.authenticator.resolve(challenge, with: resolution)
            #expect(outcome != .delivered)
            #expect(try await bank.status(operation) == .pending)
        }
    }

    @Test func `too many wrong approvals make the operation fail`() async throws {
        let operation = try await bank.ask { $0.maximumFailures = 2 }
        await phone.customer.type("0000")
        _ = try await phone.approve(operation, at: id)
        _ = try? await phone.approve(operation, at: id)
        #expect(try await bank.status(operation) == .failed)
        await phone.customer.type(Customer.pin)
        let outcome = try? await phone.approve(operation, at: id)
        #expect(outcome != .delivered)
        #expect(try await phone.ledger(operation, at: id) != .open)
        #expect(try await bank.record(id).failedAttempts == 2)
    }

    // MARK: Lost replies

    @Test(arguments: [FaultPlan.Fault.dropAfter, .status(502), .truncate(3)])
    func `an approval whose reply was lost isn't sent again without the user`(
        _ fault: FaultPlan.Fault
    ) async throws {
        let operation = try await bank.ask()
        let challenge = try await phone.open(operation, at: id)
        await phone.fail(.authorize, fault)
        let outcome = try? await phone.authenticator.resolve(challenge, with: .approve)
        let arrived = await bank.count(.authorize)
        let again = try await phone.restarted()
        _ = try await again.authenticator.resume()
        #expect(await bank.count(.authorize) == arrived)
        let state = try await again.ledger(operation, at: id)
        #expect(state != .open, "\(String(describing: outcome))")
        if case .answered(_, .delivered)? = state {
            #expect(try await bank.status(operation) == .approved)
        }
    }

    @Test func `a rejection whose reply was lost is sent again with a fresh signature`()
        async throws
    {
        let operation = try await bank.ask()
        let challenge = try await phone.open(operation, at: id)
        await phone.fail(.cancel, .dropBefore)
        _ = try? await phone.authenticator.resolve(challenge, with: .deny(.unexpected))
        let again = try await phone.restarted()
        again.clock.advance(by: .seconds(3))
        bank.clock.advance(by: .seconds(3))
        _ = try await again.authenticator.resume()
        #expect(try await bank.status(operation) == .rejected)
        let counters = await bank.counters(of: id)
        #expect(Set(counters).count == counters.count)
    }

    @Test func `a rejection that arrived isn't another's`() async throws {
        let operation = try await bank.ask()
        let challenge = try await phone.open(operation, at: id)
        await phone.fail(.cancel, .dropAfter)
        _ = try? await phone.authenticator.resolve(challenge, with: .deny(.unexpected))
        let again = try await phone.restarted()
        again.clock.advance(by: .seconds(3))
        bank.clock.advance(by: .seconds(3))
        _ = try await again.authenticator.resume()
        guard case .answered(_, let outcome)? = try await again.ledger(operation, at: id) else {
            Issue.record("It has no end.")
            return
        }
        #expect(outcome != .answeredElsewhere)
        #expect(outcome != .cancelled)
    }
}
