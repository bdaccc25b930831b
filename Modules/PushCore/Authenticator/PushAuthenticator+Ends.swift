/// What a vendor says on the way about what is over.
extension PushAuthenticator {
    /// Runs a function in the turn of a challenge's enrollment, for a vendor's door that opens the
    /// challenge in steps of its own. Like ``challenge(_:)``, it closes what an error says is over
    /// (``PushError/ends``). Don't call the authenticator from `body`: it would wait for itself.
    ///
    /// - Parameters:
    ///   - challenge: The challenge.
    ///   - body: Gets what announced it.
    /// - Throws: ``PushError`` with the code `over` if the challenge can't be opened any more, or what
    ///   `body` throws; it names the enrollment's provider, if it named none.
    public func turn<Value: Sendable>(
        of challenge: Challenge.ID, _ body: (Announcement) async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        try await turn(of: challenge.enrollment) { () async throws(PushError) -> Value in
            let announcement = try await openable(challenge)
            do throws(PushError) {
                return try await body(announcement)
            } catch {
                await closeWhatEnds(challenge, error)
                throw error
            }
        }
    }

    /// What announced a challenge that a door may open: it waits for an answer, or for the user to
    /// make the same answer again.
    ///
    /// - Throws: ``PushError`` with the code `over` if it is over or answered, or its answer is on the
    ///   way.
    private func openable(_ id: Challenge.ID) async throws(PushError) -> Announcement {
        let found = try await ledger.announced(id)
        switch found.row.state {
        case .open: return found.announcement
        // Bytes that weren't kept can't go out without the user.
        case .decided where found.row.decided?.bytes == nil: return found.announcement
        case .decided, .answered, .over: throw over(id)
        }
    }

    /// A row with what its provider keeps of the challenge from now on; `nil` if what stands in it now
    /// isn't known.
    func noting(
        _ context: Secret?, in found: AnnouncedRow
    ) async throws(PushError) -> AnnouncedRow? {
        guard let context else { return found }
        let inHand = try await ledger.note(found.row.id, context, from: found.inHand)
        return inHand.flatMap(AnnouncedRow.init)
    }

    /// An enrollment's state; `nil` if there is none, or the store can't tell.
    func state(of id: Enrollment.ID) async -> Enrollment.State? {
        try? await enrollment(id)?.state
    }

    /// Follows what a turn made of an enrollment, whatever the vendor was asked there: the device
    /// token goes to one that was confirmed, and what is open of a lost one is closed.
    ///
    /// - Parameters:
    ///   - id: The enrollment.
    ///   - before: Its state before; one that isn't on this device has nothing to lose.
    ///   - error: What ended the turn, if an error did.
    func follow(
        _ id: Enrollment.ID, _ before: Enrollment.State?, _ error: PushError?
    ) async {
        guard let before else { return }
        let after = try? await enrollment(id)
        let isLost = before != .needsReenrollment && after?.state == .needsReenrollment
        if error?.code == .unknownEnrollment || isLost { await closeAll(of: id) }
        guard let after, after.state != before else { return }
        publish(.enrollment(after))
        // Some vendors take a token only once their side has confirmed the enrollment.
        if after.state == .active { await checkDeviceToken(of: after) }
    }
}

extension Result where Failure == PushError {
    /// The error, if it is one.
    var error: PushError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
