import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// No value of a counter is used twice, whatever happens: `docs/vendors/powerauth.md#the-counter`.
/// Checked by what the server was sent.
@Suite struct CounterUseTests {
    @Test func `fifty approvals at once arrive in the counter's order`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        var operations: [String] = []
        for _ in 0..<50 { operations.append(try await bank.ask()) }
        _ = try await phone.authenticator.pending(for: id)
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            for operation in operations {
                group.addTask {
                    let challenge = try await phone.authenticator.challenge(
                        Challenge.ID(operation, of: id))
                    return try await phone.authenticator.resolve(challenge, with: .approve)
                }
            }
            for try await outcome in group { #expect(outcome == .delivered) }
        }
        for operation in operations { #expect(try await bank.status(operation) == .approved) }
        let counters = await bank.counters(of: id)
        #expect(counters == Array(0...50))
        #expect(await bank.requests(.authorize).allSatisfy { $0.status == 200 })
    }

    @Test func `two processes on one storage never use one value twice`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        let other = try await phone.another()
        // Values may overtake each other on their way, which costs attempts.
        await bank.configure {
            $0.maximumFailedAttempts = 64
            $0.lookAhead = 64
        }
        var operations: [String] = []
        for _ in 0..<24 { operations.append(try await bank.ask { $0.maximumFailures = 99 }) }
        _ = try await phone.authenticator.pending(for: id)
        await withTaskGroup(of: Void.self) { group in
            for (index, operation) in operations.enumerated() {
                let process = index.isMultiple(of: 2) ? phone : other
                group.addTask {
                    _ = try? await process.approve(operation, at: id)
                    _ = try? await process.authenticator.deny(Challenge.ID(operation, of: id))
                }
            }
        }
        let counters = await bank.counters(of: id)
        #expect(counters.count >= 24)
        #expect(Set(counters).count == counters.count)
    }

    @Test(arguments: [false, true])
    func `death at any write of an approval repeats no value and loses no approval`(
        _ isAfter: Bool
    ) async throws {
        for write in 0..<40 {
            let bank = Bank()
            let phone = try await PowerAuthHarness(of: bank)
            let id = try await phone.activated()
            let operation = try await bank.ask()
            let challenge = try await phone.open(operation, at: id)
            await phone.disk.die(.init(write: write, isAfter: isAfter))
            let outcome = try? await phone.authenticator.resolve(challenge, with: .approve)
            if await !phone.disk.isDead {
                #expect(outcome == .delivered)
                #expect(write > 1, "An approval that writes nothing first.")
                return
            }
            let again = try await phone.restarted()
            _ = try await again.authenticator.resume()
            if try await bank.status(operation) == .pending {
                #expect(
                    try await again.approve(operation, at: id) == .delivered, "write \(write)")
            }
            #expect(try await bank.status(operation) == .approved, "write \(write)")
            // The next one is taken, too: the gap is within what the server looks over.
            #expect(try await again.approve(try await bank.ask(), at: id) == .delivered)
            let counters = await bank.counters(of: id)
            #expect(Set(counters).count == counters.count, "write \(write)")
            #expect(try await bank.record(id).failedAttempts == 0)
        }
        Issue.record("An approval has no end.")
    }

    @Test func `a death between the counter's write and the request leaves a gap alone`()
        async throws
    {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        let operation = try await bank.ask()
        let challenge = try await phone.open(operation, at: id)
        await phone.fail(.authorize, .refuse)
        _ = try? await phone.authenticator.resolve(challenge, with: .approve)
        #expect(await bank.count(.authorize) == 0)
        let again = try await phone.restarted()
        _ = try await again.authenticator.resume()
        #expect(await bank.count(.authorize) == 0, "The user must verify again.")
        let asked = await phone.customer.requests.count
        #expect(try await again.approve(operation, at: id) == .delivered)
        #expect(await phone.customer.requests.count == asked + 1)
        // 0 made the token, 1 was lost.
        #expect(await bank.counters(of: id) == [0, 2])
    }

    @Test func `what can't be written isn't sent`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        let operation = try await bank.ask()
        let challenge = try await phone.open(operation, at: id)
        let sent = await bank.simulator.exchanges.count
        await phone.disk.refuseWrites { key in
            key.collection == "enrollment" ? PushError(.storage, "Full.") : nil
        }
        for resolution in [Resolution.approve, .deny(.unexpected)] {
            _ = try? await phone.authenticator.resolve(challenge, with: resolution)
        }
        let later = await bank.simulator.exchanges.dropFirst(sent)
        #expect(later.allSatisfy { $0.request.headerFields[.authorization] == nil })
        #expect(await bank.count(.authorize) == 0)
        #expect(await bank.count(.cancel) == 0)
    }

    @Test func `an offline answer uses a value up, too`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
        let code = try await bank.simulator.createOfflineCode(
            .init(operation: "1", title: "T", message: "M", data: "A2"), for: id.name)
        let message = PushMessage(text: code.text, by: .scanned)
        let notice = try #require(
            try await phone.authenticator.receive(message).compactMap(\.newNotice).first)
        let challenge = try await phone.authenticator.challenge(notice.id)
        guard case .code = try await phone.authenticator.resolve(challenge, with: .approve) else {
            Issue.record("It has no code.")
            return
        }
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
        #expect(await bank.counters(of: id) == [0, 1, 3])
    }

    @Test func `more lost requests than the server looks over end in no deadlock`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        for _ in 0..<30 {
            let operation = try await bank.ask()
            let challenge = try await phone.open(operation, at: id)
            await phone.fail(.cancel, .refuse)
            _ = try? await phone.authenticator.resolve(challenge, with: .deny(.unexpected))
            _ = try? await phone.authenticator.refresh(id)
        }
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
        #expect(try await phone.state(id) == .active)
        let counters = await bank.counters(of: id)
        #expect(Set(counters).count == counters.count)
        // The server followed by what costs nothing.
        let validation = try #require(await bank.requests(.validation).last)
        #expect(
            try JSON(parsing: validation.body)["requestObject"]?["reason"]
                == "COUNTER_SYNCHRONIZATION")
        let header = try await bank.header("X-PowerAuth-Authorization", of: .validation)
        #expect(header["pa_signature_type"] == "possession")
    }

    // MARK: What a server counts

    @Test func `a wrong PIN costs one attempt, is sent once, and may be corrected`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        let operation = try await bank.ask()
        let challenge = try await phone.open(operation, at: id)
        await phone.customer.type("0000")
        let outcome = try await phone.authenticator.resolve(challenge, with: .approve)
        #expect(
            outcome.refusal == .init(.verification, mayRetry: true, attemptsLeft: 4, status: 401))
        #expect(await bank.count(.authorize) == 1)
        #expect(try await bank.record(id).failedAttempts == 1)
        #expect(try await phone.ledger(operation, at: id) == .open)

        // A right signature of the device alone keeps the count, one with the PIN ends it.
        let other = Challenge.ID(try await waiting(phone, id), of: id)
        #expect(try await phone.authenticator.deny(other) == .delivered)
        #expect(try await bank.record(id).failedAttempts == 1)
        await phone.customer.type(Customer.pin)
        #expect(try await phone.approve(operation, at: id) == .delivered)
        #expect(try await bank.record(id).failedAttempts == 0)
    }

    private func waiting(_ phone: PowerAuthHarness, _ id: Enrollment.ID) async throws -> String {
        let operation = try await phone.bank.ask()
        _ = try await phone.authenticator.pending(for: id)
        return operation
    }

    @Test func `the fifth wrong PIN blocks, the back office unblocks, and removal ends it`()
        async throws
    {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated(token: .fcm("phone-1"))
        let operation = try await bank.ask { $0.maximumFailures = 99 }
        _ = await bank.simulator.takePushes()
        await phone.customer.type("0000")
        for left in [4, 3, 2, 1] {
            let outcome = try await phone.approve(operation, at: id)
            #expect(outcome.refusal?.attemptsLeft == left)
            #expect(outcome.refusal?.mayRetry == true)
        }
        let last = try await phone.approve(operation, at: id)
        #expect(last.refusal?.reason == .verification)
        #expect(last.refusal?.mayRetry == true)
        #expect(try await bank.record(id).state == .blocked)
        guard case .blocked? = try await phone.state(id) else {
            Issue.record("The state isn't on record.")
            return
        }
        // No more signatures with a PIN while it is blocked.
        await phone.customer.type(Customer.pin)
        let sent = await bank.count(.authorize)
        _ = try? await phone.approve(operation, at: id)
        #expect(await bank.count(.authorize) == sent)

        try await bank.simulator.unblock(id.name)
        try await phone.deliver()
        #expect(try await phone.state(id) == .active)
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)

        try await bank.simulator.remove(id.name)
        #expect(try await phone.authenticator.refresh(id).state == .needsReenrollment)
    }

    @Test func `a refusal of the device's own signature says nothing of a PIN`() async throws {
        let bank = Bank()
        let phone = try await PowerAuthHarness(of: bank)
        let id = try await phone.activated()
        let operation = try await bank.ask()
        _ = try await phone.open(operation, at: id)
        await bank.simulator.spoil(
            by: .refusal(status: 401, code: "POWERAUTH_AUTH_FAIL"), at: .cancel)
        let outcome = try? await phone.authenticator.deny(Challenge.ID(operation, of: id))
        #expect(outcome?.refusal?.reason != .verification)
        #expect(try await bank.record(id).failedAttempts == 0)
        #expect(try await phone.state(id) == .active)
        if case .over = try await phone.ledger(operation, at: id) {
            Issue.record("A refusal isn't the end of an operation that waits.")
        }
    }
}

extension Outcome {
    var refusal: Refusal? {
        if case .notTaken(let refusal) = self { refusal } else { nil }
    }
}
