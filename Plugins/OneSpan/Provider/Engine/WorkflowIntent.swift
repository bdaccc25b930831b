public import PushCore

/// A workflow that this device starts by itself.
@nonexhaustive
public enum WorkflowIntent: Sendable {
    /// Online activation of a user on this device.
    case activate(Activation)
    /// Tells the server the identifier that notifications reach this device by.
    case registerNotification(NotificationRegistration)
    /// Replaces the user's password.
    case changePassword(deviceID: String)

    /// What an activation needs.
    public struct Activation: Sendable {
        /// The user identifier, byte for byte as registered; 1 to 255 bytes, none of them NUL.
        public var user: String

        /// The user's domain; `nil` for the engine's own.
        public var domain: String?

        /// The activation password, as typed or scanned.
        public var password: Secret

        /// The host whose clock the new enrollment follows, for its public record; `nil` if
        /// unknown.
        public var host: String?

        /// The port of that host.
        public var port: Int

        /// Creates the parameters.
        public init(
            user: String, domain: String? = nil, password: Secret, host: String? = nil,
            port: Int = 443
        ) {
            self.user = user
            self.domain = domain
            self.password = password
            self.host = host
            self.port = port
        }
    }

    /// What a notification registration needs.
    public struct NotificationRegistration: Sendable {
        /// The activated device, as ``ActivatedDevice/deviceID`` has it.
        public var deviceID: String

        /// The OneSpan Notification Identifier; 1 to 2,064 bytes.
        public var identifier: String

        /// Creates the parameters.
        public init(deviceID: String, identifier: String) {
            self.deviceID = deviceID
            self.identifier = identifier
        }
    }
}

/// The workflows that exchange commands with the server.
@nonexhaustive
public enum WorkflowKind: Hashable, Sendable {
    /// Online activation: four round trips.
    case activation
    /// Notification registration: one round trip.
    case notificationRegistration
    /// Remote authentication: two round trips.
    case authentication
    /// Remote transaction: two round trips.
    case transaction
    /// Change password: one round trip.
    case changePassword
}

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
