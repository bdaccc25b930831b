import PushCore
import PushXignIn
import PushXignInReference
public import VendorRegistration

extension LinkedVendor {
    /// XignIn, over the open format; its links name its servers.
    public static let xignIn = LinkedVendor(
        "xignin", messages: "oxrw beside oxrw_msg, a signed JWT", standard: HostsSection()
    ) { (section, place) throws(PushError) in
        var configuration = XignIn.Configuration(wireFormat: OpenReferenceWireFormat())
        configuration.allowsLocalHosts = section.allowsLocalHosts
        return XignIn(id: place.id, configuration: configuration, in: place.environment)
    }
}
