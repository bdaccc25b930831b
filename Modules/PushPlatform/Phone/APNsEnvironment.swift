#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Which of Apple's push services an app's device token is of.
public enum APNsEnvironment: Hashable, Sendable {
    /// For apps in development.
    case sandbox
    /// For apps from the App Store, from TestFlight, and of organizations.
    case production

    /// Reads it from the provisioning profile that is embedded in an app.
    ///
    /// A profile is a signed message (CMS) around an XML property list; the system has checked the
    /// signature before it starts the app.
    ///
    /// - Parameter profile: The file's bytes; `nil` if the app has none, as apps from the App Store.
    public init(embeddedProfile profile: Data?) {
        self = profile.flatMap(Self.named) == "development" ? .sandbox : .production
    }

    private struct Profile: Decodable {
        let entitlements: [String: Entitlement]

        enum CodingKeys: String, CodingKey { case entitlements = "Entitlements" }
    }

    /// One that counts is a text; the others may be anything.
    private struct Entitlement: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws {
            text = try? decoder.singleValueContainer().decode(String.self)
        }
    }

    private static func named(in profile: Data) -> String? {
        guard let start = profile.firstRange(of: "<?xml".utf8)?.lowerBound,
            let end = profile[start...].firstRange(of: "</plist>".utf8)?.upperBound,
            let read = try? PropertyListDecoder().decode(
                Profile.self, from: Data(profile[start..<end]))
        else { return nil }
        let entitlements = read.entitlements
        // iOS's name, and macOS's.
        return ["aps-environment", "com.apple.developer.aps-environment"].lazy
            .compactMap { entitlements[$0]?.text }.first
    }
}
