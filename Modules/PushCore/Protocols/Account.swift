/// What a provider keeps of an enrollment in its own words: keys, counters, tokens, pins.
///
/// A provider makes a type of its own, whose record the core stores and never reads. ``SecretRecord``
/// is a good layout, and is such a type itself.
public protocol ProviderCredential: Sendable {
    /// Reads it from its record.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if the record is damaged.
    init(reading sealed: Secret) throws(PushError)

    /// Its record.
    var sealed: Secret { get }
}

extension SecretRecord: ProviderCredential {}

/// Bytes that their provider reads each time.
extension Secret: ProviderCredential {
    /// The same bytes.
    public init(reading sealed: Secret) { self = sealed }

    /// The same bytes.
    public var sealed: Secret { self }
}

/// One enrollment, lent to its provider for a step: a message, or an exchange in the enrollment's
/// turn. Don't keep it longer.
///
/// It was read once. What another process writes meanwhile, ``change(_:)`` finds out.
public final class Account: Sendable {
    /// The enrollment's identifier.
    public let id: Enrollment.ID

    private let accounts: Accounts
    private let state: Locked<State>

    private struct State {
        var content: AccountContent
        /// `nil` if the store couldn't tell after a write.
        var revision: Revision?
        var notes: [Note] = []
    }

    private typealias Note = @Sendable (inout AccountContent) -> Void

    init(
        _ id: Enrollment.ID, _ content: AccountContent, at revision: Revision?,
        in accounts: Accounts
    ) {
        self.id = id
        self.accounts = accounts
        state = Locked(State(content: content, revision: revision))
    }

    /// The public half, as it was last read or written.
    public var enrollment: Enrollment { state.withLock { $0.content.enrollment } }

    /// The provider's half, as it was last read or written. It is decoded once for each record.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if it is damaged.
    public func credential<Credential: ProviderCredential>(
        as _: Credential.Type = Credential.self
    ) throws(PushError) -> Credential {
        let read = state.withLock { state in
            let wasDecoded = state.content.isDecoded
            let credential = Result { () throws(PushError) -> Credential in
                try state.content.credential()
            }
            return (credential: credential, new: wasDecoded ? nil : state.content)
        }
        if let new = read.new { accounts.hands.replace(new, of: id) }
        return try read.credential.get()
    }

    /// Changes both halves: runs `body` on them until the write wins. The change is durable when
    /// this returns: take a counter with it before a byte leaves, or before anybody sees a code.
    ///
    /// It starts from what is in hand, so it needs no read. What is unchanged isn't written.
    ///
    /// - Parameter body: Changes the halves. It may run more than once, so it must have no other
    ///   effect.
    /// - Returns: What the last run of `body` returned.
    /// - Throws: ``PushError``: `unknownEnrollment` if the enrollment is gone, `malformed` if its
    ///   record is damaged, `movedAway` if it was moved to another device, `storage` if the store
    ///   can't be used, `conflict` if other writers were first a hundred times, or what `body`
    ///   throws; nothing has changed then.
    @discardableResult
    public func change<Credential: ProviderCredential, Value>(
        _ body: (inout Credential, inout Enrollment) throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        try await changeContent { (content) throws(PushError) in try content.change(body) }
    }

    /// Changes the public half alone, as ``change(_:)`` does both.
    ///
    /// - Throws: ``PushError``, as there.
    @discardableResult
    public func changeEnrollment<Value>(
        _ body: (inout Enrollment) throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        try await changeContent { (content) throws(PushError) in
            try body(&content.record.credential.enrollment)
        }
    }

    /// Notes what a message tells, such as an identifier to answer with. It is written once the
    /// message is verified, with what it announces where the store saves a trip by that; and dropped if
    /// the provider refuses the message.
    ///
    /// - Parameter body: Changes the halves. It may run more than once, also on what it has changed
    ///   already.
    public func note<Credential: ProviderCredential>(
        _ body: @escaping @Sendable (inout Credential, inout Enrollment) -> Void
    ) {
        let note: Note = { content in
            // What can't be read has nothing to note.
            try? content.change { (credential: inout Credential, enrollment) throws(PushError) in
                body(&credential, &enrollment)
            }
        }
        state.withLock { $0.notes.append(note) }
    }

    /// Writes what was noted.
    func writeNotes() async throws(PushError) {
        let notes = state.withLock { state in
            defer { state.notes = [] }
            return state.notes
        }
        guard !notes.isEmpty else { return }
        try await changeContent { content in
            for note in notes { note(&content) }
        }
    }

    /// The answer of what a resolver has prepared, signed with the newest credential. The core does
    /// that; call it to test a resolver.
    ///
    /// - Throws: ``PushError``, with the codes of ``change(_:)``.
    public func signed(_ signing: Signing) async throws(PushError) -> Answer {
        switch signing.way {
        case .made(let answer): answer
        case .signed(let sign):
            try await changeContent { (content) throws(PushError) in try sign(&content) }
        }
    }

    private func changeContent<Value>(
        _ body: (inout AccountContent) throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let inHand = state.withLock { state in
            state.revision.map { (content: state.content, revision: $0) }
        }
        let (value, content, revision) = try await accounts.change(id, from: inHand, body)
        state.withLock { state in
            state.content = content
            state.revision = revision
        }
        return value
    }
}

/// How the bytes of an answer come about.
public struct Signing: Sendable {
    enum Way: Sendable {
        case made(Answer)
        case signed(@Sendable (inout AccountContent) throws(PushError) -> Answer)
    }

    let way: Way

    /// The bytes are made and signed.
    public init(_ answer: Answer) {
        way = .made(answer)
    }

    /// They are signed with the newest credential, such as its counter, whose change is on record
    /// before a byte leaves.
    ///
    /// - Parameter sign: Changes the credential, and signs. It has the public half to read. It may
    ///   run more than once, so it must have no other effect, and ask nobody. If it throws
    ///   `conflict`, because the credential isn't the one that was prepared for, the answer is
    ///   prepared once more.
    public init<Credential: ProviderCredential>(
        _ sign: @escaping @Sendable (inout Credential, Enrollment) throws(PushError) -> Answer
    ) {
        way = .signed { (content) throws(PushError) in
            try content.change { (credential: inout Credential, enrollment) throws(PushError) in
                try sign(&credential, enrollment)
            }
        }
    }
}
