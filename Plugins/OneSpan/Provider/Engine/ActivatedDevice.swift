/// What an activation made.
public struct ActivatedDevice: Hashable, Sendable {
    /// The engine's name for this device and user, such as 32 lower-case hexadecimal digits: the
    /// name of the enrollment.
    public let deviceID: String

    /// The user identifier.
    public let user: String

    /// The user's domain; `nil` if the engine doesn't tell.
    public let domain: String?

    /// Creates a description.
    public init(deviceID: String, user: String, domain: String? = nil) {
        self.deviceID = deviceID
        self.user = user
        self.domain = domain
    }
}
