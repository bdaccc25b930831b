public import PushCore

/// A workflow that this device starts by itself.
@nonexhaustive
public enum WorkflowIntent: Sendable {
    /// Online activation of a user on this device.
    case activate(Activation)
    /// Tells the server the identifier that notifications reach this device by.
    ///
    /// The device is one that an activation named; the identifier has 1 to 2,064 bytes.
    case registerNotification(deviceID: String, identifier: String)
    /// Replaces the user's password.
    case changePassword(deviceID: String)

    /// What an activation needs.
    public struct Activation: Sendable {
        /// The user identifier, byte for byte as registered; 1 to 255 bytes, none of them NUL.
        public let user: String

        /// The user's domain; `nil` for the engine's own.
        public let domain: String?

        /// The activation password, as typed or scanned.
        public let password: Secret

        /// The host whose clock the new enrollment follows, for its public record; `nil` if
        /// unknown.
        package var host: String?

        /// The port of that host.
        package var port = 443

        /// Creates the parameters.
        public init(user: String, domain: String? = nil, password: Secret) {
            self.user = user
            self.domain = domain
            self.password = password
        }
    }
}
