package import PushCore

/// One enrollment, as a step of a workflow uses it: with the workflow's error.
package struct WorkflowAccount: Sendable {
    private let core: Account

    package init(_ core: Account) { self.core = core }

    package var id: Enrollment.ID { core.id }

    package var enrollment: Enrollment { core.enrollment }

    /// The provider's half of the record. An engine that keeps its own in it may read both at once.
    package func credential<Kept: ProviderCredential>() throws(OrchestrationError) -> Kept {
        do throws(PushError) {
            return try core.credential()
        } catch {
            throw OrchestrationError(error, in: error.oneSpan)
        }
    }

    /// Changes an enrollment and the provider's half of its record: durable when it returns.
    ///
    /// - Parameter body: Changes the halves. It may run more than once.
    /// - Returns: What the last run of `body` returned.
    /// - Throws: ``OrchestrationError``: what `body` throws, or the store's; nothing has changed.
    @discardableResult
    package func change<Kept: ProviderCredential, Value>(
        _ body: (inout Kept, inout Enrollment) throws(OrchestrationError) -> Value
    ) async throws(OrchestrationError) -> Value {
        do throws(PushError) {
            return try await core.change { (kept: inout Kept, enrollment) throws(PushError) in
                do throws(OrchestrationError) {
                    return try body(&kept, &enrollment)
                } catch {
                    throw error.pushError
                }
            }
        } catch {
            throw OrchestrationError(error, in: error.oneSpan)
        }
    }
}

/// The provider's enrollments, as the workflows use them: with their error.
package struct WorkflowAccounts: Sendable {
    package let core: Accounts

    package init(_ core: Accounts) { self.core = core }

    /// An enrollment; `nil` if there is none.
    package func account(
        _ id: Enrollment.ID
    ) async throws(OrchestrationError) -> WorkflowAccount? {
        try await outside { () async throws(PushError) in
            try await core.account(id).map(WorkflowAccount.init)
        }
    }

    package func existing(_ id: Enrollment.ID) async throws(OrchestrationError) -> WorkflowAccount {
        try await outside { () async throws(PushError) in
            WorkflowAccount(try await core.existing(id))
        }
    }

    package func holder(of unique: String) async throws(OrchestrationError) -> Enrollment? {
        try await outside { () async throws(PushError) in try await core.holder(of: unique) }
    }

    package func enrollments() async throws(OrchestrationError) -> [Enrollment] {
        try await outside { () async throws(PushError) in try await core.enrollments() }
    }

    @discardableResult
    package func create(
        _ enrollment: Enrollment, _ credential: some ProviderCredential, claiming unique: String
    ) async throws(OrchestrationError) -> WorkflowAccount {
        try await outside { () async throws(PushError) in
            WorkflowAccount(try await core.create(enrollment, credential, claiming: unique))
        }
    }

    package func delete(_ id: Enrollment.ID) async throws(OrchestrationError) {
        try await outside { () async throws(PushError) in try await core.delete(id) }
    }
}

/// The provider's half of an enrollment's record, and within it the engine's.
package struct OneSpanCredential: ProviderCredential {
    /// The user identifier, byte for byte.
    package let user: String

    /// The user's domain; `nil` if the engine doesn't tell.
    package let domain: String?

    /// The notification identifier last sent for this user.
    package var identifier: String?

    /// Whether the server acknowledged ``identifier``. Cleared before another one leaves, so that
    /// a lost reply is repaired at the next start.
    package var isIdentifierConfirmed = false

    /// Whether the server has said, authenticated, that it removed this device.
    package var isDeactivated = false

    /// The engine's keys and counters, in its own layout; `nil` if it keeps them elsewhere.
    package var engine: Secret?

    package init(user: String, domain: String?) {
        self.user = user
        self.domain = domain
    }

    package init(reading sealed: Secret) throws(PushError) {
        let record = try Secret.Record(reading: sealed)
        guard let user = record.fields["user"]?.string, record.secrets.count <= 1 else {
            throw PushError(.malformed, "The credential is damaged.")
        }
        self.user = user
        domain = record.fields["domain"]?.string
        identifier = record.fields["identifier"]?.string
        isIdentifierConfirmed = record.fields["confirmed"]?.bool ?? false
        isDeactivated = record.fields["deactivated"]?.bool ?? false
        engine = record.secrets.first
    }

    /// What one enrollment alone may have: a user, byte for byte, of a domain.
    package static func claim(user: String, domain: String?) -> String {
        let domain = domain.map { JSON.string($0.lowercased()) } ?? .null
        return String(decoding: JSON.array([domain, .string(user)]).utf8, as: UTF8.self)
    }

    package var sealed: Secret {
        var fields: JSON.Object = [
            "user": .string(user), "confirmed": .bool(isIdentifierConfirmed),
            "deactivated": .bool(isDeactivated),
        ]
        fields["domain"] = domain.map(JSON.string)
        fields["identifier"] = identifier.map(JSON.string)
        return Secret.Record(fields: fields, secrets: engine.map { [$0] } ?? []).sealed
    }
}
