import Foundation
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// A phone that dies at any write of its storage, while it enrolls, reads, rejects or removes.
@Suite struct DeathTests {
    @Test(arguments: [false, true])
    func `death while enrolling leaves a whole enrollment or none`(_ isAfter: Bool) async throws {
        for write in 0..<30 {
            let bank = Bank()
            let phone = try await PowerAuthHarness(of: bank)
            await phone.disk.die(.init(write: write, isAfter: isAfter))
            _ = try? await phone.enroll()
            let died = await phone.disk.isDead
            let again = try await phone.restarted()
            _ = try await again.authenticator.resume()
            for enrollment in try await again.authenticator.enrollments() {
                try await bank.simulator.commit(enrollment.id.name)
                let state = try await again.authenticator.refresh(enrollment.id).state
                #expect(state == .active, "write \(write)")
                let outcome = try await again.approve(try await bank.ask(), at: enrollment.id)
                #expect(outcome == .delivered, "write \(write)")
            }
            // A code that was spent is no obstacle to the next.
            let new = try await again.activated()
            #expect(try await again.approve(try await bank.ask(), at: new) == .delivered)
            if !died { return }
        }
        Issue.record("Enrolling has no end.")
    }

    @Test(arguments: [false, true])
    func `death while rejecting loses no rejection and repeats no value`(
        _ isAfter: Bool
    ) async throws {
        for write in 0..<30 {
            let bank = Bank()
            let phone = try await PowerAuthHarness(of: bank)
            let id = try await phone.activated()
            let operation = try await bank.ask()
            _ = try await phone.authenticator.pending(for: id)
            await phone.disk.die(.init(write: write, isAfter: isAfter))
            _ = try? await phone.authenticator.deny(Challenge.ID(operation, of: id))
            let died = await phone.disk.isDead
            let again = try await phone.restarted()
            again.pass(2)
            _ = try await again.authenticator.resume()
            if try await again.ledger(operation, at: id) == .open {
                let outcome = try await again.authenticator.deny(Challenge.ID(operation, of: id))
                #expect(outcome == .delivered, "write \(write)")
            }
            #expect(try await bank.status(operation) == .rejected, "write \(write)")
            let counters = await bank.counters(of: id)
            #expect(Set(counters).count == counters.count, "write \(write)")
            if !died { return }
        }
        Issue.record("Rejecting has no end.")
    }

    @Test(arguments: [false, true])
    func `death while a token is made leaves a phone that reads`(_ isAfter: Bool) async throws {
        for write in 0..<12 {
            let bank = Bank()
            let phone = try await PowerAuthHarness(of: bank)
            let id = try await phone.activated()
            let operation = try await bank.ask()
            await phone.disk.die(.init(write: write, isAfter: isAfter))
            _ = try? await phone.authenticator.pending(for: id)
            let died = await phone.disk.isDead
            let again = try await phone.restarted()
            #expect(try await again.approve(operation, at: id) == .delivered, "write \(write)")
            let counters = await bank.counters(of: id)
            #expect(Set(counters).count == counters.count, "write \(write)")
            if !died { return }
        }
        Issue.record("Making a token has no end.")
    }

    @Test(arguments: [false, true])
    func `death while removing can be made up for`(_ isAfter: Bool) async throws {
        for write in 0..<20 {
            let bank = Bank()
            let phone = try await PowerAuthHarness(of: bank)
            let id = try await phone.activated()
            let possession = await bank.simulator.possessionKey(of: id.name)
            await phone.disk.die(.init(write: write, isAfter: isAfter))
            try? await phone.authenticator.remove(id)
            let died = await phone.disk.isDead
            let again = try await phone.restarted()
            if try await again.authenticator.enrollment(id) != nil {
                try await again.authenticator.remove(id)
            }
            #expect(try await again.authenticator.enrollments().isEmpty, "write \(write)")
            #expect(try await !again.disk.holds(possession), "write \(write)")
            #expect(try await bank.record(id).state == .removed, "write \(write)")
            if !died { return }
        }
        Issue.record("Removing has no end.")
    }

    @Test(arguments: [false, true])
    func `death while the PIN is changed leaves one of both PINs`(_ isAfter: Bool) async throws {
        for write in 0..<10 {
            let bank = Bank()
            let phone = try await PowerAuthHarness(of: bank)
            let id = try await phone.activated()
            await phone.disk.die(.init(write: write, isAfter: isAfter))
            try? await phone.manager(id).changePIN(
                from: Secret(Customer.pin.utf8), to: Secret("97531".utf8))
            let died = await phone.disk.isDead
            let again = try await phone.restarted()
            var right = 0
            for pin in [Customer.pin, "97531"] {
                do {
                    try await again.manager(id).validatePIN(Secret(pin.utf8))
                    right += 1
                } catch {}
            }
            #expect(right == 1, "write \(write)")
            if !died { return }
        }
        Issue.record("Changing a PIN has no end.")
    }
}
