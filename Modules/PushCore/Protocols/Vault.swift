/// One provider's part of the store: its credentials alone.
public struct Vault: Sendable {
    let store: any CredentialStore
    let provider: ProviderID

    /// Where its credentials are.
    let collection: String

    init(store: any CredentialStore, provider: ProviderID) {
        self.store = store
        self.provider = provider
        collection = RecordKey.credentials(of: provider)
    }

    /// How many records are read by one call.
    private static let pageSize = 250

    /// A credential; `nil` if there is none.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell, `malformed` if the
    ///   record is damaged, `movedAway` if the enrollment was moved to another device.
    public func credential(_ id: Enrollment.ID) async throws(PushError) -> Credential? {
        try await record(id)?.inUse
    }

    /// The public half of a credential, in use or moved away; `nil` if there is none.
    func enrollment(_ id: Enrollment.ID) async throws(PushError) -> Enrollment? {
        try await record(id)?.enrollment
    }

    /// A credential's record, in use or moved away; `nil` if there is none.
    func record(_ id: Enrollment.ID) async throws(PushError) -> CredentialRecord? {
        guard id.provider == provider, let (value, _) = try await store.read(key(id)) else {
            return nil
        }
        return try CredentialRecord(reading: value, of: provider)
    }

    /// The provider's half of a credential, for a push, which doesn't need the public half; `nil`
    /// if there is no such credential.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell, `malformed` if the
    ///   record is damaged, `movedAway` if the enrollment was moved to another device.
    public func secret(of id: Enrollment.ID) async throws(PushError) -> Secret? {
        guard id.provider == provider, let (value, _) = try await store.read(key(id)) else {
            return nil
        }
        return try CredentialRecord.secret(in: value, of: provider)
    }

    /// The record of a credential as this turn has read it, where reading it again would be a trip.
    func known(_ id: Enrollment.ID) async -> KnownRecord? {
        await (store as? RememberingStore)?.known(key(id))
    }

    /// Where a credential is.
    func key(_ id: Enrollment.ID) -> RecordKey { RecordKey(collection, id.name) }

    /// A credential that must exist.
    ///
    /// - Throws: ``PushError`` with the code `unknownEnrollment` if there is no such enrollment,
    ///   `storage` if the store can't tell, `malformed` if the record is damaged, `movedAway` if it was
    ///   moved to another device.
    public func existing(_ id: Enrollment.ID) async throws(PushError) -> Credential {
        guard let credential = try await credential(id) else { throw unknown }
        return credential
    }

    /// Stores a new credential.
    ///
    /// A unique value is claimed first, by a record of its own. So no other credential is read, and
    /// of two processes that enroll the same at once, one wins.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - unique: A value that only one enrollment of this provider may have, such as an issuer's
    ///     account; `nil` for none. Values are equal if their bytes are.
    /// - Throws: ``PushError`` with the code `alreadyEnrolled` if another enrollment has the value,
    ///   `conflict` if a credential has this identifier, `invalidArgument` if the credential is
    ///   another provider's, `storage` if the store can't be used.
    public func create(
        _ credential: Credential, claiming unique: String? = nil
    ) async throws(PushError) {
        let id = credential.enrollment.id
        var credential = credential
        credential.claims = unique.map { [$0] } ?? []
        let sealed = try sealed(credential, for: id)
        let key = RecordKey(collection, id.name)
        guard let claim = unique.map({ Claim($0, of: provider, in: store) }) else {
            try await store.write(sealed, for: key, replacing: nil)
            return
        }
        try await claim.take(for: id) { (holder) throws(PushError) in try await exists(holder) }
        try await store.write(sealed, for: key, replacing: nil)
        do throws(PushError) {
            guard try await !claim.confirm(for: id) else { return }
        } catch {
            try? await store.delete(key)
            throw error
        }
        // Another process took it for left by a crash, before the credential was there.
        try await store.delete(key)
        throw PushError(
            .alreadyEnrolled, "Another process enrolled it meanwhile.", provider: provider)
    }

    /// The enrollment that claimed a unique value; `nil` if no enrollment did.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    public func holder(of unique: String) async throws(PushError) -> Enrollment? {
        do throws(PushError) {
            let claim = Claim(unique, of: provider, in: store)
            guard let id = try await claim.holder() else { return nil }
            return try await enrollment(id)
        } catch  where error.code == .malformed {
            return nil
        }
    }

    /// Whether there is a credential, damaged or not.
    private func exists(_ id: Enrollment.ID) async throws(PushError) -> Bool {
        do throws(PushError) {
            return try await store.read(RecordKey(collection, id.name)) != nil
        } catch  where error.code == .malformed {
            return true
        }
    }

    /// Changes a credential: runs `body` on the newest value until the write wins. An unchanged
    /// value isn't written.
    ///
    /// While a message is verified, the write to an ``StoreTraits/atomic`` store may wait: until
    /// the message's announcement is written, or until before anything is sent. If another process
    /// was first then, the message is verified once more.
    ///
    /// - Parameters:
    ///   - id: The credential.
    ///   - body: Changes the value. It may run more than once, so it must have no other effect.
    /// - Returns: What the last run of `body` returned.
    /// - Throws: ``PushError``: `unknownEnrollment` if there is no such enrollment, `malformed` if
    ///   the record is damaged, `movedAway` if it was moved to another device, `storage` if the
    ///   store can't be used, `conflict` if other writers were first a hundred times, or what
    ///   `body` throws; nothing has changed then.
    @discardableResult
    public func update<Value>(
        _ id: Enrollment.ID, _ body: (inout Credential) throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        // What was read a while ago may be old: then only the write finds out.
        let isFresh = await known(id) == nil
        return try await store.change(key(id)) { (found) throws(PushError) in
            guard id.provider == provider, let found else { throw unknown }
            var changed = try CredentialRecord(reading: found, of: provider).inUse
            let result = try body(&changed)
            let value = try sealed(changed, for: id)
            let isSame = isFresh && value.isEqualInConstantTime(to: found)
            return (isSame ? .keep : .replace(value), result)
        }
    }

    /// Deletes a credential, damaged or not, and then its claims. It does nothing if there is none.
    ///
    /// A damaged record can't name its claims. The next enrollment with the same claim finds that
    /// this credential is gone, and takes the claim.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't be used, `conflict` if
    ///   other writers were first a hundred times.
    public func delete(_ id: Enrollment.ID) async throws(PushError) {
        guard id.provider == provider else { return }
        let claims = try? await record(id)?.credential.claims
        try await store.delete(RecordKey(collection, id.name))
        for unique in claims ?? [] {
            try await Claim(unique, of: provider, in: store).release(for: id)
        }
    }

    /// All enrollments in use here, oldest first. It leaves out damaged ones and those that were
    /// moved to another device; ``credential(_:)`` throws for them.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    public func enrollments() async throws(PushError) -> [Enrollment] {
        try await survey().whole.filter { $0.state != .movedAway }
    }

    /// The identifiers of all enrollments, damaged and moved ones included, in no order. It reads
    /// all names, but no record: for each message, use ``ListedEnrollments`` instead.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    public func ids() async throws(PushError) -> [Enrollment.ID] {
        try await store.names(in: collection).map { Enrollment.ID($0, of: provider) }
    }

    /// All enrollments, oldest first, those that were moved away included; and those whose record is
    /// damaged.
    func survey() async throws(PushError) -> (whole: [Enrollment], damaged: [Enrollment.ID]) {
        var whole: [Enrollment] = []
        var damaged: [Enrollment.ID] = []
        let ids = try await ids()
        for start in stride(from: 0, to: ids.count, by: Self.pageSize) {
            let part = ids[start...].prefix(Self.pageSize)
            for (id, record) in zip(part, try await store.read(all: part.map(key))) {
                do throws(PushError) {
                    guard let (value, _) = try record.content.get() else { continue }
                    whole.append(try CredentialRecord(reading: value, of: provider).enrollment)
                } catch  where error.code == .malformed {
                    damaged.append(id)
                }
            }
        }
        whole.sort { ($0.created, $0.id.name) < ($1.created, $1.id.name) }
        return (whole, damaged)
    }

    var unknown: PushError {
        PushError(.unknownEnrollment, "There is no such enrollment.", provider: provider)
    }

    private func sealed(
        _ credential: Credential, for id: Enrollment.ID
    ) throws(PushError) -> Secret {
        guard id.provider == provider else {
            throw PushError(.invalidArgument, "It is another provider's.", provider: provider)
        }
        return try CredentialRecord(credential).sealed
    }
}

extension Vault {
    static let installationCollection = "installation"

    /// A secret of this installation and this provider, the same in every process that shares the
    /// store. It outlives enrollments.
    ///
    /// Derive a device's identifiers from it, so that two servers can't find out that they know the
    /// same device. If it is damaged, a new one replaces it, so keep an enrollment's told
    /// identifier in its credential.
    ///
    /// - Parameter random: The source of a new secret.
    /// - Returns: 32 bytes.
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    public func installationSecret(
        from random: any RandomSource
    ) async throws(PushError) -> Secret {
        let key = RecordKey(Self.installationCollection, provider.rawValue)
        let drawn = random.bytes(32)
        do throws(PushError) {
            return try await installationSecret(key, else: drawn)
        } catch  where error.code == .malformed {
            try await store.discardDamaged(key)
            return try await installationSecret(key, else: drawn)
        }
    }

    private func installationSecret(
        _ key: RecordKey, else drawn: Secret
    ) async throws(PushError) -> Secret {
        try await store.change(key) { found in
            guard let found, found.count == drawn.count else { return (.replace(drawn), drawn) }
            return (.keep, found)
        }
    }
}

extension Vault {
    /// Sends a request that spends an invitation, while the store keeps room for the resulting
    /// credential.
    ///
    /// Use it if the credential can be written only after the server's reply: a store that is full
    /// or read-only is then found before anything is sent.
    ///
    /// - Parameter body: Sends the request. Write what it returned afterwards, when the room is
    ///   free.
    /// - Returns: What `body` returned.
    /// - Throws: ``PushError`` with the code `storage` if there is no room, in which case nothing
    ///   was sent; or what `body` throws.
    public nonisolated(nonsending) func keepingRoom<Value: Sendable>(
        while body: nonisolated(nonsending) () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        // One for all processes: what one that was killed has left is in nobody's way.
        let key = RecordKey("room", provider.rawValue)
        let filler = Secret([UInt8](repeating: 0, count: 8 << 10))
        _ = try await store.replace(key) { _ in filler }
        let result = await Result(catching: body)
        // If it stays, it is only larger than it need be.
        try? await store.delete(key)
        return try result.get()
    }
}
