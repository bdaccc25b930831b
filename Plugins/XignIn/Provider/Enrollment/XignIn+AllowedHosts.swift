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

    /// Whether a host, in lower case, is neither an IP address in any form nor this machine.
    private static func isPublicName(_ host: String) -> Bool {
        guard let last = host.split(separator: ".").last, !host.contains(":") else { return false }
        // A name that ends in a number is read as an IPv4 address.
        let isNumber = last.utf8.allSatisfy { 0x30...0x39 ~= $0 } || last.hasPrefix("0x")
        return !isNumber && last != "localhost"
    }
}
