import PushCore
import PushTesting
import Testing

@testable import PushForgeRock

/// What the plugin keeps in memory is a cache: dropped at any moment, nothing comes out otherwise.
@Suite(.timeLimit(.minutes(10))) struct CacheTests {
    /// What becomes of a push.
    enum Story: String, CaseIterable, CustomTestStringConvertible {
        case approved, denied, repeated, forged

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
        case .approved, .denied: ["new", "delivered"]
        case .repeated: ["new", "known", "delivered"]
        case .forged: ["new", "untrusted", "delivered"]
        }
    }

    private func tell(_ story: Story, _ dropper: CacheDropper) async throws -> [String] {
        let harness = try ForgeRockHarness(dropping: dropper)
        await dropper.watch(harness.provider.dropCaches)
        try await harness.enroll(EnrollmentCode().text)
        var told: [String] = []
        func receive(_ push: AMPush) async throws -> Challenge.ID {
            let reception = try #require(await harness.authenticator.receive(push.message()).first)
            told.append(reception.isNew ? "new" : "known")
            return try #require(reception.challenge)
        }
        let id = try await receive(AMPush())
        if story == .repeated { _ = try await receive(AMPush()) }
        if story == .forged {
            let forged = try AMPush().signed(by: WorkedExample.secret.reversed()).message()
            told.append(
                "\(try await refusal { _ = try await harness.authenticator.receive(forged) }.code)")
        }
        let challenge = try await harness.authenticator.challenge(id)
        let outcome = try await harness.authenticator.resolve(
            challenge, with: story == .denied ? .deny(.unexpected) : .approve)
        return told + ["\(outcome)"]
    }

    @Test func `a record that another process changed counts for the next push`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let other = try ForgeRockHarness(sharing: harness)
        _ = try await harness.authenticator.receive(AMPush().message())
        let key = Array(WorkedExample.secret.reversed())
        try await other.provider.vault.update(harness.enrollmentID) {
            (credential) throws(PushError) in
            var record = try SecretRecord(reading: credential.secret)
            record.secrets = [Secret(key)]
            credential.secret = record.sealed
        }
        let old = try AMPush().message()
        let error = try await refusal { _ = try await harness.authenticator.receive(old) }
        #expect(error.code == .untrusted)
        let new = try AMPush().signed(by: key).message()
        #expect(try await harness.authenticator.receive(new).count == 1)
    }

    @Test func `a push for an enrollment that another process removed is nobody's`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let other = try ForgeRockHarness(sharing: harness)
        _ = try await harness.authenticator.receive(AMPush().message())
        try await other.provider.vault.delete(harness.enrollmentID)
        let push = try AMPush().message()
        let error = try await refusal { _ = try await harness.authenticator.receive(push) }
        #expect(error.code == .unknownEnrollment)
    }

    @Test func `what was removed isn't kept in memory`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        _ = try await harness.authenticator.receive(AMPush().message())
        #expect(await harness.provider.credentials.count == 1)
        try await harness.authenticator.remove(harness.enrollmentID, from: .device)
        #expect(await harness.provider.credentials.count == 0)
    }

    @Test func `only the newest few credentials are kept, each by all of its bytes`() async throws {
        let credentials = ReadCredentials()
        for number in 0..<20 {
            let fields: JSON.Object = [
                "r": "https://am.example/r", "a": "https://am.example/a",
                "d": .string("user\(number)"),
            ]
            let sealed = SecretRecord(fields: fields, secrets: [Secret([1, 2, 3])]).sealed
            for _ in 0..<2 {
                #expect(try await credentials.credential(in: sealed).user == "user\(number)")
            }
        }
        #expect(await credentials.count == 8)
        await credentials.dropCaches()
        #expect(await credentials.count == 0)
    }
}
