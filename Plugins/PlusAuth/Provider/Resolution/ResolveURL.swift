import PushCore

/// Where an answer goes: to the origin of the enrollment, or to one that the app has named.
///
/// A leaked account key lets others sign any `resolve_url`, and the bearer token goes there.
struct ResolveURL {
    /// Where to send.
    let endpoint: Endpoint

    /// Where to send if there is no such path: the documentation names two, and a push without
    /// `resolve_url` names none.
    let alternative: Endpoint?

    /// Finds where the answer to a verified push goes.
    ///
    /// - Throws: `PushError` with the code `untrusted`; see ``check(_:_:_:)``.
    init(
        _ claims: ContextClaims, _ credential: PlusAuthCredential,
        _ configuration: PlusAuthConfiguration
    ) throws(PushError) {
        try Self.check(claims, credential, configuration)
        let claimed = claims.resolveURL?.string
        endpoint = try Endpoint(claimed ?? credential.resolveURL)
        alternative = claimed == nil ? try Endpoint("\(credential.resolveURL)-challenge") : nil
    }

    /// Checks `resolve_url`.
    ///
    /// - Throws: `PushError` with the code `untrusted` if it is anything but absent, null, or a URL
    ///   of an allowed origin.
    static func check(
        _ claims: ContextClaims, _ credential: PlusAuthCredential,
        _ configuration: PlusAuthConfiguration
    ) throws(PushError) {
        guard let claim = claims.resolveURL else { return }
        // The very text that would be used without the claim needs no reading.
        if let text = claim.string, text.hasSameBytes(as: credential.resolveURL) { return }
        guard let text = claim.string, let endpoint = try? Endpoint(text), endpoint.isSecure,
            isAllowed(endpoint.shortOrigin, credential, configuration),
            configuration.allowsLocalHosts || !endpoint.isAddressOrLocalhost
        else {
            throw PushError(.untrusted, "The context's resolve_url isn't of an allowed origin.")
        }
    }

    private static func isAllowed(
        _ origin: String, _ credential: PlusAuthCredential,
        _ configuration: PlusAuthConfiguration
    ) -> Bool {
        origin == credential.origin
            || configuration.resolveOrigins.contains { allowed in
                guard let endpoint = try? Endpoint(allowed) else { return false }
                return endpoint.path == "/" && endpoint.shortOrigin == origin
            }
    }
}

extension Endpoint {
    /// The origin in the form that the device identifier is made of: the port only if it isn't the
    /// scheme's own.
    var shortOrigin: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? "\(scheme)://\(name)" : "\(scheme)://\(name):\(port)"
    }

    /// The URL with another last path component, and without a query.
    func sibling(_ name: String) -> String {
        let path = path.start(before: "?")
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? "/"
        return "\(scheme)://\(authority)\(folder)\(name)"
    }
}
