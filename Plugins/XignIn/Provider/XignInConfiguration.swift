import PushCore

/// What the app has chosen.
public struct XignInConfiguration: Sendable {
    /// How managers are talked to: an adapter over the vendor's engine, or the open format of
    /// PushXignInReference.
    public var wireFormat: any XignInWireFormat

    /// The versions of the protocol that this app speaks.
    public var supportedAPI: ClosedRange<SmartDeviceAPI>

    /// How often a new PIN is stretched (PBKDF2 with HMAC-SHA256).
    public var pinIterations: Int

    /// Whether an activation link may lead to plain HTTP on this machine, for tests alone.
    public var allowsPlainHTTP: Bool

    /// The hosts to which an activation link may lead, such as `idm.example.com`; empty for any
    /// public name.
    ///
    /// A public name is neither an IP address nor `localhost`. A host that is listed here is
    /// allowed whatever it is. Neither the case of letters, nor a dot at the end, nor the brackets
    /// of an IPv6 address make a difference.
    public var allowedHosts: Set<String> = []

    /// Whether an activation link may lead to IP addresses and `localhost`, for tests and
    /// simulators.
    public var allowsLocalHosts = false

    /// Creates a configuration.
    public init(
        wireFormat: any XignInWireFormat,
        supportedAPI: ClosedRange<SmartDeviceAPI> = SmartDeviceAPI(
            1, 0, 0)...SmartDeviceAPI(
                1, 0, 0),
        pinIterations: Int = 100_000, allowsPlainHTTP: Bool = false
    ) {
        self.wireFormat = wireFormat
        self.supportedAPI = supportedAPI
        self.pinIterations = pinIterations
        self.allowsPlainHTTP = allowsPlainHTTP
    }
}

extension XignInConfiguration {
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
