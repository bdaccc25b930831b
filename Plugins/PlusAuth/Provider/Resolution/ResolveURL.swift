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

    /// - Throws: `PushError` with the code `untrusted` if `resolve_url` is anything but absent, null,
    ///   or a URL of an allowed origin.
    init(
        _ claims: ContextClaims, _ credential: PlusAuthCredential,
        _ configuration: PlusAuth.Configuration
    ) throws(PushError) {
        guard let claim = claims.resolveURL else {
            endpoint = try Self.sibling("resolve", of: credential)
            alternative = try Self.sibling("resolve-challenge", of: credential)
            return
        }
        guard let text = claim.string, let endpoint = try? Endpoint(text), endpoint.isSecure,
            Self.isAllowed(endpoint.shortOrigin, credential, configuration),
            configuration.allowsLocalHosts || !endpoint.isLocal
        else {
            throw PushError(.untrusted, "The context's resolve_url isn't of an allowed origin.")
        }
        self.endpoint = endpoint
        alternative = nil
    }

    private static func isAllowed(
        _ origin: String, _ credential: PlusAuthCredential,
        _ configuration: PlusAuth.Configuration
    ) -> Bool {
        origin == credential.origin
            || configuration.resolveOrigins.contains { allowed in
                guard let endpoint = try? Endpoint(allowed) else { return false }
                return endpoint.path == "/" && endpoint.shortOrigin == origin
            }
    }

    /// The enrollment URL with another last path component, and without a query.
    private static func sibling(
        _ name: String, of credential: PlusAuthCredential
    ) throws(PushError) -> Endpoint {
        let enrollment = try Endpoint(credential.enrollmentURL)
        let path = enrollment.path.prefix { $0 != "?" }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        return try Endpoint("\(enrollment.scheme)://\(enrollment.authority)\(folder)\(name)")
    }
}
