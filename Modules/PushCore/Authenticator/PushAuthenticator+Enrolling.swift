extension PushAuthenticator {
    /// What an invitation would join, for the user's consent. Nothing is sent.
    ///
    /// - Returns: Every offer; more than one vendor may make one. `[]` if no linked plugin knows
    ///   the invitation.
    /// - Throws: ``PushError`` with the code `invalidInvitation` if a plugin knows it, but it can't
    ///   be used.
    public nonisolated func offers(for invitation: Invitation) throws(PushError) -> [Offer] {
        try registry.offers(for: invitation)
    }

    /// Joins what an offer describes, after verifying the user where the offer asks for it.
    ///
    /// - Returns: The enrollment, active or pending.
    /// - Throws: ``PushError`` if the vendor refused or wasn't reached.
    public func enroll(_ offer: Offer) async throws(PushError) -> Enrollment {
        let provider = try provider(offer.provider)
        let evidence = try await verify(.join(offer), offer.asks, VerificationStyle())
        let enrollment = try await turn(.enrolling(offer.provider)) {
            () async throws(PushError) -> Enrollment in
            let deviceToken = try await desiredDeviceToken(by: offer.provider).token
            do throws(PushError) {
                return try await provider.enroller.enroll(
                    offer, with: evidence, deviceToken: deviceToken)
            } catch {
                if error.code != .cancelled {
                    report(error.of(offer.provider), "An enrollment was refused.")
                }
                throw error.of(offer.provider)
            }
        }
        await forgetPredecessor(of: enrollment.id)
        publish(.enrollment(enrollment))
        await checkDeviceToken(of: enrollment)
        return enrollment
    }

    /// Forgets the token of an enrollment of the same name whose removal was cut short.
    private func forgetPredecessor(of id: Enrollment.ID) async {
        do throws(PushError) {
            try await forgetDeviceToken(of: id)
        } catch {
            report(error.of(id.provider), "What is left of an enrollment couldn't be removed.")
        }
    }

    /// All enrollments of all linked plugins, each plugin's oldest first.
    ///
    /// One whose record is damaged is left out, so that the others stay usable. The observer is
    /// told its identifier; ``enrollment(_:)`` throws for it, ``remove(_:from:)`` can end it.
    public func enrollments() async throws(PushError) -> [Enrollment] {
        var all: [Enrollment] = []
        for id in registry.ids {
            let (whole, damaged) = try await environment.vault(for: id).survey()
            all += whole
            for id in damaged {
                report(damaged: .credential, "A credential is damaged.", of: id)
            }
        }
        return all
    }

    /// An enrollment; `nil` if there is none.
    public func enrollment(_ id: Enrollment.ID) async throws(PushError) -> Enrollment? {
        let enrollment = try await environment.vault(for: id.provider).credential(id)?.enrollment
        servers[id] = enrollment?.server
        return enrollment
    }

    /// Asks the vendor for an enrollment's state, where there is a call for it. A state that changed
    /// is an update, too.
    public func refresh(_ id: Enrollment.ID) async throws(PushError) -> Enrollment {
        let provider = try provider(id.provider)
        return try await turn(of: id) { () async throws(PushError) -> Enrollment in
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
        let provider = try provider(id.provider)
        try await turn(of: id) { () async throws(PushError) in
            // Before the vendor hears of it: a store that is locked can't forget.
            do throws(PushError) {
                _ = try await enrollment(id)
            } catch {
                guard error.code == .malformed else { throw error }
            }
            let result = await Result { () async throws(PushError) in
                try await provider.enroller.remove(id, from: place)
            }
            do throws(PushError) {
                try await forgetRemoved(id, hasFailed: (try? result.get()) == nil)
            } catch {
                guard case .failure = result else { throw error }
                report(error.of(id.provider), "What is left of an enrollment couldn't be removed.")
            }
            try result.get()
        }
    }

    private func forgetRemoved(
        _ id: Enrollment.ID, hasFailed: Bool
    ) async throws(PushError) {
        // The vendor couldn't be told, but a provider may have wiped the device all the same.
        if hasFailed, try await enrollment(id) != nil { return }
        try await forgetAll(of: id)
        publish(.removed(id))
    }

    /// Forgets what the core keeps of an enrollment that is gone.
    func forgetAll(of id: Enrollment.ID) async throws(PushError) {
        // First, as an enrollment that is made again under the same name would take it over.
        try await forgetDeviceToken(of: id)
        try await ledger.removeAll(of: id)
        try await forgetBrake(id)
        try await forgetInbox(id)
        await environment.clock.servers.forget(id)
        openChallenges.removeAll(of: id)
        questions.forget(id)
        polling.forget(id)
    }

    /// Asks the app's verifier, unless nothing is asked for, and checks what it brings.
    func verify(
        _ purpose: VerificationRequest.Purpose, _ asked: [[Factor]], _ style: VerificationStyle
    ) async throws(PushError) -> [Evidence] {
        guard !asked.isEmpty else { return [] }
        let alternatives = style.narrowed(asked)
        guard !alternatives.isEmpty else {
            throw PushError(.invalidArgument, "Only the device's credential is left to ask for.")
        }
        let evidence = try await environment.verifier.verify(
            VerificationRequest(purpose, alternatives: alternatives, title: style.title))
        guard evidence.satisfies(alternatives) else {
            throw PushError(.verificationFailed, "The verifier brought none of what was asked.")
        }
        return evidence
    }
}
