extension ServerPins {
    /// The pins of one host, or of a domain.
    public struct Rule: Hashable, Sendable {
        /// The host in lower case, without a trailing dot; an IPv6 address without brackets.
        public let host: String

        /// Whether it also holds for every host below, at any depth.
        public let includesSubdomains: Bool

        /// The pins, at least two. One of them must be in the verified chain.
        public let pins: Set<ServerPin>

        /// Creates a rule.
        ///
        /// At least two pins are demanded: one in use, and one of a key kept in reserve, without
        /// which the loss of a key would lock out every copy of an app.
        ///
        /// - Parameters:
        ///   - host: A host name of ASCII letters, digits, hyphens, underscores and dots, without a
        ///     port, in any case, a trailing dot allowed; or an IPv4 address in dotted decimal
        ///     notation, or an IPv6 address. An internationalized name is given in its `xn--` form.
        ///   - includesSubdomains: Whether it also holds for every host below; false by default.
        ///   - pins: The pins; a repeated one counts once.
        /// - Throws: ``PushError`` with the code `invalidArgument` if the host can't be read, is an
        ///   address and includes subdomains, or has fewer than two different pins.
        public init(
            host: String, includesSubdomains: Bool = false, pins: [ServerPin]
        ) throws(PushError) {
            let name = try HostName(host)
            guard !includesSubdomains || !name.isAddress else {
                throw PushError(.invalidArgument, "The address \(name.text) has no subdomains.")
            }
            self.host = name.text
            self.includesSubdomains = includesSubdomains
            self.pins = Set(pins)
            guard self.pins.count >= 2 else {
                throw PushError(
                    .invalidArgument,
                    "\(name.text) needs two different pins, one in use and one in reserve.")
            }
        }
    }
}
