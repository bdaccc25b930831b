extension PlusAuthSimulator.Configuration {
    /// How many requests are taken before 429.
    public struct RateLimit: Hashable, Sendable {
        /// In any second; the vendor's plans have 10 to 50.
        public var perSecond: Int

        /// In any minute; the vendor's plans have 120 to 1,200.
        public var perMinute: Int

        /// Creates a limit.
        public init(perSecond: Int, perMinute: Int) {
            self.perSecond = perSecond
            self.perMinute = perMinute
        }
    }
}
