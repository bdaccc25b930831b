/// One provider's part of the store: its credentials, and no other provider's.
public struct Vault: Sendable {
    let store: any CredentialStore
    let provider: ProviderID

    init(store: any CredentialStore, provider: ProviderID) {
        self.store = store
        self.provider = provider
    }

    /// A credential; `nil` if there is none.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell, `malformed` if the
    ///   record is damaged.
    public func credential(_ id: Enrollment.ID) async throws(PushError) -> Credential? {
        guard id.provider == provider,
            let (value, _) = try await store.read(RecordKey(collection, id.name))
        else { return nil }
        return try credential(in: value)
    }

    /// The provider's half of a credential, without reading the public one, which a push doesn't
    /// need; `nil` if there is no such credential.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell, `malformed` if the
    ///   record isn't whole.
    public func secret(of id: Enrollment.ID) async throws(PushError) -> Secret? {
        guard id.provider == provider,
            let (value, _) = try await store.read(RecordKey(collection, id.name))
        else { return nil }
        return try secret(in: SecretRecord.secrets(of: value))
    }

    /// A credential that must be there.
    ///
    /// - Throws: ``PushError`` with the code `unknownEnrollment` if there is none.
    public func existing(_ id: Enrollment.ID) async throws(PushError) -> Credential {
        guard let credential = try await credential(id) else { throw unknown }
        return credential
    }

    /// Stores a new credential.
    ///
    /// - Throws: ``PushError`` with the code `conflict` if there is one under its identifier.
    public func create(_ credential: Credential) async throws(PushError) {
        let id = credential.enrollment.id
        try await store.write(
            try sealed(credential, for: id), for: RecordKey(collection, id.name), replacing: nil)
    }

    /// Changes a credential: runs `body` on the newest value until the write wins.
    ///
    /// - Parameters:
    ///   - id: The credential.
    ///   - body: Changes the value. It may run more than once, so it must have no other effect.
    /// - Returns: What the last run of `body` returned.
    /// - Throws: ``PushError``: `unknownEnrollment` if there is none, `conflict` if others were first
    ///   a hundred times, or what `body` throws; nothing has changed then.
    @discardableResult
    public func update<Value>(
        _ id: Enrollment.ID, _ body: (inout Credential) throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        try await store.change(RecordKey(collection, id.name)) { (found) throws(PushError) in
            guard id.provider == provider, let found else { throw unknown }
            var changed = try credential(in: found)
            let result = try body(&changed)
            return (.replace(try sealed(changed, for: id)), result)
        }
    }

    /// Deletes a credential, if it is there, damaged or not.
    public func delete(_ id: Enrollment.ID) async throws(PushError) {
        guard id.provider == provider else { return }
        try await store.delete(RecordKey(collection, id.name))
    }

    /// All enrollments, oldest first. A damaged one is left out, so that the others stay usable;
    /// ``credential(_:)`` tells.
    public func enrollments() async throws(PushError) -> [Enrollment] {
        try await survey().whole
    }

    /// All enrollments, oldest first, and those whose record is damaged.
    func survey() async throws(PushError) -> (whole: [Enrollment], damaged: [Enrollment.ID]) {
        var whole: [Enrollment] = []
        var damaged: [Enrollment.ID] = []
        for name in try await store.names(in: collection) {
            let id = Enrollment.ID(name, of: provider)
            do throws(PushError) {
                if let credential = try await credential(id) { whole.append(credential.enrollment) }
            } catch  where error.code == .malformed {
                damaged.append(id)
            }
        }
        whole.sort { ($0.created, $0.id.name) < ($1.created, $1.id.name) }
        return (whole, damaged)
    }

    var collection: String { "credential/\(provider.rawValue)" }

    private var unknown: PushError {
        PushError(.unknownEnrollment, "There is no such enrollment.", provider: provider)
    }

    private func credential(in value: Secret) throws(PushError) -> Credential {
        let record = try SecretRecord(reading: value)
        let secret = try secret(in: record.secrets)
        return Credential(try Enrollment(json: .object(record.fields)), secret: secret)
    }

    private func secret(in secrets: [Secret]) throws(PushError) -> Secret {
        guard let secret = secrets.first else {
            throw PushError(.malformed, "A credential is damaged.", provider: provider)
        }
        return secret
    }

    private func sealed(
        _ credential: Credential, for id: Enrollment.ID
    ) throws(PushError) -> Secret {
        guard id.provider == provider else {
            throw PushError(.invalidArgument, "It is another provider's.", provider: provider)
        }
        return SecretRecord(
            fields: try credential.enrollment.json.members(), secrets: [credential.secret]
        ).sealed
    }
}
