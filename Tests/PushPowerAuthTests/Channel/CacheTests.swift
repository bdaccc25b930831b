import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

/// What the channel keeps in memory is a cache: dropped at any moment, nothing comes out otherwise.
@Suite(.timeLimit(.minutes(10))) struct CacheTests {
    /// What a user goes through.
    enum Story: String, CaseIterable, CustomTestStringConvertible {
        case activated, approved, denied, wrongPIN, namelessPush, removed

        var testDescription: String { rawValue }
    }

    @Test(arguments: Story.allCases)
    func `whatever is dropped at whichever moment, the same comes of it`(
        story: Story
    ) async throws {
        try await CacheDropper.check(
            that: { try await tell(story, $0) }, ends: expected(of: story))
    }

    private func expected(of story: Story) -> [String] {
        switch story {
        case .activated: ["active", "registered"]
        case .approved: ["delivered", "approved"]
        case .denied: ["delivered", "rejected"]
        case .wrongPIN: ["wrong, 4 left", "delivered", "approved"]
        case .namelessPush: ["1 new", "delivered", "rejected"]
        case .removed: ["blocked", "gone"]
        }
    }

    private func tell(_ story: Story, _ dropper: CacheDropper) async throws -> [String] {
        // The server's time is another than the device's: it comes with the keys that are kept.
        let phone = try await PowerAuthHarness(setup: .init(skew: 600, dropper: dropper))
        if story == .activated {
            await dropper.watch(phone.provider.channel.dropCaches)
            let id = try await phone.activated()
            let failures = try await phone.authenticator.deviceTokenChanged(.fcm("a-token"))
            return [
                "\(try await phone.state(id) ?? .needsReenrollment)",
                failures.isEmpty ? "registered" : "\(failures)",
            ]
        }
        let id = try await phone.activated()
        await dropper.watch(phone.provider.channel.dropCaches)
        switch story {
        case .namelessPush: return try await pushed(phone)
        case .removed: return try await removed(phone, id)
        default: return try await answered(phone, id, story)
        }
    }

    private func answered(
        _ phone: PowerAuthHarness, _ id: Enrollment.ID, _ story: Story
    ) async throws -> [String] {
        let challenge = try await phone.opened(at: id)
        var told: [String] = []
        if story == .wrongPIN {
            await phone.customer.type("9999")
            let outcome = try await phone.authenticator.resolve(challenge, with: .approve)
            if case .notTaken(let refusal) = outcome, refusal.reason == .verification {
                told.append("wrong, \(refusal.attemptsLeft ?? 0) left")
            }
            await phone.customer.type(Customer.pin)
        }
        let outcome = try await phone.authenticator.resolve(
            challenge, with: story == .denied ? .deny(.unexpected) : .approve)
        return told + ["\(outcome)", "\(try await phone.bank.status(challenge.id))"]
    }

    /// A push that names no activation leads to the one that is there.
    private func pushed(_ phone: PowerAuthHarness) async throws -> [String] {
        let operation = try await phone.simulator.createOperation(for: Bank.user, .payment)
        let message = PushMessage(fcm: [
            "messageType": "mtoken.operationInit", "operationName": "login",
            "operationId": operation.id,
        ])
        let found = try await phone.authenticator.receive(message)
        let id = try #require(found.first?.challenge)
        let outcome = try await phone.authenticator.deny(id)
        return [
            "\(found.count { $0.isNew }) new", "\(outcome)",
            "\(try await phone.bank.status(id))",
        ]
    }

    /// The server takes nothing from a blocked activation, so it ends on the device alone.
    private func removed(_ phone: PowerAuthHarness, _ id: Enrollment.ID) async throws -> [String] {
        try await phone.simulator.block(id.name)
        let refusal = await code { try await phone.authenticator.remove(id) }
        return [
            refusal.map { "\($0)" } ?? "done",
            try await phone.authenticator.enrollments().isEmpty ? "gone" : "left",
        ]
    }
}
