/// The section of a vendor whose codes name its servers.
public struct HostsSection: Decodable, Sendable {
    /// Whether codes may name servers on this machine.
    public let allowsLocalHosts: Bool

    private enum CodingKeys: String, CodingKey {
        case localHosts = "local-hosts"
    }

    /// A section that says nothing.
    public init() { allowsLocalHosts = false }

    /// Reads a section.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        allowsLocalHosts = try values.decodeIfPresent(Bool.self, forKey: .localHosts) ?? false
    }
}

/// The section of a vendor that has nothing to choose.
public struct EmptySection: Decodable, Sendable {
    private enum CodingKeys: CodingKey {}

    /// A section that says nothing.
    public init() {}

    /// Reads a section; any key in it is unknown.
    public init(from decoder: any Decoder) throws {
        _ = try decoder.container(keyedBy: CodingKeys.self)
    }
}
