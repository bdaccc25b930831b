import PushCore
import PushPrivacyIDEA
public import VendorRegistration

extension LinkedVendor {
    /// privacyIDEA; its codes name its servers.
    public static let privacyIDEA = LinkedVendor(
        "privacyidea",
        messages: "nonce, question, serial, title, sslverify, url and signature, at the top",
        standard: PrivacyIDEASection()
    ) { (section, place) throws(PushError) in
        var configuration = PrivacyIDEA.Configuration()
        configuration.allowsLocalHosts = section.localHosts ?? false
        configuration.allowsPlainHTTP = place.allowsPlainHTTP
        configuration.usesAPNsTokens = section.apnsTokens ?? false
        if let bits = section.keyBits {
            guard let size = PrivacyIDEA.KeySize(rawValue: bits) else {
                let sizes = PrivacyIDEA.KeySize.allCases.map { "\($0.rawValue)" }
                throw PushError(
                    .invalidArgument, "key-bits is one of \(sizes.joined(separator: ", ")).")
            }
            configuration.keySize = size
        }
        return PrivacyIDEA(id: place.id, configuration: configuration, in: place.environment)
    }
    .ended(by: "The token goes on at privacyIDEA: delete it there, by its serial.")
}

private struct PrivacyIDEASection: Decodable {
    /// Whether codes may name servers on this machine.
    var localHosts: Bool?
    /// The size of the key pairs that enrolling makes.
    var keyBits: Int?
    /// Whether the servers push by a gateway that takes Apple's device tokens.
    var apnsTokens: Bool?

    enum CodingKeys: String, CodingKey {
        case localHosts = "local-hosts"
        case keyBits = "key-bits"
        case apnsTokens = "apns-tokens"
    }
}
