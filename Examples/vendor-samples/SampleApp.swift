import PushCore
import PushForgeRock
import PushPlatform
import PushXignIn
import PushXignInReference

/// What an app has in the place of the vendors' shared instances: one authenticator of its own.
@MainActor
enum SampleApp {
    static let environment = PushEnvironment(
        transport: SystemTransport(), store: SampleStore(), verifier: NobodyToAsk(),
        device: Device(name: "A phone"))
    static let xignIn = XignIn(
        configuration: .init(wireFormat: OpenReferenceWireFormat()), in: environment)
    static let authenticator = makeAuthenticator()

    private static func makeAuthenticator() -> PushAuthenticator {
        do {
            let plugins: [any PushProvider] = [ForgeRock(in: environment), xignIn]
            return PushAuthenticator(try PluginRegistry(plugins), in: environment)
        } catch {
            fatalError("Two plugins of one name: found by the first run. \(error)")
        }
    }
}

/// An app has `KeychainStore` here; this one forgets.
struct SampleStore: CredentialStore {
    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        nil
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? { nil }

    func discard(_ key: RecordKey) async throws(PushError) {}
    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage { NamePage([], isLast: true) }
}
