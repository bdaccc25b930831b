import Foundation
import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushPlatform
import PushTesting

/// Enrolls with a simulator, and leaves what a receiver needs in a directory: `store`, its key in `key`,
/// and a push in `push`.
@main
struct Prepare {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            throw PushError(.invalidArgument, "Give the directory.")
        }
        let directory = CommandLine.arguments[1]
        let simulator = ForgeRockSimulator()
        let environment = PushEnvironment(
            transport: SimulatedTransport(to: simulator),
            store: try await FileStore(at: "\(directory)/store", key: .newFile("\(directory)/key")),
            verifier: ScriptedVerifier.willing(), device: Device(name: "Example"))
        let authenticator = PushAuthenticator(
            try PluginRegistry([ForgeRock(in: environment)]), in: environment)
        try await authenticator.deviceTokenChanged(.fcm("token"))
        let invitation = try await simulator.invitation(for: "jane")
        guard let offer = try authenticator.offers(for: invitation).first else {
            throw PushError(.invalidInvitation, "No linked plugin knows this code.")
        }
        _ = try await authenticator.enroll(offer)
        _ = try await simulator.startLogin(of: "jane", asking: .confirm)
        guard let push = await simulator.takePushes().first else {
            throw PushError(.notFound, "The simulator pushed nothing.")
        }
        try push.payload.write(to: URL(fileURLWithPath: "\(directory)/push"))
    }
}
