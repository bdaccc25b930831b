import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// Keys that are kept ready to verify pushes: none outlives what the credential says.
@Suite struct VerificationKeysTests {
    @Test func `a key that was used verifies nothing once its credential has another`() async throws
    {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        let id = try await harness.account().id
        try await harness.enroll(EnrollmentCode(label: "Acme%20Bank:bob"))
        let other = try await harness.key()
        #expect(key.id != other.id)

        func isGenuine(_ token: String) async throws -> Bool {
            do {
                return try await !harness.authenticator.receive(
                    ContextJWT(key, token: token).message()
                ).isEmpty
            } catch let error as PushError where error.code == .untrusted {
                return false
            }
        }
        #expect(try await isGenuine("1"))
        let account = try await harness.accounts.existing(id)
        let own: Secret = try account.credential()
        let others: Secret = try await harness.accounts.existing(
            Enrollment.ID(other.id, of: id.provider)
        ).credential()

        try await account.change { (secret: inout Secret, _) in secret = others }
        #expect(try await !isGenuine("2"))
        try await account.change { (secret: inout Secret, _) in secret = own }
        #expect(try await isGenuine("3"))

        try await harness.accounts.delete(id)
        #expect(try await !isGenuine("4"))
    }

    @Test func `another process that has built no key finds the same pushes genuine`() async throws
    {
        let harness = try await PlusAuthHarness.enrolled()
        let message = try ContextJWT(try await harness.key()).message()
        let challenge = try await harness.challenge(message)
        let other = try PlusAuthHarness(sharing: harness)
        #expect(try await other.challenge(message).id == challenge.id)
    }
}
