import PushCore
import PushForgeRock
import PushPrivacyIDEA
import PushXignIn
import PushXignInReference

/// A vendor whose device is killed, by the name of its plugin.
enum SoakVendor: String, Hashable, Sendable {
    /// Its answers are kept whole: a restart sends them again.
    case forgerock
    /// A yes takes a PIN, and is kept without the PIN's proof. A restart asks with that part what
    /// became of the answer; else the user makes it again.
    case xignin

    /// What every process that opens a store links.
    static func registry(in environment: Environment) throws(PushError) -> PluginRegistry {
        var configuration = XignIn.Configuration(wireFormat: OpenReferenceWireFormat())
        configuration.allowsLocalHosts = true
        // How long a PIN takes to stretch isn't what is tested.
        configuration.pinIterations = 1
        var privacyIDEA = PrivacyIDEA.Configuration()
        privacyIDEA.allowsLocalHosts = true
        return try PluginRegistry([
            ForgeRock(configuration: .init(allowsLocalHosts: true), in: environment),
            XignIn(configuration: configuration, in: environment),
            // Not for soak itself: tests kill it while a real server waits for its answer.
            PrivacyIDEA(configuration: privacyIDEA, in: environment),
        ])
    }
}
