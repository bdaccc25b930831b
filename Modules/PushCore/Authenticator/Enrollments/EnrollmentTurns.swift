/// Each enrollment's turn: one exchange at a time. If the exchange changed the enrollment, what that
/// asks for is done here, the same for every caller.
final class EnrollmentTurns: Sendable {
    private let core: AuthenticatorCore
    private let servers: KnownServers
    private let challenges: ChallengeLifecycle
    private let tokens: DeviceTokens
    private let retries: Retries

    init(
        _ core: AuthenticatorCore, _ servers: KnownServers, _ challenges: ChallengeLifecycle,
        _ tokens: DeviceTokens, _ retries: Retries
    ) {
        self.core = core
        self.servers = servers
        self.challenges = challenges
        self.tokens = tokens
        self.retries = retries
    }

    /// Runs a function in an enrollment's turn, whose errors name the provider. As a question it
    /// lets everything else go first that waits for the turn. The document may be one that was read
    /// shortly before; it is asked for when the turn has come.
    nonisolated(nonsending) func turn<Value: Sendable>(
        of id: Enrollment.ID, asQuestion isQuestion: Bool = false,
        from hand: @Sendable () -> DocumentInHand? = { nil },
        _ body: nonisolated(nonsending) (EnrollmentTurn) async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        do throws(PushError) {
            return try await core.turns.turn(.enrollment(id), asQuestion: isQuestion) {
                () async throws(PushError) -> Value in
                let turn = EnrollmentTurn(id, from: hand(), servers)
                let result = await LentDocuments.lending(core.documents) {
                    turn.known?.hand.lend()
                    return await Result { () async throws(PushError) in try await body(turn) }
                }.value
                await follow(turn, result.error)
                return try result.get()
            }
        } catch {
            throw error.attributed(to: id.provider)
        }
    }

    /// Follows what a turn made of an enrollment, whatever the vendor was asked there: the device
    /// token goes to one that was confirmed, and what is open of a lost one is closed.
    private nonisolated(nonsending) func follow(_ turn: EnrollmentTurn, _ error: PushError?) async {
        guard let (hand, before) = turn.known else { return }
        let after = hand.enrollment
        let isElsewhere = error?.code == .movedAway
        if error?.code == .unknownEnrollment || isElsewhere
            || after.state != before && after.state.isOver
        {
            await challenges.closeAll(in: hand)
        }
        // The vendor isn't asked again and again for what this device has no use for.
        if isElsewhere { await servers.noteList(of: turn.id, isRefused: true) }
        guard after.state != before else { return }
        await core.publish(.enrollment(after))
        // Some vendors take a token only once their side has confirmed the enrollment.
        if after.state == .active { await checkDeviceToken(of: hand) }
    }

    // MARK: Device tokens

    /// Tells an enrollment the newest token in the background, if it changed while its own exchange
    /// was on the way.
    func checkDeviceToken(of hand: DocumentInHand) async {
        let (head, provider) = (hand.document.head, hand.id.provider)
        guard core.registry[provider]?.capabilities.contains(.tokenUpdate) == true,
            head.shown.state != .pending(.unconfirmed),
            let desired = try? await tokens.desired(for: head), !head.shown.has(desired)
        else { return }
        await retries.tryAgain(.deviceToken(hand.id), after: .zero, telling(hand.id))
    }

    /// Tells the newest token to every enrollment that lacks it. A call that failed is tried again
    /// later.
    func tellDeviceToken() async throws(PushError) -> [Enrollment.ID: PushError] {
        let heads = try await core.surveyed().map(\.document.head)
            .filter { $0.shown.state != .pending(.unconfirmed) }
        let untold = zip(heads, try await tokens.desired(for: heads))
            .filter { head, desired in !head.shown.has(desired) }.map(\.0.enrollment.id)
        let failures = await core.each(untold, of: { $0.provider }) {
            id -> (Enrollment.ID, PushError)? in
            let told = await Result { () async throws(PushError) in
                try await self.tellDeviceToken(to: id)
            }
            return told.error.map { (id, $0.attributed(to: id.provider)) }
        }
        return Dictionary(failures.compactMap(\.self)) { $1 }
    }

    func tellDeviceToken(to id: Enrollment.ID) async throws(PushError) {
        // Not a failure, so it isn't counted as one.
        if let pause = await servers.pause(of: id) {
            await retries.tryAgain(.deviceToken(id), after: pause, telling(id))
            throw KnownServers.pauseError(id)
        }
        do throws(PushError) {
            let changed = try await turn(of: id) { (turn) async throws(PushError) in
                try await tellDeviceTokenNow(to: try await turn.account())
            }
            if let changed { await core.publish(.enrollment(changed)) }
            await retries.forget(.deviceToken(id))
        } catch {
            if error.maySendAgain || error.isPassing {
                await retries.tryAgain(.deviceToken(id), telling(id))
            }
            throw error
        }
    }

    private func telling(_ id: Enrollment.ID) -> Retries.Body {
        { [weak self] () async throws(PushError) in try await self?.tellDeviceToken(to: id) }
    }

    private func tellDeviceTokenNow(
        to account: Account
    ) async throws(PushError) -> Enrollment? {
        let provider = try core.provider(account.id.provider)
        let known = account.enrollment
        // Half an enrollment is told once it is confirmed.
        guard known.state != .pending(.unconfirmed) else { return nil }
        // Read in the turn: a newer token may have come, and been told, meanwhile.
        let desired = try await tokens.desired(for: account.hand.document.head)
        guard case .token(let token) = desired, !known.has(desired) else { return nil }
        // What only the user opens waits for the user.
        if account.hand.document.isLocked, core.asksForQuestions(account.id) { throw .locked }
        // Else a token that changes back would count as known, while the vendor has the other one.
        if !known.isTokenDoubtful, provider.capabilities.contains(.call(for: token)) {
            try await account.changeEnrollment { $0.isTokenDoubtful = true }
        }
        do throws(PushError) {
            try await provider.enroller.update(token, of: account)
        } catch {
            if error.code == .unknownEnrollment { await challenges.closeAll(in: account.hand) }
            // Meanwhile another process may have told a newer one, and cleared the doubt.
            if error.mayHaveArrived, error.code != .unsupported {
                _ = try? await account.changeEnrollment { $0.isTokenDoubtful = true }
            }
            throw error
        }
        return try await account.changeEnrollment { enrollment in
            enrollment.deviceToken = token
            enrollment.isTokenDoubtful = false
            return enrollment
        }
    }
}

extension Enrollment.State {
    /// Whether this device has no use for it any more.
    fileprivate var isOver: Bool { self == .needsReenrollment || self == .movedAway }
}
