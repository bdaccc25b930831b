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

    private func enroll(_ vault: Vault) async throws {
        try await vault.create(
            Credential(
                Enrollment(id: id, state: .active, created: morning), secret: secret("key")))
    }

    private func issuer() async throws(PushError) -> String? {
        try await Vault(store: store, provider: "acme").existing(id).enrollment.issuer
    }

    @Test func `it is made before anything is sent`() async throws {
        let environment = environment
        let vault = environment.vault(for: "acme")
        try await enroll(vault)
        try await environment.remembering(holdingBack: true) { () async throws(PushError) in
            try await vault.update(id) { $0.enrollment.issuer = "Acme" }
            let known = try await vault.existing(id).enrollment.issuer
            #expect(known == "Acme")
            let before = try await issuer()
            #expect(before == nil)
            _ = try await environment.transport.send(
                HTTPRequest(method: .get, scheme: "https", authority: "acme.example", path: "/"),
                body: Data())
            let sent = try await issuer()
            #expect(sent == "Acme")
            // What follows isn't held back, and counts on the new revision.
            try await vault.update(id) { $0.enrollment.issuer = "Acme Inc." }
            let after = try await issuer()
            #expect(after == "Acme Inc.")
        }
    }

    @Test func `a second one takes it along, unless another process was first`() async throws {
        let environment = environment
        let vault = environment.vault(for: "acme")
        try await enroll(vault)
        try await environment.remembering(holdingBack: true) { () async throws(PushError) in
            try await vault.update(id) { $0.enrollment.issuer = "Acme" }
            try await vault.update(id) { $0.enrollment.account = "ada" }
        }
        let both = try await Vault(store: store, provider: "acme").existing(id).enrollment
        #expect(both.issuer == "Acme" && both.account == "ada")

        let error = await #expect(throws: PushError.self) {
            try await environment.remembering(holdingBack: true) { () async throws(PushError) in
                _ = try await vault.existing(id)
                try await vault.update(id) { $0.enrollment.issuer = "Late" }
                try await Vault(store: store, provider: "acme").update(id) {
                    $0.enrollment.account = "bob"
                }
                try await vault.update(id) { $0.enrollment.issuer = "Later" }
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
        let vault = environment.vault(for: "acme")
        try await enroll(vault)
        try await environment.remembering(holdingBack: true) { () async throws(PushError) in
            try await vault.update(id) { $0.enrollment.issuer = "Acme" }
            let found = try await Vault(store: plain, provider: "acme").existing(id)
            #expect(found.enrollment.issuer == "Acme")
        }
    }
}
