import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// Keys that are kept ready to verify pushes: none outlives what the credential says.
@Suite struct VerificationKeysTests {
    @Test func `a key that was used verifies nothing once its credential has another`() async throws
    {
        let world = try await World.enrolled()
        let key = try await world.key()
        let id = try await world.account().id
        try await world.enroll(EnrollmentCode(label: "Acme%20Bank:bob"))
        let other = try await world.key()
        #expect(key.id != other.id)

        func isGenuine(_ token: String) async throws -> Bool {
            do {
                return try await !world.authenticator.receive(
                    ContextJWT(key, token: token).message()
                ).isEmpty
            } catch let error as PushError where error.code == .untrusted {
                return false
            }
        }
        #expect(try await isGenuine("1"))
        let own = try await world.vault.existing(id).secret
        let others = try await world.vault.existing(Enrollment.ID(other.id, of: id.provider)).secret

        try await world.vault.update(id) { $0.secret = others }
        #expect(try await !isGenuine("2"))
        try await world.vault.update(id) { $0.secret = own }
        #expect(try await isGenuine("3"))

        try await world.vault.delete(id)
        #expect(try await !isGenuine("4"))
    }

    @Test func `another process that has built no key finds the same pushes genuine`() async throws
    {
        let world = try await World.enrolled()
        let message = try ContextJWT(try await world.key()).message()
        let challenge = try await world.challenge(message)
        let other = try World(sharing: world)
        #expect(try await other.challenge(message).id == challenge.id)
    }
}
