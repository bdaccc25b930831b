import PushCore
import PushForgeRock
import PushPlatform
import PushPlusAuth

/// Which of the app's processes this is.
enum AppProcess: String, Sendable {
    case app
    case notificationService
}

// snippet: authenticator
/// The authenticator of a process. The app makes one where it starts, and its extension another.
func makeAuthenticator(
    for process: AppProcess, store: any CredentialStore, verifier: any UserVerifier,
    transport: any Transport = SystemTransport()
) throws(PushError) -> PushAuthenticator {
    let environment = Environment(
        transport: transport, store: store, verifier: verifier, device: Device(name: "My phone"))
    var policies = Policies()
    policies.instance = process.rawValue
    return PushAuthenticator(
        try PluginRegistry([ForgeRock(in: environment), PlusAuth(in: environment)]),
        in: environment, policies: policies)
}
// end snippet

// snippet: nobody
/// Stands in for the user where there is none to ask: an extension shows, and answers nothing.
struct NobodyThere: UserVerifier {
    init() {}

    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        throw PushError(.verificationFailed, "An extension can't ask the user.")
    }
}
// end snippet
