import Foundation
import PushCore
import PushOneSpan
import PushOneSpanReference
public import VendorRegistration

extension LinkedVendor {
    /// OneSpan, over the open format.
    public static let oneSpan = LinkedVendor(
        "onespan", messages: "oos with v 1 and a command in content, or a command as text",
        standard: OneSpanSection?.none, servers: { [$0.relay] }
    ) { (section, place) throws(PushError) in
        var keys: [Data] = []
        for text in section.serverKeys {
            guard let key = Data(base64Encoded: text) else {
                throw PushError(.invalidArgument, "A server key isn't base64.")
            }
            keys.append(key)
        }
        let (id, environment) = (place.id, place.environment)
        return OneSpan(
            id: id,
            engine: OpenReferenceEngine(
                try .init(domain: section.domain, serverKeys: keys), in: environment,
                provider: id),
            relay: HTTPCommandRelay(try Endpoint(section.relay), for: id, in: environment),
            configuration: OneSpan.Configuration(
                identifiers: OpenNotificationIdentifiers(), domain: section.domain),
            in: environment)
    }
    .ended(
        by:
            "The platform isn't told: unregister the user at the customer's server, or a license stays in use."
    )
}

private struct OneSpanSection: Decodable {
    let domain: String
    /// The platform's public keys, each 65 bytes in base64.
    let serverKeys: [String]
    /// The customer's server that passes commands on.
    let relay: String

    enum CodingKeys: String, CodingKey {
        case domain, relay
        case serverKeys = "server-keys"
    }
}
