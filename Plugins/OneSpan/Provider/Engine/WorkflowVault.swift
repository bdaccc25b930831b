import PushCore

/// The provider's part of the store, as the workflows use it: with their error.
struct WorkflowVault: Sendable {
    let core: Vault

    func credential(_ id: Enrollment.ID) async throws(OrchestrationError) -> Credential? {
        try await outside { () async throws(PushError) in try await core.credential(id) }
    }

    /// The provider's half of a record; `nil` if there is none.
    func secret(of id: Enrollment.ID) async throws(OrchestrationError) -> OneSpanCredential? {
        try await outside { () async throws(PushError) in
            try await core.secret(of: id).map(OneSpanCredential.init)
        }
    }

    func existing(_ id: Enrollment.ID) async throws(OrchestrationError) -> Credential {
        try await outside { () async throws(PushError) in try await core.existing(id) }
    }

    func holder(of unique: String) async throws(OrchestrationError) -> Enrollment? {
        try await outside { () async throws(PushError) in try await core.holder(of: unique) }
    }

    func enrollments() async throws(OrchestrationError) -> [Enrollment] {
        try await outside { () async throws(PushError) in try await core.enrollments() }
    }

    func create(
        _ credential: Credential, claiming unique: String
    ) async throws(OrchestrationError) {
        try await outside { () async throws(PushError) in
            try await core.create(credential, claiming: unique)
        }
    }

    func delete(_ id: Enrollment.ID) async throws(OrchestrationError) {
        try await outside { () async throws(PushError) in try await core.delete(id) }
    }

    /// Changes an enrollment and the provider's half of its record, by compare-and-set.
    ///
    /// - Throws: ``OrchestrationError``: what `body` throws, or the store's. Nothing has changed then.
    @discardableResult
    func update<Value>(
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
