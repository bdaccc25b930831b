/// Which servers must show which keys: the rules of a transport, none by default.
///
/// A pin narrows whom a transport trusts and never widens it: the chain must hold as well, up to an
/// authority the transport trusts. A host without a rule is treated as if there were no pins.
///
/// The most specific rule decides alone: one for exactly the host, else that of the closest domain
/// above (or the host itself) that includes its subdomains.
public struct ServerPins: Hashable, Sendable {
    /// The rules, in no order that matters.
    public let rules: [Rule]

    private let exact: [String: Set<ServerPin>]
    private let domains: [String: Set<ServerPin>]

    /// No rule: no server is held to a pin.
    public init() {
        rules = []
        exact = [:]
        domains = [:]
    }

    /// Creates a set of rules.
    ///
    /// - Throws: ``PushError`` with the code `invalidArgument` if two rules of the same kind are for
    ///   one host. One for the host alone may stand beside one that includes its subdomains.
    public init(_ rules: [Rule]) throws(PushError) {
        var exact: [String: Set<ServerPin>] = [:]
        var domains: [String: Set<ServerPin>] = [:]
        for rule in rules {
            let earlier =
                rule.includesSubdomains
                ? domains.updateValue(rule.pins, forKey: rule.host)
                : exact.updateValue(rule.pins, forKey: rule.host)
            guard earlier == nil else {
                throw PushError(.invalidArgument, "Two rules are for \(rule.host).")
            }
        }
        self.rules = rules
        self.exact = exact
        self.domains = domains
    }

    /// Whether there is no rule.
    public var isEmpty: Bool { rules.isEmpty }

    /// The pins a host is held to.
    ///
    /// - Parameter host: A host as ``Rule/init(host:includesSubdomains:pins:)`` takes it.
    /// - Returns: Its pins; empty if no rule covers it.
    /// - Throws: ``PushError`` with the code `invalidArgument` if no rule could ever name the host,
    ///   such as an address in an unusual notation.
    public func pins(for host: String) throws(PushError) -> Set<ServerPin> {
        let name = try HostName(host)
        if let pins = exact[name.text] { return pins }
        guard !name.isAddress else { return [] }
        var domain = name.text[...]
        while true {
            if let pins = domains[String(domain)] { return pins }
            guard let rest = domain.cut(at: ".").rest else { return [] }
            domain = rest
        }
    }

    /// The pins that a request's server is held to, whatever the transport.
    ///
    /// With any rule at all, a host that no rule could name is refused: a client might still
    /// understand it, and take it for a host that has pins.
    ///
    /// - Returns: Its pins; empty if no rule covers it.
    /// - Throws: ``PushError`` with the code `insecureRequest`.
    package func pins(
        for destination: RequestRules.Destination
    ) throws(PushError) -> Set<ServerPin> {
        guard !isEmpty else { return [] }
        let authority = destination.authority
        guard let endpoint = try? Endpoint(destination.url),
            let pins = try? pins(for: endpoint.host)
        else {
            throw PushError(
                .insecureRequest, "The host of \(authority) isn't written as a rule for pins is.")
        }
        guard pins.isEmpty || endpoint.isSecure else {
            throw PushError(
                .insecureRequest, "Plain HTTP to \(authority) isn't allowed: it has pins.")
        }
        return pins
    }
}

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
