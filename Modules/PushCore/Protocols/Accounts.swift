/// One provider's enrollments. It finds and makes them; what changes one is its ``Account``.
public struct Accounts: Sendable {
    let documents: Documents
    let provider: ProviderID

    init(_ documents: Documents, of provider: ProviderID) {
        self.documents = documents
        self.provider = provider
    }

    /// An enrollment; `nil` if there is none.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell, `malformed` if the
    ///   record is damaged, `movedAway` if it was moved to another device.
    public func account(_ id: Enrollment.ID) async throws(PushError) -> Account? {
        guard id.provider == provider else { return nil }
        if let known = LentDocuments.now(in: documents)?[id] { return try known.account() }
        guard let hand = try await documents.read(id) else { return nil }
        let account = try hand.account()
        hand.lend()
        return account
    }

    /// An enrollment that must exist.
    ///
    /// - Throws: ``PushError`` with the code `unknownEnrollment` if there is no such enrollment,
    ///   `storage` if the store can't tell, `malformed` if the record is damaged, `movedAway` if it
    ///   was moved to another device.
    public func existing(_ id: Enrollment.ID) async throws(PushError) -> Account {
        guard let account = try await account(id) else {
            throw .unknownEnrollment(of: provider)
        }
        return account
    }

    /// Stores a new enrollment.
    ///
    /// A unique value is claimed first, by a record of its own. So no other enrollment is read, and
    /// of two processes that enroll the same at once, one wins.
    ///
    /// - Parameters:
    ///   - enrollment: The public half.
    ///   - credential: The provider's half.
    ///   - unique: A value that only one enrollment of this provider may have, such as an issuer's
    ///     account; `nil` for none. Values are equal if their bytes are.
    /// - Returns: The enrollment, to go on with.
    /// - Throws: ``PushError`` with the code `alreadyEnrolled` if another enrollment has the value,
    ///   `conflict` if there is an enrollment with this identifier, `invalidArgument` if it is
    ///   another provider's, `storage` if the store can't be used.
    @discardableResult
    public func create(
        _ enrollment: Enrollment, _ credential: some ProviderCredential,
        claiming unique: String? = nil
    ) async throws(PushError) -> Account {
        try await create(enrollment, credential, claiming: unique, after: nil)
    }

    func create(
        _ enrollment: Enrollment, _ credential: any ProviderCredential, claiming unique: String?,
        after past: PastChallenges?
    ) async throws(PushError) -> Account {
        let id = enrollment.id
        guard id.provider == provider else {
            throw PushError(.invalidArgument, "It is another provider's.", provider: provider)
        }
        var head = EnrollmentHead(enrollment)
        guard let unique else {
            return Account(try await documents.create(head, credential, after: past))
        }
        head.claims = [unique]
        let claim = Claim(unique, of: provider, in: documents.store)
        try await claim.take(for: id, unless: documents.exists)
        let hand = try await documents.create(head, credential, after: past)
        do throws(PushError) {
            guard try await !claim.confirm(for: id) else { return Account(hand) }
        } catch {
            try? await documents.delete(id)
            await documents.sealing.discard(hand.document.guarded)
            throw error
        }
        // Another process took it for left by a crash, before the record was there.
        try await documents.delete(id)
        await documents.sealing.discard(hand.document.guarded)
        throw PushError(
            .alreadyEnrolled, "Another process enrolled it meanwhile.", provider: provider)
    }

    /// The enrollment that claimed a unique value; `nil` if no enrollment did.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    public func holder(of unique: String) async throws(PushError) -> Enrollment? {
        do throws(PushError) {
            let claim = Claim(unique, of: provider, in: documents.store)
            guard let id = try await claim.holder() else { return nil }
            return try await documents.read(id)?.enrollment
        } catch  where error.code == .malformed {
            return nil
        }
    }

    /// Deletes an enrollment with all that is known of its challenges, damaged or not, and then its
    /// claims. It does nothing if there is none.
    ///
    /// A damaged record can't name its claims. The next enrollment with the same claim finds that
    /// this one is gone, and takes the claim.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't be used, `conflict` if
    ///   other writers were first a hundred times.
    public func delete(_ id: Enrollment.ID) async throws(PushError) {
        guard id.provider == provider else { return }
        let known = try? await documents.read(id)?.document
        let claims = known?.head.claims
        try await documents.delete(id)
        await documents.sealing.discard(known?.guarded)
        LentDocuments.now(in: documents)?[id] = nil
        for unique in claims ?? [] {
            try await Claim(unique, of: provider, in: documents.store).release(for: id)
        }
    }

    /// All enrollments in use here, oldest first. It leaves out damaged ones and those that were
    /// moved to another device; ``account(_:)`` throws for them.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    public func enrollments() async throws(PushError) -> [Enrollment] {
        try await documents.read(all: try await ids()).compactMap { _, found in
            try? found.get().enrollment
        }
        .filter { $0.state != .movedAway }
        .inOrder { ($0.created, $0.id.name) }
    }

    /// The identifiers of all enrollments, damaged and moved ones included, in no order. It reads
    /// all names, but no record: for each message, use ``ListedEnrollments`` instead.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    public func ids() async throws(PushError) -> [Enrollment.ID] {
        try await documents.ids().filter { $0.provider == provider }
    }
}
