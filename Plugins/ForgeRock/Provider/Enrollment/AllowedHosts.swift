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
        guard allowsLocal || !endpoint.isAddressOrLocalhost else {
            throw EnrollmentURIParameters.invalid(
                name, "leads to an IP address or to localhost, not to a name")
        }
    }

    /// A host without what makes no difference: case, a dot at its end, and an address's brackets.
    private static func plain(_ host: String) -> String {
        var name = host.lowercased()[...]
        if name.hasSuffix(".") { name.removeLast() }
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        return String(name)
    }
}
