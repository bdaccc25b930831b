/// Enrollments: how they begin, how they are, and how they end.
extension PushAuthenticator {
    /// What an invitation would join, for the user's consent. Nothing is sent.
    ///
    /// - Returns: All offers, perhaps of several vendors; `[]` if no linked plugin knows the
    ///   invitation.
    /// - Throws: ``PushError`` with the code `invalidInvitation` if a plugin knows the invitation,
    ///   but it can't be used.
    public nonisolated func offers(
        for invitation: Invitation
    ) throws(PushError) -> [Invitation.Offer] {
        try core.registry.offers(for: invitation)
    }

    /// Accepts an offer: verifies the user if the offer asks for it, and enrolls.
    ///
    /// - Parameters:
    ///   - offer: What the user agreed to join.
    ///   - policy: What opens its answers from the beginning (``setGuard(_:of:)``); `nil` for no guard.
    /// - Returns: The enrollment, active or pending. One that was begun before, and is finished now,
    ///   keeps the ``Enrollment/guardPolicy`` that was chosen then.
    /// - Throws: ``PushError`` with the code of the refusal: such as `alreadyEnrolled`,
    ///   `missingDeviceToken`, `blocked` or `server` from the vendor's plugin, `unreachable` or
    ///   `interrupted` from the network, `storage` from the store, `cancelled` or
    ///   `verificationFailed` from the check of the user; `invitationSpent` if a new invitation is
    ///   needed, `notFound` if no linked plugin made the offer, `unsupported` if it can't be guarded
    ///   so.
    public func enroll(
        _ offer: Invitation.Offer, guardedBy policy: GuardPolicy? = nil
    ) async throws(PushError) -> Enrollment {
        try await EnrollmentFlow(core: core, servers: servers, tokens: tokens, turns: turns)
            .enroll(offer, guardedBy: policy)
    }

    /// Joins what an invitation offers, if the user agrees: the first of its ``offers(for:)``.
    ///
    /// - Parameters:
    ///   - invitation: What the user scanned, typed or entered.
    ///   - policy: What opens its answers from the beginning (``setGuard(_:of:)``); `nil` for no guard.
    ///   - agrees: Shows what would be joined, and returns whether the user wants it.
    /// - Returns: The enrollment, active or pending.
    /// - Throws: ``PushError`` with the code `invalidInvitation` if no linked plugin can use the
    ///   invitation, `cancelled` if the user doesn't agree; nothing was sent then. Else as
    ///   ``enroll(_:guardedBy:)``.
    @discardableResult
    public nonisolated func enroll(
        _ invitation: Invitation, guardedBy policy: GuardPolicy? = nil,
        if agrees: (Invitation.Offer) async -> Bool
    ) async throws(PushError) -> Enrollment {
        guard let offer = try offers(for: invitation).first else {
            throw PushError(.invalidInvitation, "No linked plugin knows this invitation.")
        }
        guard await agrees(offer) else {
            throw PushError(.cancelled, "The user doesn't want to join.", provider: offer.provider)
        }
        return try await enroll(offer, guardedBy: policy)
    }

    /// All enrollments of all linked plugins, each plugin's oldest first.
    ///
    /// An enrollment with a damaged record is left out, and the observer is told its identifier.
    /// ``enrollment(_:)`` throws for it, and ``remove(_:from:)`` can end it.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    public func enrollments() async throws(PushError) -> [Enrollment] {
        try await core.enrollments()
    }

    /// The identifiers of all enrollments of all linked plugins, in no order. Damaged ones are
    /// included, because no record is opened.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    public func enrollmentIDs() async throws(PushError) -> [Enrollment.ID] {
        try await core.documents.ids().filter { core.registry[$0.provider] != nil }
    }

    /// An enrollment; `nil` if there is none.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if its record is damaged, `storage` if the
    ///   store can't tell.
    public func enrollment(_ id: Enrollment.ID) async throws(PushError) -> Enrollment? {
        try await servers.enrollment(id)
    }

    /// Asks the vendor for an enrollment's state, if it has a call for that. A changed state is an
    /// update, too.
    ///
    /// - Throws: ``PushError`` with the code `notFound` if its plugin isn't linked; else what the
    ///   plugin throws, such as `unknownEnrollment`, `unreachable`, `interrupted`, `server` or
    ///   `storage`.
    public func refresh(_ id: Enrollment.ID) async throws(PushError) -> Enrollment {
        let provider = try core.provider(id.provider)
        let enrollment = try await turns.turn(of: id) {
            (turn) async throws(PushError) -> Enrollment in
            try await provider.enroller.refresh(try await turn.account())
        }
        await servers.noteList(of: id, isRefused: false)
        return enrollment
    }

    /// Ends an enrollment, with all its challenges.
    ///
    /// - Parameters:
    ///   - id: The enrollment.
    ///   - place: Where it ends: on this device alone, or at the vendor first, if it has a call for
    ///     that.
    /// - Throws: ``PushError`` with the code `notFound` if its plugin isn't linked, `storage` if
    ///   the store can't be used; else what the plugin throws if the vendor couldn't be told, such
    ///   as `unreachable` or `server`.
    public func remove(
        _ id: Enrollment.ID, from place: Enrollment.Removal = .everywhere
    ) async throws(PushError) {
        try await housekeeping.remove(id, from: place)
    }

    /// Makes the one-time code that is valid now, after verifying the user if the vendor asks for
    /// it. Nothing is sent.
    ///
    /// - Throws: ``PushError`` with the code `notFound` if its plugin isn't linked, `unsupported`
    ///   if the vendor has no codes, `cancelled` or `verificationFailed` if the user wasn't
    ///   verified, `blocked` if the enrollment may make none now, `unknownEnrollment`, `malformed`
    ///   or `storage` if its record can't be used.
    public func code(for id: Enrollment.ID) async throws(PushError) -> OneTimeCode {
        guard let codes = try core.provider(id.provider).codes else {
            throw PushError(
                .unsupported, "The vendor has no one-time codes.", provider: id.provider)
        }
        let (hand, asked): (DocumentInHand, [[Factor]])
        do throws(PushError) {
            hand = try await core.hand(of: id)
            asked = try await codes.verification(of: try hand.account())
        } catch {
            throw error.attributed(to: id.provider)
        }
        // Outside the turn: a user who takes their time mustn't keep an answer waiting.
        let proof = try await core.proof(
            for: .manage(id, "one-time code"), in: hand, to: .codes, asked, VerificationStyle())
        return try await OpenParts.lending(proof.opened) { () async throws(PushError) in
            try await turns.turn(of: id) { (turn) async throws(PushError) -> OneTimeCode in
                try await codes.code(of: try await turn.account(), evidence: proof.evidence)
            }
        }
    }
}

/// How enrollments begin.
struct EnrollmentFlow: Sendable {
    let core: AuthenticatorCore
    let servers: KnownServers
    let tokens: DeviceTokens
    let turns: EnrollmentTurns

    /// Accepts an offer: verifies the user if the offer asks for it, and enrolls.
    func enroll(
        _ offer: Invitation.Offer, guardedBy policy: GuardPolicy?
    ) async throws(PushError) -> Enrollment {
        let provider = try core.provider(offer.provider)
        try refuseLate(offer)
        guard let policy else {
            let evidence = try await core.verify(.join(offer), offer.asks, VerificationStyle())
            return try await enroll(offer, with: evidence, by: provider)
        }
        // Whatever can be refused is refused before an invitation is spent.
        guard let part = provider.guarded else { throw .nothingToGuard }
        try core.documents.sealing.requireGuard()
        guard part.isBiometry else {
            let evidence = try await core.verify(.join(offer), offer.asks, VerificationStyle())
            try await core.documents.sealing.check(policy)
            return try await enroll(
                offer, with: evidence, guardedBy: NewGuard(policy), by: provider)
        }
        try policy.requireUser()
        // The core brings that factor; the app's verifier is asked for the rest.
        let asked = offer.asks.filter { $0.contains(.newBiometry) }
            .map { $0.filter { $0 != .newBiometry } }
        guard !asked.isEmpty else { throw .nothingToGuard }
        let others =
            asked.contains([])
            ? [] : try await core.verify(.join(offer), asked, VerificationStyle())
        let secret = core.environment.random.bytes(32)
        let sealed = try await core.documents.sealing.seal([secret], under: policy)
        let new = NewGuard(policy, sealed)
        let result = await Result { () async throws(PushError) in
            try await enroll(
                offer, with: others + [.biometry(secret)], guardedBy: new, by: provider)
        }
        if !new.isUsed.withLock({ $0 }) { await core.documents.sealing.discard(sealed) }
        return try result.get()
    }

    @inline(never) private func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], guardedBy new: NewGuard? = nil,
        by provider: any PushProvider
    ) async throws(PushError) -> Enrollment {
        var enrollment = try await inTurn(of: offer) {
            (known) async throws(PushError) -> Enrollment in
            // The user may have taken long, and others may have enrolled before.
            try refuseLate(offer)
            // What takes the place of a guarded one is guarded as that was.
            if new == nil, let policy = known?.enrollment.guardPolicy {
                try await core.documents.sealing.check(policy)
            }
            let desired =
                if let known {
                    try await tokens.desired(for: known)
                } else {
                    try await tokens.desired(by: offer.provider)
                }
            return try await NewGuard.current.withValue(new) {
                await Result { () async throws(PushError) in
                    try await provider.enroller.enroll(
                        offer, with: evidence, deviceToken: desired.token)
                }
            }.get()
        }
        let hand = try? await core.documents.read(enrollment.id)
        // Its plugin may return what it knew before its guard was on record.
        enrollment.guardPolicy = hand?.document.guarded?.policy
        await servers.noteList(of: enrollment.id, isRefused: false)
        await core.publish(.enrollment(enrollment))
        if let hand { await turns.checkDeviceToken(of: hand) }
        return enrollment
    }

    /// One at a time for each provider; and in the turn of the enrollment that it replaces, if it
    /// replaces one.
    private func inTurn<Value: Sendable>(
        of offer: Invitation.Offer,
        _ body: (_ known: EnrollmentHead?) async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        do throws(PushError) {
            return try await core.turns.turn(.enrolling(offer.provider)) {
                () async throws(PushError) -> Value in
                guard let id = offer.enrollment, id.provider == offer.provider else {
                    return try await body(nil)
                }
                return try await core.turns.turn(.enrollment(id)) {
                    () async throws(PushError) -> Value in
                    try await body(try await known(id))
                }
            }
        } catch {
            let error = error.attributed(to: offer.provider)
            if error.code != .cancelled { core.report(error, "An enrollment was refused.") }
            throw error
        }
    }

    /// The head of an enrollment that is to be replaced; `nil` without one, or if it is damaged.
    private func known(_ id: Enrollment.ID) async throws(PushError) -> EnrollmentHead? {
        do throws(PushError) {
            return try await core.documents.read(id)?.document.head
        } catch  where error.code == .malformed {
            return nil
        }
    }

    /// Refuses an invitation whose time is over.
    private func refuseLate(_ offer: Invitation.Offer) throws(PushError) {
        guard let deadline = offer.deadline, core.environment.clock.elapsed > deadline else {
            return
        }
        throw PushError(
            .invitationSpent, "The invitation's time is over: ask for a new one.",
            provider: offer.provider)
    }
}
