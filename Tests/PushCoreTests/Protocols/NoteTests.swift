import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// An Acme that notes what stands beside a push's signature, before it verifies the push.
private struct NotingAcme: AcmeVariant {
    let acme: Acme

    func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        guard let candidate = acme.candidate(in: message), let text = message["note"]?.string else {
            return acme.candidate(in: message)
        }
        return PushMessage.Candidate(text) { (text, accounts) async throws(PushError) in
            try await accounts.existing(.ada).note { (record: inout Secret.Record, _) in
                record.fields["note \(text)"] = true
            }
            return try await candidate.verified(with: accounts)
        }
    }
}

/// What a provider learns of an enrollment while it verifies a message.
struct NoteTests {
    /// A device at which ada is enrolled.
    private func authenticator(
        on store: any CredentialStore
    ) async throws -> (authenticator: PushAuthenticator, accounts: Accounts) {
        let harness = AuthenticatorHarness(store: store)
        let acme = NotingAcme(acme: harness.acme())
        let authenticator = PushAuthenticator(
            try PluginRegistry([acme]), in: harness.environment,
            configuration: AuthenticatorHarness.quiet)
        _ = try await authenticator.join("ada")
        return (authenticator, acme.acme.accounts)
    }

    private func push(
        _ id: String, noting text: String, key: String? = nil
    ) throws(PushError) -> PushMessage {
        try AcmeWire.push(AcmeWire.claims(id), to: "ada", key: key, beside: ["note": .string(text)])
    }

    private func isNoted(_ text: String, in accounts: Accounts) async throws -> Bool {
        let record: Secret.Record = try await accounts.existing(.ada).credential()
        return record.fields["note \(text)"] == true
    }

    @Test func `a note is on record once its message is, and later ones keep it`() async throws {
        let (authenticator, accounts) = try await authenticator(on: InMemoryStore())
        for id in ["1", "2"] {
            let receipt = try await authenticator.receive(try push(id, noting: id))
            #expect(receipt.map(\.isNew) == [true])
            #expect(try await isNoted(id, in: accounts))
        }
        #expect(try await isNoted("1", in: accounts))
    }

    @Test func `a note costs no trip of its own`() async throws {
        let store = CountingStore()
        let (authenticator, accounts) = try await authenticator(on: store)
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        let before = await (store.trips, store.durableTrips)
        _ = try await authenticator.receive(try AcmeWire.ask("2"))
        let plain = await (store.trips, store.durableTrips)
        _ = try await authenticator.receive(try push("3", noting: "3"))
        #expect(await store.trips - plain.0 == plain.0 - before.0)
        #expect(await store.durableTrips - plain.1 == plain.1 - before.1)
        #expect(try await isNoted("3", in: accounts))
    }

    @Test func `a note of a message that is refused is dropped`() async throws {
        let store = CountingStore()
        let (authenticator, accounts) = try await authenticator(on: store)
        let writes = await store.writes
        let forged = try push("1", noting: "forged", key: "a stranger's key")
        #expect(await code { try await authenticator.receive(forged) } == .untrusted)
        #expect(await store.writes == writes)
        // Nor does the next message bring it along.
        _ = try await authenticator.receive(try push("2", noting: "genuine"))
        #expect(try await !isNoted("forged", in: accounts))
        #expect(try await isNoted("genuine", in: accounts))
    }

    @Test func `a note that another process overtook is made on that one's record`() async throws {
        let memory = InMemoryStore()
        let contested = ContestedStore(memory)
        let (authenticator, accounts) = try await authenticator(on: contested)
        let other = AuthenticatorHarness(store: memory).acme().accounts
        await contested.interrupt("enrollment") { _ in
            _ = try? await other.existing(.ada).change {
                (record: inout Secret.Record, enrollment) in
                record.fields["note elsewhere"] = true
                enrollment.issuer = "Acme"
            }
        }
        _ = try await authenticator.receive(try push("1", noting: "here"))
        #expect(await contested.remaining == 0)
        #expect(try await isNoted("here", in: accounts))
        #expect(try await isNoted("elsewhere", in: accounts))
        #expect(try await accounts.existing(.ada).enrollment.issuer == "Acme")
    }
}
