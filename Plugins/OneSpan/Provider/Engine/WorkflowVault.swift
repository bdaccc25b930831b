package import PushCore

/// The provider's part of the store, as the workflows use it: with their error.
package struct WorkflowVault: Sendable {
    package let core: Vault

    package init(core: Vault) { self.core = core }

    package func credential(_ id: Enrollment.ID) async throws(OrchestrationError) -> Credential? {
        try await outside { () async throws(PushError) in try await core.credential(id) }
    }

    /// The provider's half of a record; `nil` if there is none.
    package func secret(of id: Enrollment.ID) async throws(OrchestrationError) -> OneSpanCredential?
    {
        try await outside { () async throws(PushError) in
            try await core.secret(of: id).map(OneSpanCredential.init)
        }
    }

    package func existing(_ id: Enrollment.ID) async throws(OrchestrationError) -> Credential {
        try await outside { () async throws(PushError) in try await core.existing(id) }
    }

    package func holder(of unique: String) async throws(OrchestrationError) -> Enrollment? {
        try await outside { () async throws(PushError) in try await core.holder(of: unique) }
    }

    package func enrollments() async throws(OrchestrationError) -> [Enrollment] {
        try await outside { () async throws(PushError) in try await core.enrollments() }
    }

    package func create(
        _ credential: Credential, claiming unique: String
    ) async throws(OrchestrationError) {
        try await outside { () async throws(PushError) in
            try await core.create(credential, claiming: unique)
        }
    }

    package func delete(_ id: Enrollment.ID) async throws(OrchestrationError) {
        try await outside { () async throws(PushError) in try await core.delete(id) }
    }

    /// Changes an enrollment and the provider's half of its record, by compare-and-set.
    ///
    /// - Throws: ``OrchestrationError``: what `body` throws, or the store's. Nothing has changed then.
    @discardableResult
    package func update<Value>(
        _ id: Enrollment.ID,
        _ body: (inout OneSpanCredential, inout Enrollment) throws(OrchestrationError) -> Value
    ) async throws(OrchestrationError) -> Value {
        var failure: OrchestrationError?
        do throws(PushError) {
            return try await core.update(id) { (credential) throws(PushError) in
                failure = nil
                var own = try OneSpanCredential(credential.secret)
                do throws(OrchestrationError) {
                    let value = try body(&own, &credential.enrollment)
                    credential.secret = own.sealed
                    return value
                } catch {
                    failure = error
                    throw error.pushError
                }
            }
        } catch {
            throw failure ?? OrchestrationError(error)
        }
    }
}

/// The provider's half of an enrollment's record, and within it the engine's.
package struct OneSpanCredential: Sendable {
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

    package init(user: String, domain: String?, engine: Secret? = nil) {
        self.user = user
        self.domain = domain
        self.engine = engine
    }

    package init(_ sealed: Secret) throws(PushError) {
        let record = try SecretRecord(reading: sealed)
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
        return SecretRecord(fields: fields, secrets: engine.map { [$0] } ?? []).sealed
    }
}
