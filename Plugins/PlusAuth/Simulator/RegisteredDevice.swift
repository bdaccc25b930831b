public import PushCore

extension PlusAuthSimulator {
    /// A push credential as the tenant shows it to an administrator, without key and secret.
    public struct RegisteredDevice: Hashable, Sendable, Identifiable {
        /// The credential's identifier.
        public let id: String

        /// What the device calls itself, `device_identifier`.
        public let deviceIdentifier: String

        /// How it is reached, `credentials.service`, as the device wrote it.
        public let service: String

        /// Where pushes go. Exactly `apns` means Apple; the wire doesn't tell its sandbox.
        public let deviceToken: DeviceToken

        /// The algorithm of its keys, `RS256` or `ES256`.
        public let algorithm: String

        /// The name of its public key, `kid`.
        public let keyID: String

        /// The `User-Agent` it enrolled with.
        public let userAgent: String?

        /// What the server made of that.
        public let model: DeviceModel
    }
}
