public import VendorRegistration

/// The vendors that this repository's programs link: the one list of them.
public enum LinkedVendors {
    /// All, in the order in which their providers are asked.
    public static let all: [LinkedVendor] = [
        .forgeRock, .plusAuth, .xignIn, .oneSpan, .powerAuth, .privacyIDEA, .keycloak,
    ]
}
