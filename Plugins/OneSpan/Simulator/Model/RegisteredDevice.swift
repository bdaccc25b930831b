public import PushCore

extension OneSpanSimulator {
    /// A device as the platform's console shows it, without its keys.
    public struct RegisteredDevice: Hashable, Sendable, Identifiable {
        /// Its identifier: 32 hexadecimal digits, in lower case.
        public let id: String

        /// Whether it has finished its activation *and* its notification registration.
        public let isActivated: Bool

        /// Whether it has an instance for biometry.
        public let hasBiometry: Bool

        /// Where its pushes go, as it registered that.
        public let notificationIdentifier: String?

        /// The device token in that identifier; `nil` if it isn't this project's reference form.
        public let deviceToken: DeviceToken?

        /// The highest counter it has used.
        public let counter: UInt64
    }
}
