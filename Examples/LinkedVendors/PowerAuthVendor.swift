import PushCore
import PushPowerAuth
public import VendorRegistration

extension LinkedVendor {
    /// PowerAuth; each section is one application.
    public static let powerAuth = LinkedVendor(
        "powerauth", messages: "messageType and what belongs to it, an offline code, or a link",
        standard: PowerAuthSection?.none, servers: { [$0.server] }
    ) { (section, place) throws(PushError) in
        PowerAuth(
            id: place.id,
            configuration: try PowerAuthConfiguration(
                sdkConfiguration: section.sdkConfiguration,
                enrollmentServer: try Endpoint(section.server)),
            in: place.environment)
    }
}

private struct PowerAuthSection: Decodable {
    /// The mobile SDK configuration that the application's server shows.
    let sdkConfiguration: String
    let server: String

    enum CodingKeys: String, CodingKey {
        case server
        case sdkConfiguration = "sdk-configuration"
    }
}
