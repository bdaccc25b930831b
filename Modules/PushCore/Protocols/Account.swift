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
        let new = try await resealed(body)
        return try await hand.change(sealing: new) { (document) throws(PushError) in
            try document.requireHere()
            return try document.changeCredential(sealed: new, body)
        }
    }

    /// What is behind the guard may change, such as a key: then it is sealed before the change.
    private func resealed<Credential: ProviderCredential, Value>(
        _ body: (inout Credential, inout Enrollment) throws(PushError) -> Value
    ) async throws(PushError) -> SealedPart? {
        var document = hand.document
        guard let old = document.guarded, let open = old.opened else { return nil }
        var secrets: [Secret]?
        // Only to see what comes of it: what it throws, the change itself throws.
        _ = try? document.changeCredential {
            (credential: inout Credential, enrollment) throws(PushError) in
            _ = try body(&credential, &enrollment)
            secrets = credential.guardable
        }
        guard let secrets, !secrets.areSame(as: open) else { return nil }
        let new = try await hand.documents.sealing.seal(secrets, under: old.policy)
        OpenParts.add((new.part, secrets))
        return new
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
        // If nobody chose another guard, the one that is there stays.
        let new = try await hand.documents.sealing.seal(
            credential, replacing: hand.document.guarded)
        let isDone = try await hand.change(sealing: new) { (document) throws(PushError) in
            try document.requireHere()
            // Another process may have chosen one meanwhile.
            guard new != nil || document.guarded == nil else { return false }
            document.reenroll(enrollment, credential, guarded: new)
            return true
        }
        if !isDone { try await replace(enrollment, credential) }
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

extension Account {
    /// Whether a part of the provider's half is behind a guard: keep no copy of what is in it.
    public var isGuarded: Bool { hand.document.guarded != nil }

    /// Opens the guard of what ``Factor/biometry`` unlocks, where a vendor's door asks for a proof in the
    /// middle of its work. Nobody is asked if it is open for this step.
    ///
    /// - Parameter purpose: What the user is asked for.
    /// - Returns: The proof, with the secret.
    /// - Throws: ``PushError`` with the codes of ``KeyGuard/open(_:for:title:)``; `guardLost` if the
    ///   enrollment has no guard.
    public func biometry(
        for purpose: VerificationRequest.Purpose
    ) async throws(PushError) -> Evidence {
        let sealed = [hand.document.guarded].compactMap(\.self)
        let opened = try await hand.documents.sealing.open(sealed, for: purpose, title: nil)
        guard let secret = opened.first?.secrets.first else {
            throw PushError(.guardLost, "No guard holds the secret that biometry unlocks.")
        }
        return .biometry(secret)
    }

    /// Changes both halves, as ``change(_:)`` does, and with them what ``Factor/biometry`` unlocks: for
    /// a vendor's door that sets biometry up, or takes it away.
    ///
    /// - Parameters:
    ///   - policy: What opens the new secret from now on; `nil` for no guard.
    ///   - body: Changes the halves. It gets the secret, 32 random bytes; `nil` where there is no
    ///     guard. It may run more than once, so it must have no other effect.
    /// - Returns: What the last run of `body` returned.
    /// - Throws: ``PushError`` with the codes of ``KeyGuard/seal(_:under:)`` and of ``change(_:)``, or
    ///   what `body` throws; nothing has changed then. `unsupported` if the policy asks nobody.
    @discardableResult
    public func change<Credential: ProviderCredential, Value>(
        guarding policy: GuardPolicy?,
        _ body: (inout Credential, inout Enrollment, Secret?) throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        // Without its guard a half that has such secrets would lose them.
        guard !(Credential.self is any GuardedCredential.Type) else { throw .nothingToGuard }
        try policy?.requireUser()
        let secret = policy.map { _ in hand.documents.random.bytes(32) }
        var new: SealedPart?
        if let policy, let secret {
            new = try await hand.documents.sealing.seal([secret], under: policy)
        }
        return try await hand.change(sealing: new) { (document) throws(PushError) in
            try document.requireHere()
            let value = try document.changeCredential {
                (credential: inout Credential, enrollment) throws(PushError) in
                try body(&credential, &enrollment, secret)
            }
            document.setGuard(new)
            return value
        }
    }
}

extension PushError {
    /// What a plugin throws where it needs what is behind a locked guard.
    public static let locked = PushError(
        .locked, "The enrollment's guard is locked: answer, or open it (withOpenGuards).")
}
