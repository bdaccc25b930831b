import PushCore
import PushPlusAuth
public import VendorRegistration

extension LinkedVendor {
    /// PlusAuth; its codes name its servers.
    public static let plusAuth = LinkedVendor(
        "plusauth", messages: "context, a signed JWT, at the top or in data",
        standard: HostsSection()
    ) { (section, place) throws(PushError) in
        var configuration = PlusAuth.Configuration()
        configuration.allowsLocalHosts = section.allowsLocalHosts
        return PlusAuth(id: place.id, configuration: configuration, in: place.environment)
    }
    .ended(
        by:
            "PlusAuth isn't told: an administrator of the tenant removes the user's authenticator there."
    )
}
