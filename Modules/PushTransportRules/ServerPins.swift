public import PushCore

/// A transport's rules of which keys servers must show; none by default.
///
/// A pin only narrows a transport's trust: the chain must hold as well, up to an authority that the
/// transport trusts. Hosts without a rule have no pins.
///
/// Only the most specific rule counts: the one for exactly the host, else the one that includes
/// subdomains of the closest domain at or above it.
public struct ServerPins: Hashable, Sendable {
    /// The rules, in no order that matters.
    public let rules: [Rule]

    private let exact: [String: Set<ServerPin>]
    private let domains: [String: Set<ServerPin>]

    /// Creates an empty set: no server needs a pinned key.
    public init() {
        rules = []
        exact = [:]
        domains = [:]
    }

    /// Creates a set of rules.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if one host has two rules of the
    ///   same kind. It may have one for itself and one that includes its subdomains.
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

    /// Whether there are no rules.
    public var isEmpty: Bool { rules.isEmpty }

    /// The pins of a host.
    ///
    /// - Parameter host: A host as ``Rule/init(host:includesSubdomains:pins:)`` takes it.
    /// - Returns: Its pins; empty if no rule covers it.
    /// - Throws: `PushError` with the code `invalidArgument` if no rule could ever name the host,
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
}

extension ServerPins {
    /// The pins of one host, or of a domain.
    public struct Rule: Hashable, Sendable {
        /// The host in lower case, without a trailing dot; an IPv6 address without brackets.
        public let host: String

        /// Whether the rule also holds for subdomains at any depth.
        public let includesSubdomains: Bool

        /// The pins, at least two. One of them must be in the verified chain.
        public let pins: Set<ServerPin>

        /// Creates a rule.
        ///
        /// It takes at least two pins: one in use, and one of a reserve key. Without a reserve, the
        /// loss of a key would lock out every copy of an app.
        ///
        /// - Parameters:
        ///   - host: A host name of ASCII letters, digits, hyphens, underscores and dots, without a
        ///     port, in any case, perhaps with a trailing dot; an IPv4 address in dotted decimal
        ///     notation; or an IPv6 address. Give an internationalized name in its `xn--` form.
        ///   - includesSubdomains: Whether the rule also holds for subdomains; false by default.
        ///   - pins: The pins; a repeated one counts once.
        /// - Throws: `PushError` with the code `invalidArgument` if the host can't be read, is an
        ///   address with subdomains, or has fewer than two different pins.
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
