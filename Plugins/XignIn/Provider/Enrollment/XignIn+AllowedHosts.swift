import PushCore

extension XignIn.Configuration {
    /// Refuses a host to which an activation link may not lead.
    func check(host: String) throws(PushError) {
        let host = Self.plain(host)
        guard allowedHosts.isEmpty else {
            guard allowedHosts.contains(where: { Self.plain($0) == host }) else {
                throw PushError(
                    .invalidInvitation, "The link leads to a host that isn't one of allowedHosts.")
            }
            return
        }
        let isThisMachine = ["127.0.0.1", "localhost", "::1"].contains(host)
        guard
            allowsLocalHosts || allowsPlainHTTP && isThisMachine || Self.isPublicName(host)
        else {
            throw PushError(
                .invalidInvitation,
                "The link leads to an IP address or localhost, not to a public name.")
        }
    }

    /// A host without what makes no difference: case, a dot at its end, and an address's brackets.
    private static func plain(_ host: String) -> String {
        var name = host.lowercased()[...]
        if name.hasSuffix(".") { name.removeLast() }
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        return String(name)
    }

    private static func isPublicName(_ host: String) -> Bool {
        let name = host.contains(":") ? "[\(host)]" : host
        return (try? Endpoint("https://\(name)"))?.isAddressOrLocalhost == false
    }
}
