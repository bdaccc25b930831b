import Foundation
import HTTPTypes
import PushTesting
import Testing

@testable import PushCore

/// A write that may wait for another, to be one trip with it.
struct HeldBackTests {
    private let store = InMemoryStore(.atomic)
    private let id = Enrollment.ID("ada", of: "acme")

    private var environment: PushEnvironment {
        PushEnvironment(
            transport: SimulatedTransport { _, _ in (HTTPResponse(status: .ok), Data()) },
            store: store, verifier: ScriptedVerifier.willing(), clock: ManualClock(morning),
            random: SystemRandom(), device: Device(name: "test"))
    }

    private func enroll(_ accounts: Accounts) async throws {
        try await accounts.create(
            Enrollment(id: id, state: .active, created: morning), secret("key"))
    }

    /// Notes something of the enrollment, as a provider does that has verified a message.
    private func note(
        in accounts: Accounts, _ change: @escaping @Sendable (inout Enrollment) -> Void
    ) async throws(PushError) {
        let lending = accounts.lending
        try await lending.existing(id).note { (_: inout Secret, enrollment) in
            change(&enrollment)
        }
        try await lending.writeNotes()
    }

    /// The enrollment as another process has it.
    private func elsewhere(
        _ store: (any CredentialStore)? = nil
    ) async throws(PushError) -> Account {
        try await Accounts(
            store: store ?? self.store, provider: "acme", hands: AccountHands()
        ).existing(id)
    }

    private func issuer() async throws(PushError) -> String? {
        try await elsewhere().enrollment.issuer
    }

    @Test func `it is made before anything is sent`() async throws {
        let environment = environment
        let accounts = environment.accounts(for: "acme")
        try await enroll(accounts)
        try await environment.remembering(holdingBack: true) { () async throws(PushError) in
            try await note(in: accounts) { $0.issuer = "Acme" }
            let known = try await accounts.existing(id).enrollment.issuer
            #expect(known == "Acme")
            let before = try await issuer()
            #expect(before == nil)
            _ = try await environment.transport.send(
                HTTPRequest(method: .get, scheme: "https", authority: "acme.example", path: "/"),
                body: Data())
            let sent = try await issuer()
            #expect(sent == "Acme")
            // What follows isn't held back, and counts on the new revision.
            try await note(in: accounts) { $0.issuer = "Acme Inc." }
            let after = try await issuer()
            #expect(after == "Acme Inc.")
        }
    }

    @Test func `a second one takes it along, unless another process was first`() async throws {
        let environment = environment
        let accounts = environment.accounts(for: "acme")
        try await enroll(accounts)
        try await environment.remembering(holdingBack: true) { () async throws(PushError) in
            try await note(in: accounts) { $0.issuer = "Acme" }
            try await note(in: accounts) { $0.account = "ada" }
        }
        let both = try await elsewhere().enrollment
        #expect(both.issuer == "Acme" && both.account == "ada")

        let error = await #expect(throws: PushError.self) {
            try await environment.remembering(holdingBack: true) { () async throws(PushError) in
                _ = try await accounts.existing(id)
                try await note(in: accounts) { $0.issuer = "Late" }
                try await elsewhere().changeEnrollment { $0.account = "bob" }
                try await note(in: accounts) { $0.issuer = "Later" }
            }
        }
        #expect(error?.isOvertaken == true)
        #expect(try await issuer() == "Acme")
    }

    @Test func `a store that makes one change at a time holds nothing back`() async throws {
        let plain = InMemoryStore()
        let environment = PushEnvironment(
            transport: SimulatedTransport { _, _ in (HTTPResponse(status: .ok), Data()) },
            store: plain, verifier: ScriptedVerifier.willing(), clock: ManualClock(morning),
            random: SystemRandom(), device: Device(name: "test"))
        let accounts = environment.accounts(for: "acme")
        try await enroll(accounts)
        try await environment.remembering(holdingBack: true) { () async throws(PushError) in
            try await note(in: accounts) { $0.issuer = "Acme" }
            let found = try await elsewhere(plain).enrollment.issuer
            #expect(found == "Acme")
        }
    }
}
