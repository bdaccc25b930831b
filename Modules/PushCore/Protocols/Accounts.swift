/// One provider's part of the store: its enrollments alone. It finds and makes them; what changes one
/// is its ``Account``.
public struct Accounts: Sendable {
    let store: any CredentialStore
    let provider: ProviderID
    let hands: AccountHands

    /// What it has lent, if it is one step's.
    private var lent: Locked<[Enrollment.ID: Account]>?

    /// Where its credentials are.
    let collection: String

    init(store: any CredentialStore, provider: ProviderID, hands: AccountHands) {
        self.store = store
        self.hands = hands
        self.provider = provider
        collection = RecordKey.credentials(of: provider)
    }

    /// How many records are read by one call.
    private static let pageSize = 250

    /// An enrollment; `nil` if there is none.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell, `malformed` if the
    ///   record is damaged, `movedAway` if it was moved to another device.
    public func account(_ id: Enrollment.ID) async throws(PushError) -> Account? {
        if let known = lent?.withLock({ $0[id] }) { return known }
        guard let (content, revision) = try await read(id) else { return nil }
        _ = try content.record.inUse
        let account = Account(id, content, at: revision, in: notLending)
        lent?.withLock { $0[id] = account }
        return account
    }

    /// An enrollment that must exist.
    ///
    /// - Throws: ``PushError`` with the code `unknownEnrollment` if there is no such enrollment,
    ///   `storage` if the store can't tell, `malformed` if the record is damaged, `movedAway` if it
    ///   was moved to another device.
    public func existing(_ id: Enrollment.ID) async throws(PushError) -> Account {
        guard let account = try await account(id) else { throw unknown }
        return account
    }

    /// The same for one step: whoever asks it for an enrollment again gets the same account.
    var lending: Accounts {
        var accounts = self
        accounts.lent = Locked([:])
        return accounts
    }

    /// The same for an account, which would else keep itself.
    private var notLending: Accounts {
        var accounts = self
        accounts.lent = nil
        return accounts
    }

    /// Writes what was noted of the accounts that were lent.
    func writeNotes() async throws(PushError) {
        for account in lent?.withLock({ Array($0.values) }) ?? [] {
            try await account.writeNotes()
        }
    }

    /// The public half of a credential, in use or moved away; `nil` if there is none.
    func enrollment(_ id: Enrollment.ID) async throws(PushError) -> Enrollment? {
        try await record(id)?.enrollment
    }

    /// A credential's record, in use or moved away; `nil` if there is none.
    func record(_ id: Enrollment.ID) async throws(PushError) -> CredentialRecord? {
        try await read(id)?.content.record
    }

    private func read(
        _ id: Enrollment.ID
    ) async throws(PushError) -> (content: AccountContent, revision: Revision)? {
        guard id.provider == provider else { return nil }
        guard let (value, revision) = try await store.read(key(id)) else {
            hands.forget(id)
            return nil
        }
        return (try hands.content(of: value, for: id), revision)
    }

    /// The record of a credential as this turn has read it, where reading it again would be a trip.
    func known(_ id: Enrollment.ID) async -> KnownRecord? {
        await (store as? RememberingStore)?.known(key(id))
    }

    /// Where a credential is.
    func key(_ id: Enrollment.ID) -> RecordKey { RecordKey(collection, id.name) }

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
        var record = CredentialRecord(Credential(enrollment, secret: credential.sealed))
        record.credential.claims = unique.map { [$0] } ?? []
        return try await create(AccountContent(record, credential), claiming: unique)
    }

    private func create(
        _ content: AccountContent, claiming unique: String?
    ) async throws(PushError) -> Account {
        let id = content.enrollment.id
        guard id.provider == provider else { throw others }
        guard let claim = unique.map({ Claim($0, of: provider, in: store) }) else {
            return try await write(content)
        }
        try await claim.take(for: id) { (holder) throws(PushError) in try await exists(holder) }
        let account = try await write(content)
        do throws(PushError) {
            guard try await !claim.confirm(for: id) else { return account }
        } catch {
            try? await forget(id)
            throw error
        }
        // Another process took it for left by a crash, before the credential was there.
        try await forget(id)
        throw PushError(
            .alreadyEnrolled, "Another process enrolled it meanwhile.", provider: provider)
    }

    private func write(_ content: AccountContent) async throws(PushError) -> Account {
        let id = content.enrollment.id
        let revision = try await store.write(content.value, for: key(id), replacing: nil)
        hands.keep(content, of: id)
        return Account(id, content, at: revision, in: notLending)
    }

    /// Takes a credential from the store, damaged or not.
    private func forget(_ id: Enrollment.ID) async throws(PushError) {
        try await store.delete(key(id))
        hands.forget(id)
        lent?.withLock { $0[id] = nil }
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
            return try await store.read(key(id)) != nil
        } catch  where error.code == .malformed {
            return true
        }
    }

    /// Runs `body` on the newest record until the write wins.
    ///
    /// - Parameters:
    ///   - id: The enrollment.
    ///   - inHand: What to start from; if it is old, compare-and-set finds out.
    ///   - body: Changes the record. It may run more than once.
    /// - Returns: What the last run of `body` returned, and the record as it is then; without a
    ///   revision if the store can't tell that.
    /// - Throws: What `body` throws, and what ``Account/change(_:)`` does.
    func change<Value>(
        _ id: Enrollment.ID, from inHand: (content: AccountContent, revision: Revision)? = nil,
        _ body: (inout AccountContent) throws(PushError) -> Value
    ) async throws(PushError) -> (value: Value, content: AccountContent, revision: Revision?) {
        // What was read a while ago may be old: then only the write finds out.
        let isFresh = await known(id) == nil
        var inHand = inHand
        for _ in 0..<100 {
            let isInHand = inHand != nil
            guard let (found, revision) = if let inHand { inHand } else { try await read(id) }
            else { throw unknown }
            inHand = nil
            var changed = found
            let value: Value
            do throws(PushError) {
                _ = try found.record.inUse
                value = try body(&changed)
            } catch {
                guard isInHand else { throw error }
                continue
            }
            guard changed.enrollment.id.provider == provider else { throw others }
            changed = changed.sealed
            if isFresh, changed.value.isEqualInConstantTime(to: found.value) {
                // What is in hand may be old: that nothing is to be written it can't say.
                guard isInHand else { return (value, changed, revision) }
                continue
            }
            do throws(PushError) {
                let written = try await store.write(
                    changed.value, for: key(id), replacing: revision)
                hands.keep(changed, of: id)
                return (value, changed, written)
            } catch  where error.code == .conflict {}
        }
        throw PushError(.conflict, "Others kept changing the record; try again.")
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
        try await forget(id)
        for unique in claims ?? [] {
            try await Claim(unique, of: provider, in: store).release(for: id)
        }
    }

    /// All enrollments in use here, oldest first. It leaves out damaged ones and those that were
    /// moved to another device; ``account(_:)`` throws for them.
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

    private var others: PushError {
        PushError(.invalidArgument, "It is another provider's.", provider: provider)
    }
}
