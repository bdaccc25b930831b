public import PushCore

/// A user on this device, as OneSpan's multi-user management has it.
public struct OrchestrationUser: Hashable, Sendable {
    /// The user identifier, byte for byte as registered.
    public let userIdentifier: String

    /// The user's domain; `nil` if the engine doesn't tell.
    public let domain: String?

    /// Creates a user.
    public init(_ userIdentifier: String, domain: String? = nil) {
        self.userIdentifier = userIdentifier
        self.domain = domain
    }
}

/// Multi-user management.
extension OneSpanOrchestrator {
    /// The users on this device, oldest first: `getUsers`.
    ///
    /// - Throws: `PushError`: `storage` if the store fails, `malformed` if a record is damaged.
    public func users() async throws(PushError) -> [OrchestrationUser] {
        let records = provider.users
        return try await namingProvider { () async throws(OrchestrationError) in
            var users: [OrchestrationUser] = []
            for enrollment in try await records.accounts.enrollments() {
                guard let kept = try await records.kept(of: enrollment.id) else { continue }
                users.append(OrchestrationUser(kept.user, domain: kept.domain))
            }
            return users
        }
    }

    /// Whether a user is activated on this device, registered or not.
    ///
    /// - Throws: `PushError`, as ``users()``.
    public func isUserActivated(_ user: OrchestrationUser) async throws(PushError) -> Bool {
        let provider = provider
        let found = try await namingProvider { () async throws(OrchestrationError) in
            try await provider.users.enrollment(of: user.userIdentifier, in: user.domain)
        }
        return switch found?.state {
        case nil, .pending(.unconfirmed), .needsReenrollment: false
        case .active, .pending, .blocked, .movedAway: true
        }
    }

    /// What is on record of a user: `getUserInformation`.
    ///
    /// - Throws: `PushError`: `unknownEnrollment` (``OneSpanError/notActivated``) if the user isn't on
    ///   this device, else as ``users()``.
    public func userInformation(_ user: OrchestrationUser) async throws(PushError) -> Enrollment {
        try await enrollment(of: user)
    }

    /// Deletes a user on this device; the server isn't told. The user's running workflow is aborted.
    ///
    /// - Throws: `PushError`: `unknownEnrollment` (``OneSpanError/notActivated``) if the user isn't on
    ///   this device, else as ``users()``.
    public func deleteUser(_ user: OrchestrationUser) async throws(PushError) {
        let id = try await enrollment(of: user).id
        if prompt?.id.enrollment == id { prompt?.end(.cancelled) }
        try await authenticator.remove(id)
    }

    /// A user's enrollment.
    ///
    /// - Throws: `PushError`: `unknownEnrollment` (``OneSpanError/notActivated``) if the user isn't on
    ///   this device, else as ``users()``.
    func enrollment(of user: OrchestrationUser) async throws(PushError) -> Enrollment {
        let provider = provider
        return try await namingProvider { () async throws(OrchestrationError) in
            let found = try await provider.users.enrollment(
                of: user.userIdentifier, in: user.domain)
            guard let found else { throw OrchestrationError(.notActivated) }
            return found
        }
    }

    /// Runs what doesn't pass the authenticator, which says everywhere else whose an error is.
    private func namingProvider<Value: Sendable>(
        _ body: () async throws(OrchestrationError) -> Value
    ) async throws(PushError) -> Value {
        do throws(PushError) {
            return try await translatingErrors(body)
        } catch {
            throw error.attributed(to: provider.id)
        }
    }
}
