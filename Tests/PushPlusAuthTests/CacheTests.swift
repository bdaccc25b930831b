import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPlusAuth

/// What the plugin keeps in memory is a cache: dropped at any moment, nothing comes out otherwise.
@Suite(.timeLimit(.minutes(10))) struct CacheTests {
    /// What becomes of a push that names no account, so that all are searched.
    enum Story: String, CaseIterable, CustomTestStringConvertible {
        case enrolled, approved, denied, refused, forged

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
        case .enrolled: ["found", "active"]
        case .approved, .denied: ["found", "delivered"]
        case .refused: ["found", "answeredElsewhere"]
        case .forged: ["untrusted", "found", "delivered"]
        }
    }

    private func tell(_ story: Story, _ dropper: CacheDropper) async throws -> [String] {
        let harness = try PlusAuthHarness(dropping: dropper)
        if story == .enrolled { await dropper.watch(harness.provider.dropCaches) }
        try await harness.authenticator.deviceTokenChanged(.fcm(WorkedExample.deviceToken))
        for name in ["ada", "bob", "eve"] {
            try await harness.enroll(.account(name), token: nil)
        }
        if story != .enrolled { await dropper.watch(harness.provider.dropCaches) }
        // The oldest, which is tried last.
        let key = try #require(await harness.enrollments().first).key()
        var told: [String] = []
        if story == .forged {
            let forged = try nameless(.stranger(), "forged").message()
            told.append("\(try await harness.refusal(of: forged).code)")
        }
        let challenge = try await harness.challenge(nameless(key, "ctx"))
        told.append(challenge.id.enrollment.name == key.id ? "found" : "another's")
        guard story != .enrolled else {
            return told + ["\(try await harness.account().state)"]
        }
        if story == .refused { await harness.server.refuse(409) }
        let outcome = try await harness.authenticator.resolve(
            challenge, with: story == .denied ? .deny(.unexpected) : .approve)
        return told + ["\(outcome)"]
    }

    /// A push that names no key, and says nothing of the user.
    private func nameless(_ key: AccountKey, _ token: String) -> ContextJWT {
        ContextJWT(key, token: token).with(header: "kid", nil)
    }
}
