public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PlusAuthSimulator {
    /// A push credential as the tenant shows it to an administrator, without key and secret.
    public struct RegisteredDevice: Hashable, Sendable, Identifiable {
        /// The credential's identifier.
        public let id: String

        /// What the device calls itself, `device_identifier`.
        public let deviceIdentifier: String

        /// How it is reached, `credentials.service`, as the device wrote it.
        public let service: String

        /// Where pushes go. Exactly `apns` means Apple; the wire doesn't tell its sandbox.
        public let deviceToken: DeviceToken

        /// The algorithm of its keys, `RS256` or `ES256`.
        public let algorithm: String

        /// The name of its public key, `kid`.
        public let keyID: String

        /// The `User-Agent` it enrolled with.
        public let userAgent: String?

        /// What the server made of that.
        public let model: DeviceModel
    }

    /// What a `User-Agent` says about a device. How the real server reads it is UNCONFIRMED.
    public struct DeviceModel: Hashable, Sendable {
        /// `mobile` or `tablet`.
        public var type: String?
        /// Such as `Apple`.
        public var vendor: String?
        /// Such as `iPhone` or `Pixel 8`.
        public var model: String?
        /// Such as `iOS`.
        public var osName: String?
        /// Such as `17.5`.
        public var osVersion: String?
    }
}

extension PlusAuthSimulator.DeviceModel {
    /// Reads what stands in the first parentheses, as `ua-parser-js` would for a phone.
    init(userAgent: String) {
        guard let open = userAgent.firstIndex(of: "("),
            let close = userAgent[open...].firstIndex(of: ")")
        else { return }
        let parts = userAgent[userAgent.index(after: open)..<close].split(separator: ";")
            .map { String($0.drop { $0 == " " }) }
        if let index = parts.firstIndex(where: { $0.hasPrefix("Android ") }) {
            osName = "Android"
            osVersion = String(parts[index].dropFirst("Android ".count))
            type = "mobile"
            guard parts.indices.contains(index + 1) else { return }
            let name = parts[index + 1]
            model = name.firstRange(of: " Build/").map { String(name[..<$0.lowerBound]) } ?? name
            vendor = name.hasPrefix("Pixel") ? "Google" : name.hasPrefix("SM-") ? "Samsung" : nil
        } else if let first = parts.first, ["iPhone", "iPad"].contains(first) {
            (vendor, model) = ("Apple", first)
            type = first == "iPad" ? "tablet" : "mobile"
            osName = "iOS"
            osVersion = parts.lazy.compactMap(Self.versionOfIOS).first
        } else if parts.contains(where: { $0.hasPrefix("Linux") }) {
            osName = "Linux"
        }
    }

    /// The version in a text such as `CPU iPhone OS 17_5 like Mac OS X`.
    private static func versionOfIOS(_ text: String) -> String? {
        guard let start = text.firstRange(of: "OS ")?.upperBound else { return nil }
        let version = text[start...].prefix { $0.isNumber || $0 == "_" }
        return version.isEmpty ? nil : String(version).replacing("_", with: ".")
    }
}

/// A push credential in the tenant's store, private key included.
struct PushCredential {
    let user: String
    let device: PlusAuthSimulator.RegisteredDevice
    /// The half that pushes are signed with; the device sent it.
    let privateKey: AccountPrivateKey
    /// The name that pushes call that half by; which of two names a split key has is UNCONFIRMED.
    let signingKeyID: String
    /// The half that answers are verified with.
    let publicKey: AccountPublicKey
    var code: CodeSecret
    /// The `jti` of each answer that counted.
    var answers: Set<String> = []

    var id: String { device.id }
}
