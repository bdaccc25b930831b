/// A version of the protocol between device and manager, which the vendor calls smart-device-api:
/// `MAJOR.MINOR.PATCH`, compared number by number.
public struct SmartDeviceAPI: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Versions with another major number aren't understood.
    public let major: Int

    /// The second number.
    public let minor: Int

    /// The third number.
    public let patch: Int

    /// Creates a version.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
        self.major = major
        self.minor = minor
        self.patch = patch
    }

    /// Reads a version; `nil` unless it is three decimal numbers up to 99999 without leading zeros,
    /// with dots between them.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let numbers = parts.compactMap(Self.number)
        guard parts.count == 3, numbers.count == 3 else { return nil }
        self.init(numbers[0], numbers[1], numbers[2])
    }

    private static func number(_ digits: Substring.UTF8View) -> Int? {
        guard (1...5).contains(digits.count), digits.allSatisfy({ 0x30...0x39 ~= $0 }),
            digits.count == 1 || digits.first != UInt8(ascii: "0")
        else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Whether one version is older than another.
    public static func < (one: SmartDeviceAPI, other: SmartDeviceAPI) -> Bool {
        (one.major, one.minor, one.patch) < (other.major, other.minor, other.patch)
    }

    /// The version as text, such as `1.0.0`.
    public var description: String { "\(major).\(minor).\(patch)" }
}

extension ClosedRange<SmartDeviceAPI> {
    /// Whether a message that asks for at least this version can be executed.
    package func canExecute(_ minimum: String) -> Bool {
        guard let minimum = SmartDeviceAPI(minimum) else { return false }
        return (lowerBound.major...upperBound.major).contains(minimum.major)
            && minimum <= upperBound
    }
}
