extension ForgeRockSimulator {
    /// Where a login comes from, as AM tells the device.
    public struct LoginContext: Hashable, Sendable {
        /// The browser's address: AM has it from the header `x-real-ip`.
        public var remoteIP: String?

        /// The browser's `User-Agent`.
        public var userAgent: String?

        /// Latitude in degrees, north positive; sent only together with ``longitude``.
        public var latitude: Double?

        /// Longitude in degrees, east positive; sent only together with ``latitude``.
        public var longitude: Double?

        /// Creates a context.
        public init(
            remoteIP: String? = nil, userAgent: String? = nil, latitude: Double? = nil,
            longitude: Double? = nil
        ) {
            self.remoteIP = remoteIP
            self.userAgent = userAgent
            self.latitude = latitude
            self.longitude = longitude
        }
    }
}
