import Foundation
import HTTPTypes
import PushTesting
import Testing

@testable import FictionalVendor
@testable import PushCore

/// A moment in the tests' harness.
let morning = Date(timeIntervalSince1970: 1_760_000_000)

/// Everything around an authenticator: Acme's server, a network with faults, a store, a clock.
struct AuthenticatorHarness {
    let server = AcmeService()
    let faults = FaultPlan()
    let store = InMemoryStore()
    let clock = ManualClock(morning)
    let observer = RecordingObserver()
    let transport: SimulatedTransport
    let verifier: ScriptedVerifier
    let environment: PushEnvironment

    init(
        verifier: ScriptedVerifier = .willing(), store: (any CredentialStore)? = nil,
        keyGuard: (any KeyGuard)? = nil
    ) {
        let server = server
        let clock = clock
        transport = SimulatedTransport(faults: faults, delay: { clock.advance(by: $0) }) {
            await server.respond(to: $0, body: $1)
        }
        self.verifier = verifier
        environment = PushEnvironment(
            transport: transport, store: store ?? self.store, verifier: verifier, clock: clock,
            random: SeededRandom(seed: 1), device: Device(name: "test"), observer: observer,
            keyGuard: keyGuard)
    }

    func acme(_ id: ProviderID = "acme", _ options: Acme.Options = .init()) -> Acme {
        Acme(id, options, in: environment)
    }

    /// A configuration under which nothing is asked behind a test's back.
    static var quiet: PushConfiguration {
        var configuration = PushConfiguration()
        configuration.asksAfterPush = false
        configuration.hintInterval = .zero
        return configuration
    }

    /// An authenticator with one Acme.
    func authenticator(
        _ options: Acme.Options = .init(),
        configuration: PushConfiguration = AuthenticatorHarness.quiet
    ) throws -> PushAuthenticator {
        PushAuthenticator(
            try PluginRegistry([acme("acme", options)]), in: environment,
            configuration: configuration)
    }

    /// An authenticator at which these accounts are enrolled.
    func enrolled(
        _ accounts: [String] = ["ada"], _ options: Acme.Options = .init()
    ) async throws -> PushAuthenticator {
        let authenticator = try authenticator(options)
        for account in accounts { _ = try await authenticator.join(account) }
        return authenticator
    }

    /// The bytes of every record, one after the other.
    func rawStore() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for collection in [Documents.collection, DeviceTokens.collection] {
            for name in try await store.names(in: collection) {
                let record = try #require(try await store.read(RecordKey(collection, name)))
                record.value.withBytes { bytes += $0 }
            }
        }
        return bytes
    }

    /// Overwrites the only record of a collection.
    func damage(_ collection: String) async throws {
        let name = try #require(try await store.names(in: collection).first)
        let key = RecordKey(collection, name)
        let revision = try await store.read(key)?.revision
        try await store.write(Secret([1, 2, 3]), for: key, replacing: revision, waits: true)
    }

    /// Overwrites the row of a challenge in its enrollment's record.
    func damageRow(_ id: Challenge.ID) async throws {
        let (store, key) = (environment.store, Documents.key(id.enrollment))
        let (value, revision) = try #require(try await store.read(key))
        let document = try EnrollmentDocument(reading: value)
        let name = document.names.digest(of: id.name.utf8)
        #expect(document.rows.slots.contains { $0.name == name })
        let damaged = try document.with(
            document.rows.slots.map { slot in
                slot.name == name ? RowSlot(name, slot.flags, Secret([1, 2, 3])) : slot
            })
        try await store.write(
            damaged.sealed, for: key, replacing: revision, waits: damaged.waits)
    }
}

extension PushAuthenticator {
    func join(
        _ account: String, guardedBy policy: GuardPolicy? = nil
    ) async throws -> Enrollment {
        let offer = try #require(try offers(for: .scanned(text: "acme:\(account)")).first)
        return try await enroll(offer, guardedBy: policy)
    }

    /// Gets a second reply that tells the server's time, as one alone ends nothing.
    func hearTimeAgain(at id: Enrollment.ID = .ada) async throws {
        _ = try await refresh(id)
    }

    /// Receives a message that announces one challenge, and opens it.
    func open(_ message: PushMessage) async throws -> Challenge {
        let reception = try #require(try await receive(message).first)
        return try await challenge(try #require(reception.challenge))
    }
}

extension Enrollment.ID {
    static let ada = Enrollment.ID("ada", of: "acme")
    static let bob = Enrollment.ID("bob", of: "acme")
}

extension Challenge.ID {
    static func ada(_ name: String) -> Challenge.ID { Challenge.ID(name, of: .ada) }
}

/// The code of the error a function throws; `nil` if it throws none.
func code<Value>(_ body: () async throws -> Value) async -> PushError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? PushError)?.code
    }
}

/// The code of the error a function throws; `nil` if it throws none.
func code<Value>(_ body: () throws -> Value) -> PushError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? PushError)?.code
    }
}

/// Whether bytes hold a text somewhere.
func bytes(_ bytes: [UInt8], hold text: String) -> Bool {
    bytes.firstRange(of: Array(text.utf8)) != nil
}

/// A text as the bytes of a secret.
func secret(_ text: String) -> Secret { Secret(copying: text) }
