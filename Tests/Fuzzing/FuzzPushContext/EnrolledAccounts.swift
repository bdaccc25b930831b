import Foundation
import HTTPTypes
import PushCore
import PushFuzzing
import PushPlusAuth
import PushTesting

/// A device with two accounts at one tenant: their keys are those that the seeds are made with.
struct EnrolledAccounts: Sendable {
    static let host = "tenant.plusauth.example"

    /// The accounts' records as they are after enrolling. A push may change them, and no input must
    /// depend on those before it.
    private let records: [(key: RecordKey, value: Secret)]

    init() async throws {
        let store = InMemoryStore()
        for (algorithm, key) in [
            (.rs256, ExampleKeys.rsa), (.es256, ExampleKeys.ec),
        ] as [(PlusAuth.KeyAlgorithm, String)] {
            let provider = Inner.plusAuth(
                Self.configuration(algorithm), privateJWK: key, in: Self.environment(store))
            let text = Self.invitation(for: algorithm.rawValue)
            guard let offer = try provider.enroller.offer(.scanned(text: text)) else {
                throw PushError(.invalidInvitation, "Not an enrollment code.")
            }
            _ = try await provider.enroller.enroll(offer, with: [], deviceToken: .fcm("example"))
        }
        var records: [(RecordKey, Secret)] = []
        for name in try await store.names(in: "enrollment") {
            let key = RecordKey("enrollment", name)
            if let record = try await store.read(key) { records.append((key, record.value)) }
        }
        guard records.count == 2 else { throw PushError(.notFound, "The accounts aren't stored.") }
        self.records = records
    }

    /// A phone, with the accounts as they were enrolled.
    func phone() async throws -> (provider: PlusAuth, environment: PushEnvironment) {
        let store = InMemoryStore()
        for record in records {
            try await store.write(record.value, for: record.key, replacing: nil)
        }
        let environment = Self.environment(store)
        return (PlusAuth(configuration: Self.configuration(.es256), in: environment), environment)
    }

    private static func configuration(
        _ algorithm: PlusAuth.KeyAlgorithm
    ) -> PlusAuth.Configuration {
        var configuration = PlusAuth.Configuration()
        configuration.keyAlgorithm = algorithm
        configuration.simIdentity = OneCard()
        return configuration
    }

    private static func environment(_ store: InMemoryStore) -> PushEnvironment {
        PushEnvironment(
            transport: SimulatedTransport { _, _ in (HTTPResponse(status: .ok), Data()) },
            store: store, verifier: ScriptedVerifier.willing(),
            clock: ManualClock(Date(timeIntervalSince1970: 1_702_243_100)),
            device: Device(name: "Example", platform: .apple))
    }

    private static func invitation(for account: String) -> String {
        "otpauth://push/Example:\(account)?secret=GEZDGNBVGY3TQOJQ&algorithm=SHA256"
            + "&context_token=x&enrollment_url=https%3A%2F%2F\(host)%2Fpush-authenticator%2Fenroll"
    }
}

private struct OneCard: SIMIdentitySource {
    func identities() async throws(PushError) -> [SIMIdentity]? {
        [SIMIdentity(slot: 0, identifier: "1")]
    }
}
