import PushCore
import PushForgeRock
import PushPlusAuth

/// The vendors that this app links: no other file of it names one.
func plugins(in environment: PushEnvironment) -> [any PushProvider] {
    [ForgeRock(in: environment), PlusAuth(in: environment)]
}
