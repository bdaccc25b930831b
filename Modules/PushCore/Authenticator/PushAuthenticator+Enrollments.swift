/// Enrollments: how they begin, how they are, and how they end.
extension PushAuthenticator {
    /// What an invitation would join, for the user's consent. Nothing is sent.
    ///
    /// - Returns: Every offer; more than one vendor may make one. `[]` if no linked plugin knows
    ///   the invitation.
    /// - Throws: ``PushError`` with the code `invalidInvitation` if a plugin knows it, but it can't
    ///   be used.
    public nonisolated func offers(for invitation: Invitation) throws(PushError) -> [Offer] {
        try core.registry.offers(for: invitation)
    }

    /// Joins what an offer describes, after verifying the user where the offer asks for it.
    ///
    /// - Returns: The enrollment, active or pending.
    /// - Throws: ``PushError`` if the vendor refused or wasn't reached.
    public func enroll(_ offer: Offer) async throws(PushError) -> Enrollment {
        try await Enrolling(core: core, tokens: tokens, turns: turns).enroll(offer)
    }

    /// All enrollments of all linked plugins, each plugin's oldest first.
    ///
    /// One whose record is damaged is left out, so that the others stay usable. The observer is
    /// told its identifier; ``enrollment(_:)`` throws for it, ``remove(_:from:)`` can end it.
    public func enrollments() async throws(PushError) -> [Enrollment] {
        try await core.enrollments()
    }

    /// All enrollments of all linked plugins, in no order. No record is opened, so one that is damaged
    /// is among them.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    public func enrollmentIDs() async throws(PushError) -> [Enrollment.ID] {
        var ids: [Enrollment.ID] = []
        for provider in core.registry.ids {
            ids += try await core.environment.vault(for: provider).ids()
        }
        return ids
    }

    /// An enrollment; `nil` if there is none.
    public func enrollment(_ id: Enrollment.ID) async throws(PushError) -> Enrollment? {
        try await servers.enrollment(id)
    }

    /// Asks the vendor for an enrollment's state, where there is a call for it. A state that changed
    /// is an update, too.
    public func refresh(_ id: Enrollment.ID) async throws(PushError) -> Enrollment {
        let provider = try core.provider(id.provider)
        return try await turns.turn(of: id) { () async throws(PushError) -> Enrollment in
            try await provider.enroller.refresh(id)
        }
    }

    /// Ends an enrollment, with all its challenges.
    ///
    /// - Parameters:
    ///   - id: The enrollment.
    ///   - place: Where it ends: at the vendor, where there is a call for it, then on this device; or
    ///     on this device alone.
    public func remove(
        _ id: Enrollment.ID, from place: Removal = .everywhere
    ) async throws(PushError) {
        try await housekeeping.remove(id, from: place)
    }

    /// Makes the one-time code that is valid now, after verifying the user where the vendor asks
    /// for it. Nothing is sent.
    ///
    /// - Throws: ``PushError`` with the code `unsupported` if the vendor has no codes, `blocked` if
    ///   the enrollment may make none now.
    public func code(for id: Enrollment.ID) async throws(PushError) -> OneTimeCode {
        guard let codes = try core.provider(id.provider).codes else {
            throw PushError(
                .unsupported, "The vendor has no one-time codes.", provider: id.provider)
        }
        let asked: [[Factor]]
        do throws(PushError) {
            asked = try await codes.verification(for: id)
        } catch {
            throw error.of(id.provider)
        }
        // Outside the turn: a user who takes their time mustn't keep an answer waiting.
        let evidence = try await core.verify(
            .manage(id, "one-time code"), asked, VerificationStyle())
        return try await turns.turn(of: id) { () async throws(PushError) -> OneTimeCode in
            try await codes.code(for: id, evidence: evidence)
        }
    }
}

/// The device's tokens, by which vendors reach it.
extension PushAuthenticator {
    /// Takes this device's newest token of one push service, and tells every vendor that should have
    /// it: an enrollment gets the token of the service that its provider prefers
    /// (``PushProvider/pushServices``), unless it was given one of its own.
    ///
    /// The token is remembered first, so ``resume()`` tells whoever couldn't be told now.
    ///
    /// - Parameter deviceToken: The token. Those of other services stay.
    /// - Returns: The enrollments whose vendor doesn't have its token yet, and why: `unsupported`
    ///   where the vendor has no call for it.
    /// - Throws: ``PushError`` with the code `invalidArgument` if it isn't a token at all, `storage`
    ///   if it couldn't be remembered, or whom to tell couldn't be found out: give it again, or call
    ///   ``resume()``.
    @discardableResult
    public func deviceTokenChanged(
        _ deviceToken: DeviceToken
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        try deviceToken.check()
        try await tokens.remember(deviceToken, of: deviceToken.service)
        return try await turns.tellDeviceToken()
    }

    /// Takes note that this device has no token of a push service any more, and tells every vendor
    /// that had it.
    ///
    /// - Returns: As ``deviceTokenChanged(_:)``.
    /// - Throws: ``PushError``, as ``deviceTokenChanged(_:)``.
    @discardableResult
    public func deviceTokenRemoved(
        of service: PushService
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        try await tokens.remember(nil, of: service)
        return try await turns.tellDeviceToken()
    }

    /// Gives one enrollment a token of its own, and tells its vendor. What
    /// ``deviceTokenChanged(_:)`` brings doesn't reach it from then on.
    ///
    /// It's for a process that holds many accounts, each reached by a token of its own, and for a
    /// vendor whose documentation gives each account its own token.
    ///
    /// - Parameters:
    ///   - deviceToken: The token, of a service that its provider takes; `nil` if it has none.
    ///   - id: The enrollment.
    /// - Throws: ``PushError``: `unknownEnrollment`, `invalidArgument` if it isn't a token of a
    ///   service that the provider takes, `storage`; nothing has changed then. Else why the vendor
    ///   doesn't have it yet: it is remembered and told later, but for `unsupported`.
    public func deviceTokenChanged(
        _ deviceToken: DeviceToken?, for id: Enrollment.ID
    ) async throws(PushError) {
        try await tokens.remember(deviceToken, for: id)
        try await turns.tellDeviceToken(to: id)
    }

    /// Lets an enrollment that was given a token of its own follow the device's tokens again.
    ///
    /// - Throws: ``PushError``, as ``deviceTokenChanged(_:for:)``.
    public func deviceTokenFollowsDevice(for id: Enrollment.ID) async throws(PushError) {
        try await tokens.followDevice(id)
        try await turns.tellDeviceToken(to: id)
    }

    /// Whether an enrollment's vendor has the newest device token. No other enrollment is read.
    ///
    /// - Throws: ``PushError`` with the code `unknownEnrollment` if there is none, `malformed` if its
    ///   record is damaged, `storage` if the store can't tell.
    public func deviceTokenState(
        of id: Enrollment.ID
    ) async throws(PushError) -> DeviceTokenState {
        try await tokens.state(of: id)
    }

    /// Whether each enrollment's vendor has the newest device token.
    public func deviceTokenStates() async throws(PushError) -> [Enrollment.ID: DeviceTokenState] {
        try await tokens.states()
    }
}
