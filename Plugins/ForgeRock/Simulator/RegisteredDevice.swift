public import PushCore

extension ForgeRockSimulator {
    /// A device as AM's user profile shows it, without its key.
    public struct RegisteredDevice: Hashable, Sendable {
        /// The identifier that the device gave itself; claim `u` of each push.
        public let mechanismUID: String

        /// Where pushes go. The wire doesn't tell APNs' sandbox from production: never sandbox.
        public let deviceToken: DeviceToken

        /// The device's name. AM learns it only by a refresh.
        public let name: String?

        /// What the device says it is, such as `ios`.
        public let type: String?
    }
}
