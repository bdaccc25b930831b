import PushCore
import PushForgeRock

/// The plugins that this app links, most preferred first: nothing else of it knows a vendor.
func plugins(in environment: Environment) -> [any PushProvider] {
    [ForgeRock(in: environment)]
}
