/// How guards are opened: for the step that needs it, by the user who decides it.
extension AuthenticatorCore {
    /// Whether a step would need what is behind a locked guard.
    func isLocked(_ hand: DocumentInHand, for uses: GuardedPart.Uses) -> Bool {
        guard hand.document.guarded != nil, let part = registry[hand.id.provider]?.guarded else {
            return false
        }
        return !part.uses.isDisjoint(with: uses)
            && OpenParts.now(in: environment.documents)?[hand.id] == nil
    }

    /// Verifies the user, opens what the step needs, and runs it. Nothing stays open after it.
    ///
    /// Opening a guard is a proof of its own, so the app's verifier is asked for the rest alone.
    nonisolated(nonsending) func verified<Value: Sendable>(
        _ purpose: VerificationRequest.Purpose, in hand: DocumentInHand,
        for uses: GuardedPart.Uses, _ asked: [[Factor]], _ style: VerificationStyle,
        _ body: nonisolated(nonsending) ([Evidence]) async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let documents = environment.documents
        guard let sealed = hand.document.guarded, let part = registry[hand.id.provider]?.guarded,
            OpenParts.now(in: documents)?[hand.id] == nil
        else { return try await body(try await verify(purpose, asked, style)) }
        let alternatives = style.narrowed(asked)
        let others = alternatives.filter { !$0.contains(.biometry) }
        let isBiometry = part.isBiometry && others.count < alternatives.count
        guard isBiometry || !part.uses.isDisjoint(with: uses) else {
            return try await body(try await verify(purpose, asked, style))
        }
        let opened: [Enrollment.ID: [Secret]]
        do throws(PushError) {
            opened = try await documents.opened([hand], for: purpose, title: style.title)
        } catch  where isBiometry && !others.isEmpty && error.mayUseAnotherFactor {
            return try await body(try await verify(purpose, others, style))
        }
        var evidence = sealed.policy.evidence
        if isBiometry, let secret = opened[hand.id]?.first {
            evidence = [.presence, .biometry(secret)]
        }
        let proved = evidence
        let rest = alternatives.map { alternative in
            alternative.filter { factor in !proved.contains { $0.proves(factor) } }
        }
        if !rest.contains([]) { evidence += try await verify(purpose, rest, style) }
        return try await OpenParts.lending(opened, in: documents) {
            () async throws(PushError) in try await body(evidence)
        }
    }
}

extension PushError {
    /// Whether the user may prove themselves another way, where the vendor takes it.
    fileprivate var mayUseAnotherFactor: Bool {
        code == .guardLost || code == .verificationFailed || code == .locked
    }
}

/// Guards: how they are chosen and opened.
extension PushAuthenticator {
    /// Chooses what opens an enrollment's answers from now on; `nil` for no guard.
    ///
    /// Opening the one that is there asks the user. A factor that the vendor knows, such as a key for
    /// biometry, is set up where the vendor's door does it, and only its policy changes here.
    ///
    /// - Returns: The enrollment.
    /// - Throws: ``PushError`` with the code `unsupported` if nothing of it can be guarded, or not so;
    ///   `guardLost`, `cancelled` or `verificationFailed` if the guard that is there wasn't opened;
    ///   `unknownEnrollment`, `notFound`, `malformed` or `storage`. Nothing has changed then.
    @discardableResult
    public func setGuard(
        _ policy: GuardPolicy?, of id: Enrollment.ID
    ) async throws(PushError) -> Enrollment {
        guard let part = try core.provider(id.provider).guarded else { throw .nothingToGuard(id) }
        // Outside the turn: a user who takes their time mustn't keep an answer waiting.
        let before = try await core.hand(of: id)
        let documents = core.environment.documents
        let secrets =
            if before.document.guarded != nil {
                try await documents.opened(
                    [before], for: .manage(id, "change the guard"), title: nil)[id] ?? []
            } else {
                try part.secrets(in: before.document.credential)
            }
        guard !secrets.isEmpty, policy != nil || !part.isBiometry else {
            throw .nothingToGuard(id)
        }
        let new: SealedPart? =
            if let policy { try await documents.sealed(secrets, under: policy) } else { nil }
        let old = before.document.guarded
        let changed = try await turns.turn(of: id) {
            (turn) async throws(PushError) -> Enrollment in
            let hand = try await turn.hand()
            try await hand.change { (document) throws(PushError) in
                try document.requireHere()
                // Another process may have changed what is behind it meanwhile.
                let now = old == nil ? try part.secrets(in: document.credential) : secrets
                guard document.guarded.isSame(as: old), now.areSame(as: secrets) else {
                    throw PushError(.conflict, "Its keys were changed meanwhile: try again.")
                }
                try document.setGuard(new, restoring: secrets, as: part)
            }
            return hand.enrollment
        }
        if let old { await documents.keyGuard?.discard(old.part) }
        await servers.noteList(of: id, isRefused: false)
        await core.publish(.enrollment(changed))
        return changed
    }

    /// Runs a function with the guards of enrollments open, after one question to the user for all.
    ///
    /// It is for what no answer is: a list, a refresh, a new device token, a vendor's key rotation.
    /// What waits to be told to a vendor is told first. Nothing stays open after it.
    ///
    /// - Throws: ``PushError`` with the codes of ``KeyGuard/open(_:for:title:)``, or what `body` throws.
    public func withOpenGuards<Value: Sendable>(
        of ids: [Enrollment.ID], title: String? = nil,
        _ body: @Sendable () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        var hands: [DocumentInHand] = []
        for id in ids { hands.append(try await core.hand(of: id)) }
        guard let first = ids.first else { return try await body() }
        let documents = core.environment.documents
        let opened = try await documents.opened(
            hands, for: .manage(first, "open its guard"), title: title)
        return try await OpenParts.lending(opened, in: documents) {
            () async throws(PushError) -> Value in
            // What waited for the user. If a vendor isn't reached, its token is told another time.
            for id in ids
            where core.registry[id.provider]?.guarded?.uses.contains(.questions) == true {
                try? await turns.tellDeviceToken(to: id)
            }
            return try await body()
        }
    }
}

extension GuardedPart {
    /// What of an unguarded credential a guard would seal.
    fileprivate func secrets(in sealed: Secret) throws(PushError) -> [Secret] {
        try credential?.init(reading: sealed).answerSecrets ?? []
    }
}

extension EnrollmentDocument {
    /// Changes the guard of a credential whose secrets are open.
    fileprivate mutating func setGuard(
        _ new: SealedPart?, restoring secrets: [Secret], as part: GuardedPart
    ) throws(PushError) {
        setGuard(new)
        guard let type = part.credential else { return }
        try restore(type, new == nil ? secrets : [])
    }
}

extension SealedPart? {
    fileprivate func isSame(as other: SealedPart?) -> Bool {
        guard let part = self?.part, let others = other?.part else {
            return self == nil && other == nil
        }
        return part.isEqualInConstantTime(to: others)
    }
}

extension PushError {
    fileprivate static func nothingToGuard(_ id: Enrollment.ID) -> PushError {
        PushError(
            .unsupported, "The vendor's plugin leaves nothing of it to a guard, or not so.",
            provider: id.provider)
    }
}
