import PushCore
import PushTesting

@main
struct SeveralVendors {
    static func main() async throws {
        let servers = Servers()
        let environment = PushEnvironment(
            transport: try await servers.network(), store: InMemoryStore(),
            verifier: ScriptedVerifier.willing(), device: Device(name: "One phone"))
        let phone = try PushAuthenticator(in: environment, plugins: plugins)
        // Each vendor gets the token of the service that it prefers.
        try await phone.deviceTokenChanged(.fcm("token-from-firebase"))

        for server in servers.all {
            try await join(try await server.invitation(for: "jane"), on: phone)
        }
        for enrollment in try await phone.enrollments() {
            print(
                "\(enrollment.id.provider.rawValue): \(enrollment.host ?? "?"), "
                    + "\(enrollment.account ?? "?") is \(enrollment.state)")
        }
        for server in servers.all {
            let login = try await server.startLogin(of: "jane", asking: .confirm)
            for push in await server.takePushes() {
                try await approve(try push.message(), on: phone)
            }
            print("\(server.name) says: \(try await server.status(of: login.id))")
        }
    }

    // snippet: join
    /// Joins an account, whichever vendor's code it is.
    static func join(_ code: Invitation, on phone: PushAuthenticator) async throws {
        let offers = try phone.offers(for: code)
        // More than one plugin may know a code: then the user chooses.
        guard let offer = offers.first else {
            throw PushError(.invalidInvitation, "No linked plugin knows this code.")
        }
        _ = try await phone.enroll(offer)
    }
    // end snippet

    // snippet: approve
    /// Takes a push, whichever vendor's it is, and says yes to what it asks.
    static func approve(_ push: PushMessage, on phone: PushAuthenticator) async throws {
        for challenge in try await phone.challenges(in: push) {
            let outcome = try await phone.resolve(challenge, with: .approve)
            print("\(challenge.id.enrollment.provider.rawValue): \(outcome)")
        }
    }
    // end snippet
}
