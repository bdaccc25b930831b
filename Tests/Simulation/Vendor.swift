/// Whose protocol a schedule runs.
public enum Vendor: String, CaseIterable, Sendable {
    /// The fictional vendor that has every kind there is, and a server that sees everything.
    case acme
    case forgeRock
    case plusAuth
    case powerAuth
    case xignIn
    case oneSpan
    case privacyIDEA
    case keycloak

    var makePlugin: ((PluginSite) -> Plugin)? {
        switch self {
        case .acme: nil
        case .forgeRock: Plugin.forgeRock
        case .plusAuth: Plugin.plusAuth
        case .powerAuth: Plugin.powerAuth
        case .xignIn: Plugin.xignIn
        case .oneSpan: Plugin.oneSpan
        case .privacyIDEA: Plugin.privacyIDEA
        case .keycloak: Plugin.keycloak
        }
    }
}
