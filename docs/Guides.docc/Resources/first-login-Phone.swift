import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushTesting

/// A phone: one authenticator with the plugins that the app links.
func makePhone(at server: ForgeRockSimulator) throws -> PushAuthenticator {
    let environment = PushEnvironment(
        transport: SimulatedTransport(to: server),  // in an app, SystemTransport()
        store: InMemoryStore(),  // in an app, KeychainStore() or a FileStore
        verifier: ScriptedVerifier.willing(),  // in an app, a screen for Face ID or a PIN
        device: Device(name: "My first phone"))
    return try PushAuthenticator(in: environment) { [ForgeRock(in: $0)] }
}
