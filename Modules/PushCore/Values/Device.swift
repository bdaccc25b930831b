/// What a vendor may be told about this device.
public struct Device: Hashable, Sendable {
    /// The family a device belongs to.
    @nonexhaustive
    public enum Platform: String, Hashable, Sendable {
        /// iOS, iPadOS, macOS and their relatives.
        case apple
        /// Android.
        case android
        /// Anything else, such as a Linux shell.
        case other
    }

    /// The name its owner knows it by.
    public let name: String

    /// The family it belongs to.
    public let platform: Platform

    /// Creates a description.
    public init(name: String, platform: Platform = .current) {
        self.name = name
        self.platform = platform
    }
}

extension Device.Platform {
    #if canImport(Darwin)
    /// The family of the machine this code was built for.
    public static let current = Device.Platform.apple
    #elseif os(Android)
    /// The family of the machine this code was built for.
    public static let current = Device.Platform.android
    #else
    /// The family of the machine this code was built for.
    public static let current = Device.Platform.other
    #endif
}
