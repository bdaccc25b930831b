import PushCore
import PushForgeRock
public import VendorRegistration

extension LinkedVendor {
    /// ForgeRock; its codes name its servers.
    public static let forgeRock = LinkedVendor(
        "forgerock",
        messages: "messageId and message (or data), in aps, at the top, or in data",
        standard: HostsSection()
    ) { (section, place) throws(PushError) in
        ForgeRock(
            id: place.id, configuration: .init(allowsLocalHosts: section.allowsLocalHosts),
            in: place.environment)
    }
    .ended(by: "AM isn't told: delete the device there, among the user's authentication devices.")
}
