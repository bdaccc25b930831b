extension XignInSimulator {
    /// A version of the smart-device-api, `MAJOR.MINOR.PATCH`, compared as numbers.
    public struct Version: Hashable, Sendable, Comparable, CustomStringConvertible {
        /// The largest value of each part.
        static let maximumPart = 99_999

        /// The first part.
        public let major: Int

        /// The second part.
        public let minor: Int

        /// The third part.
        public let patch: Int

        /// Creates a version; each part is brought into 0 to 99,999.
        public init(_ major: Int, _ minor: Int, _ patch: Int) {
            self.major = min(max(major, 0), Self.maximumPart)
            self.minor = min(max(minor, 0), Self.maximumPart)
            self.patch = min(max(patch, 0), Self.maximumPart)
        }

        /// Reads three decimal numbers without leading zeros; `nil` for anything else.
        init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            let numbers = parts.compactMap { part -> Int? in
                guard (1...5).contains(part.utf8.count), part == "0" || part.first != "0",
                    part.utf8.allSatisfy({ (0x30...0x39).contains($0) })
                else { return nil }
                return Int(part)
            }
            guard parts.count == 3, numbers.count == 3 else { return nil }
            self.init(numbers[0], numbers[1], numbers[2])
        }

        /// The version as it is written.
        public var description: String { "\(major).\(minor).\(patch)" }

        /// Whether one version is older than another.
        public static func < (one: Version, other: Version) -> Bool {
            (one.major, one.minor, one.patch) < (other.major, other.minor, other.patch)
        }
    }
}
