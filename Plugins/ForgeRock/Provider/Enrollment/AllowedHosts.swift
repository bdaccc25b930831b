import PushCore

/// Which hosts an enrollment code may lead to. A code proves nothing, so whoever made it chose them.
struct AllowedHosts {
    private let names: Set<String>
    private let allowsLocal: Bool

    init(_ configuration: ForgeRock.Configuration) {
        names = Set(configuration.allowedHosts.map(Self.plain))
        allowsLocal = configuration.allowsLocalHosts
    }

    /// Refuses a code that leads elsewhere.
    func check(_ uri: EnrollmentURI) throws(PushError) {
        try check(uri.registrationEndpoint, "r")
        try check(uri.authenticationEndpoint, "a")
    }

    private func check(_ endpoint: Endpoint, _ name: String) throws(PushError) {
        guard names.isEmpty else {
            if names.contains(Self.plain(endpoint.host)) { return }
            throw EnrollmentURIParameters.invalid(
                name, "leads to a host that the app doesn't allow")
        }
        guard allowsLocal || !Self.isLocal(endpoint) else {
            throw EnrollmentURIParameters.invalid(
                name, "leads to an IP address or to localhost, not to a name")
        }
    }

    private static func plain(_ host: String) -> String {
        let name = host.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    /// Whether the host is an IP address, in any notation that a client might read as one, or this
    /// machine (RFC 6761 section 6.3).
    private static func isLocal(_ endpoint: Endpoint) -> Bool {
        let labels = plain(endpoint.host).split(separator: ".")
        guard !endpoint.host.contains(":"), let last = labels.last else { return true }
        let isDecimal = last.utf8.allSatisfy { 0x30...0x39 ~= $0 }
        return last == "localhost" || isDecimal || last.hasPrefix("0x")
    }
}
