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
