/// One enrollment, lent to its provider for a step: a message, or an exchange in the enrollment's
/// turn. Don't keep it longer.
///
/// It was read once. What another process writes meanwhile, ``change(_:)`` finds out.
public final class Account: Sendable {
    let hand: DocumentInHand

    init(_ hand: DocumentInHand) {
        self.hand = hand
    }

    /// The enrollment's identifier.
    public var id: Enrollment.ID { hand.id }

    /// The public half, as it was last read or written.
    public var enrollment: Enrollment { hand.enrollment }

    /// The provider's half, as it was last read or written. It is decoded once in a step.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if it is damaged.
    public func credential<Credential: ProviderCredential>(
        as _: Credential.Type = Credential.self
    ) throws(PushError) -> Credential {
        try hand.look { (document) throws(PushError) in try document.readCredential() }
    }

    /// Reads both halves again, where another process may have learned what this step lacks.
    ///
    /// - Throws: ``PushError`` with the code `unknownEnrollment` if the enrollment is gone or was made
    ///   again, `malformed` if its record is damaged, `storage` if the store can't tell.
    public func reload() async throws(PushError) { try await hand.reload() }

    /// Changes both halves: runs `body` on them until the write wins. The change is durable when
    /// this returns: take a counter with it before a byte leaves, or before anybody sees a code.
    ///
    /// It starts from what is in hand, so it needs no read. What is unchanged isn't written.
    ///
    /// - Parameter body: Changes the halves. It may run more than once, so it must have no other
    ///   effect.
    /// - Returns: What the last run of `body` returned.
    /// - Throws: ``PushError``: `unknownEnrollment` if the enrollment is gone or was made again,
    ///   `malformed` if its record is damaged, `movedAway` if it was moved to another device,
    ///   `storage` if the store can't be used, `conflict` if other writers were first a hundred
    ///   times, or what `body` throws; nothing has changed then.
    @discardableResult
    public func change<Credential: ProviderCredential, Value>(
        _ body: (inout Credential, inout Enrollment) throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        try await hand.change(isCareful: true) { (document) throws(PushError) in
            try document.requireHere()
            return try document.changeCredential(body)
        }
    }

    /// Changes the public half alone, as ``change(_:)`` does both.
    ///
    /// - Throws: ``PushError``, as there.
    @discardableResult
    public func changeEnrollment<Value>(
        _ body: (inout Enrollment) throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        try await hand.change(isCareful: true) { (document) throws(PushError) in
            try document.requireHere()
            return try body(&document.head.enrollment)
        }
    }

    /// Puts another enrollment of the same name in the place of this one. What was verified for this
    /// one counts for nothing then.
    ///
    /// - Parameters:
    ///   - enrollment: The new public half.
    ///   - credential: The provider's new half.
    /// - Throws: ``PushError``, as ``change(_:)``.
    public func replace(
        _ enrollment: Enrollment, _ credential: some ProviderCredential
    ) async throws(PushError) {
        try await hand.change { (document) throws(PushError) in
            try document.requireHere()
            document.reenroll(enrollment, credential)
        }
    }

    /// Notes what a message tells, such as an identifier to answer with. It is written with the next
    /// change, such as what the message announces, and dropped if there is none.
    ///
    /// - Parameter body: Changes the halves. It may run more than once, also on what it has changed
    ///   already.
    public func note<Credential: ProviderCredential>(
        _ body: @escaping @Sendable (inout Credential, inout Enrollment) -> Void
    ) {
        hand.note { document in
            // What can't be read has nothing to note.
            try? document.changeCredential {
                (credential: inout Credential, enrollment) throws(PushError) in
                body(&credential, &enrollment)
            }
        }
    }

    /// The answer of what a resolver has prepared, signed with the newest credential. The core does
    /// that in the write that decides; call it to test a resolver.
    ///
    /// - Throws: ``PushError``, with the codes of ``change(_:)``.
    public func signed(_ signing: Signing) async throws(PushError) -> Answer {
        try await hand.change { (document) throws(PushError) in try signing.answer(in: &document) }
    }
}

extension EnrollmentDocument {
    /// - Throws: ``PushError`` with the code `movedAway` if the enrollment isn't in use here.
    func requireHere() throws(PushError) {
        guard head.departed == nil else {
            throw PushError(
                .movedAway, "The enrollment was moved to another device.",
                provider: head.enrollment.id.provider)
        }
    }
}
