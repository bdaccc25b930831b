import PushCore
import PushForgeRock

/// The plugins that this app links, most preferred first: nothing else of it knows a vendor.
func plugins(in environment: PushEnvironment) -> [any PushProvider] {
    // Codes of a simulator on this machine; an app leaves the switch out.
    [ForgeRock(configuration: .init(allowsLocalHosts: true), in: environment)]
}
