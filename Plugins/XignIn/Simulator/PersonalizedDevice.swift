public import PushCore

extension XignInSimulator {
    /// An activation as the manager's administrator sees it, without its keys.
    public struct PersonalizedDevice: Hashable, Sendable, Identifiable {
        /// The activation's identifier, `activation_id`.
        public let id: String

        /// Where pushes go; `nil` if there is no token. The wire doesn't tell APNs' sandbox from
        /// production: never sandbox. The platform `test` counts as Firebase.
        public let deviceToken: DeviceToken?

        /// The device's name, as it gave it.
        public let alias: String?

        /// The factors it can supply.
        public let authenticators: Set<Authenticator>
    }
}
