extension XignIn {
    /// What the app has chosen.
    public struct Configuration: Sendable {
        /// How managers are talked to: an adapter over the vendor's engine, or the open format of
        /// PushXignInReference.
        public var wireFormat: any XignInWireFormat

        /// The versions of the protocol that this app speaks.
        public var supportedAPI: ClosedRange<SmartDeviceAPI>

        /// How often a new PIN is stretched (PBKDF2 with HMAC-SHA256).
        public var pinIterations: Int

        /// Whether an activation link may lead to plain HTTP on this machine, for tests alone.
        public var allowsPlainHTTP: Bool

        /// The hosts to which an activation link may lead, such as `idm.example.com`; empty for any
        /// public name.
        ///
        /// A public name is neither an IP address nor `localhost`. A host that is listed here is
        /// allowed whatever it is. Neither the case of letters, nor a dot at the end, nor the brackets
        /// of an IPv6 address make a difference.
        public var allowedHosts: Set<String> = []

        /// Whether an activation link may lead to IP addresses and `localhost`, for tests and
        /// simulators.
        public var allowsLocalHosts = false

        /// The keys that only biometry unlocks; `nil` if the app has none, and then personalizing
        /// doesn't ask for biometry.
        public var biometricKeys: (any XignInBiometricKeys)?

        /// Creates a configuration.
        public init(
            wireFormat: any XignInWireFormat,
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
