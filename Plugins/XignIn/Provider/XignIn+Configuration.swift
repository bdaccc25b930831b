extension XignIn {
    /// What the app has chosen.
    public struct Configuration: Sendable {
        /// How managers are talked to: OXRW/1, or an adapter over the vendor's engine.
        public var wireFormat: any XignInWireFormat

        /// The versions of the protocol that this app speaks.
        public var supportedAPI: ClosedRange<SmartDeviceAPI>

        /// How often a new PIN is stretched (PBKDF2 with HMAC-SHA256).
        public var pinIterations: Int

        /// Whether an activation link may lead to plain HTTP on this machine, for tests alone.
        public var allowsPlainHTTP: Bool

        /// The keys that only biometry unlocks; `nil` if the app has none, and then personalizing
        /// doesn't ask for biometry.
        public var biometricKeys: (any XignInBiometricKeys)?

        /// Creates a configuration.
        public init(
            wireFormat: any XignInWireFormat = OpenReferenceWireFormat(),
            supportedAPI: ClosedRange<SmartDeviceAPI> = SmartDeviceAPI(
                1, 0, 0)...SmartDeviceAPI(
                    1, 0, 0),
            pinIterations: Int = 100_000, allowsPlainHTTP: Bool = false,
            biometricKeys: (any XignInBiometricKeys)? = nil
        ) {
            self.wireFormat = wireFormat
            self.supportedAPI = supportedAPI
            self.pinIterations = pinIterations
            self.allowsPlainHTTP = allowsPlainHTTP
            self.biometricKeys = biometricKeys
        }
    }
}
