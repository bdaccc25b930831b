import PushCore

extension XignIn.Configuration {
    /// Refuses a host to which an activation link may not lead.
    func check(host: String) throws(PushError) {
        let host = host.lowercased()
        guard allowedHosts.isEmpty else {
            guard allowedHosts.contains(where: { $0.lowercased() == host }) else {
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

    private static func isPublicName(_ host: String) -> Bool {
        let name = host.contains(":") ? "[\(host)]" : host
        return (try? Endpoint("https://\(name)"))?.isAddressOrLocalhost == false
    }
}
