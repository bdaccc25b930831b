/// Whose protocol a schedule runs.
public struct Vendor: Hashable, Sendable, CustomStringConvertible {
    /// Those with a plugin; each is in the file of its name.
    public static let plugins = [
        forgeRock, plusAuth, powerAuth, xignIn, oneSpan, privacyIDEA, keycloak,
    ]

    /// The fictional vendor that has every kind there is, and a server that sees everything.
    public static let acme = Vendor("acme", makePlugin: nil)

    /// Its name.
    public let description: String
    let makePlugin: (@Sendable (PluginSite) -> Plugin)?

    init(_ name: String, makePlugin: (@Sendable (PluginSite) -> Plugin)?) {
        description = name
        self.makePlugin = makePlugin
    }

    /// Whether both have one name.
    public static func == (one: Vendor, other: Vendor) -> Bool {
        one.description == other.description
    }

    /// Feeds its name.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
