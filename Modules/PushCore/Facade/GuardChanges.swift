/// How guards are chosen and opened.
extension PushAuthenticator {
    /// Chooses what opens an enrollment's answers from now on; `nil` for no guard. Tell the user
    /// the price before: what is in ``Capabilities/GuardedPart/uses`` asks from then on, or waits
    /// until it is opened.
    ///
    /// Opening the guard that is there asks the user. A factor that the vendor knows, such as a key
    /// for biometry, is set up where the vendor's door does it, and only its policy changes here.
    ///
    /// - Parameters:
    ///   - policy: What opens it.
    ///   - id: The enrollment.
    /// - Returns: The enrollment.
    /// - Throws: ``PushError`` with the code `unsupported` if nothing of it can be guarded, or not
    ///   so; `guardLost`, `locked`, `cancelled` or `verificationFailed` if the guard that is there
    ///   wasn't opened; `conflict` if another process changed it meanwhile; `unknownEnrollment`,
    ///   `movedAway`, `notFound`, `malformed` or `storage`. Nothing has changed then.
    @discardableResult
    public func setGuard(
        _ policy: GuardPolicy?, of id: Enrollment.ID
    ) async throws(PushError) -> Enrollment {
        guard let part = try core.provider(id.provider).guarded else { throw .nothingToGuard }
        if part.isBiometry {
            guard let policy else { throw .nothingToGuard }
            try policy.requireUser()
        }
        // Outside the turn: a user who takes their time mustn't keep an answer waiting.
        let before = try await core.hand(of: id)
        let changed = try await core.opening([before], for: .manage(id, "change the guard")) {
            () async throws(PushError) -> Enrollment in
            let (secrets, _) = try before.look { (document) throws(PushError) in
                try part.open(in: &document)
            }
            guard !secrets.isEmpty else { throw .nothingToGuard }
            var new: SealedPart?
            if let policy {
                new = try await core.documents.sealing.seal(secrets, under: policy)
            }
            return try await setGuard(new, over: secrets, as: part, of: id)
        }
        await challenges.forgetOpened(of: id)
        await servers.noteList(of: id, isRefused: false)
        await core.publish(.enrollment(changed))
        return changed
    }

    private func setGuard(
        _ new: SealedPart?, over secrets: [Secret], as part: Capabilities.GuardedPart,
        of id: Enrollment.ID
    ) async throws(PushError) -> Enrollment {
        try await turns.turn(of: id) { (turn) async throws(PushError) -> Enrollment in
            let hand: DocumentInHand
            do throws(PushError) {
                hand = try await turn.hand()
            } catch {
                await core.documents.sealing.discard(new)
                throw error
            }
            try await hand.change(sealing: new) { (document) throws(PushError) in
                try document.requireHere()
                let now = try part.open(in: &document)
                guard now.secrets.areSame(as: secrets) else {
                    throw PushError(.conflict, "Its keys were changed meanwhile: try again.")
                }
                document.setGuard(new, now.half)
            }
            return hand.enrollment
        }
    }

    /// Runs a function with the guards of enrollments open, after one question to the user for all.
    ///
    /// It is for what no answer is: a list, a refresh, a new device token, a vendor's key rotation;
    /// or for several answers at once. What waits to be told to a vendor is told first. Nothing
    /// stays open after it.
    ///
    /// - Parameters:
    ///   - ids: The enrollments. One without a guard needs no opening.
    ///   - title: The prompt's text; `nil` leaves it to the guard.
    ///   - body: What is done.
    /// - Returns: What `body` returns.
    /// - Throws: ``PushError`` with the codes of ``KeyGuard/open(_:for:title:)``;
    ///   `unknownEnrollment`, `malformed` or `storage` if a record can't be read; or what `body`
    ///   throws.
    public func withOpenGuards<Value: Sendable>(
        of ids: [Enrollment.ID], title: String? = nil,
        _ body: @Sendable () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        guard let first = ids.first else { return try await body() }
        var hands: [DocumentInHand] = []
        for id in ids { hands.append(try await core.hand(of: id)) }
        return try await core.opening(hands, for: .manage(first, "open its guard"), title: title) {
            () async throws(PushError) -> Value in
            // What waited for the user. If a vendor isn't reached, its token is told another time.
            for id in ids where core.asksForQuestions(id) {
                try? await turns.tellDeviceToken(to: id)
            }
            return try await body()
        }
    }
}
