import Foundation
import PushCore
import PushForgeRock
import PushPlusAuth

/// Which of the app's processes this is.
nonisolated enum AppProcess: String, Sendable {
    case app
    case notificationService

    /// The keychain group that both have. The team's identifier before it is what the build writes into
    /// the Info.plist of each.
    static var accessGroup: String {
        let team = Bundle.main.object(forInfoDictionaryKey: "AppIdentifierPrefix") as? String
        return (team ?? "") + "com.example.app.push"
    }
}

/// The vendors of the app.
nonisolated func appPlugins(in environment: PushEnvironment) -> [any PushProvider] {
    [ForgeRock(in: environment), PlusAuth(in: environment)]
}

/// The authenticator of a process. The app makes one where it starts, and its extension another.
nonisolated func appAuthenticator(
    for process: AppProcess, in environment: PushEnvironment
) throws(PushError) -> PushAuthenticator {
    var configuration = PushConfiguration()
    configuration.instance = process.rawValue
    // The system ends an extension once it has delivered its content.
    configuration.asksAfterPush = process == .app
    return try PushAuthenticator(
        in: environment, configuration: configuration, plugins: appPlugins)
}
