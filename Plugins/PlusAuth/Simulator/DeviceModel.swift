extension PlusAuthSimulator {
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
