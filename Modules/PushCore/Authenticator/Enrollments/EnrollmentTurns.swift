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

    /// Runs a function in an enrollment's turn. As a question it lets everything else go first that
    /// waits for the turn.
    ///
    /// - Parameters:
    ///   - id: The enrollment.
    ///   - isQuestion: Whether it is a question.
    ///   - known: Its credential as it was read shortly before, and what was read with it; asked for when
    ///     the turn has come.
    ///   - along: What is read with its credential, where that saves trips.
    ///   - body: What is done.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` throws; it names the enrollment's provider, if it named none.
    nonisolated(nonsending) func turn<Value: Sendable>(
        of id: Enrollment.ID, asQuestion isQuestion: Bool = false,
        knowing known: @Sendable () -> [KnownRecord] = { [] },
        along: [RecordKey] = [],
        _ body: nonisolated(nonsending) () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        do throws(PushError) {
            return try await core.turns.turn(.enrollment(id), asQuestion: isQuestion) {
                () async throws(PushError) -> Value in
                try await core.environment.remembering(knowing: known(), along: { _ in along }) {
                    () async throws(PushError) -> Value in
                    let before = await servers.state(of: id)
                    let result = await Result(catching: body)
                    await follow(id, before, result.error)
                    return try result.get()
                }
            }
        } catch {
            throw error.attributed(to: id.provider)
        }
    }

    /// How many wait for an enrollment's turn.
    func waiting(for id: Enrollment.ID) async -> (first: Int, questions: Int) {
        await core.turns.waiting(for: .enrollment(id))
    }

    /// Follows what a turn made of an enrollment, whatever the vendor was asked there: the device
    /// token goes to one that was confirmed, and what is open of a lost one is closed.
    ///
    /// - Parameters:
    ///   - id: The enrollment.
    ///   - before: Its state before; one that isn't on this device has nothing to lose.
    ///   - error: What ended the turn, if an error did.
    private nonisolated(nonsending) func follow(
        _ id: Enrollment.ID, _ before: Enrollment.State?, _ error: PushError?
    ) async {
        guard let before else { return }
        let after = try? await servers.enrollment(id)
        let isLost = after.map { $0.state != before && $0.state.isOver } ?? false
        let isElsewhere = error?.code == .movedAway
        if error?.code == .unknownEnrollment || isElsewhere || isLost {
            await challenges.closeAll(of: id)
        }
        // The vendor isn't asked again and again for what this device has no use for.
        if isElsewhere { await servers.noteList(of: id, isRefused: true) }
        guard let after, after.state != before else { return }
        await core.publish(.enrollment(after))
        // Some vendors take a token only once their side has confirmed the enrollment.
        if after.state == .active { await checkDeviceToken(of: after) }
    }

    // MARK: Device tokens

    /// Tells an enrollment the newest token in the background, if it changed while its own exchange
    /// was on the way.
    func checkDeviceToken(of enrollment: Enrollment) async {
        let provider = enrollment.id.provider
        guard core.registry[provider]?.capabilities.contains(.tokenUpdate) == true,
            enrollment.state != .pending(.unconfirmed),
            let desired = try? await tokens.desired(for: enrollment.id), !enrollment.has(desired)
        else { return }
        await retries.tryAgain(.deviceToken(enrollment.id), after: .zero, telling(enrollment.id))
    }

    /// Tells the newest token to every enrollment that lacks it. A call that failed is tried again
    /// later.
    func tellDeviceToken() async throws(PushError) -> [Enrollment.ID: PushError] {
        let told = try await core.enrollments().filter { $0.state != .pending(.unconfirmed) }
        let desired = try await tokens.desired(for: told.map(\.id))
        let untold = told.filter { !$0.has(desired[$0.id] ?? .unspecified) }.map(\.id)
        let failures = await core.each(untold, of: { $0.provider }) {
            id -> (Enrollment.ID, PushError)? in
            do throws(PushError) {
                try await self.tellDeviceToken(to: id)
                return nil
            } catch {
                return (id, error.attributed(to: id.provider))
            }
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
            let changed = try await turn(of: id) { () async throws(PushError) in
                try await tellDeviceTokenNow(to: id)
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

    private func tellDeviceTokenNow(to id: Enrollment.ID) async throws(PushError) -> Enrollment? {
        let provider = try core.provider(id.provider)
        // Read in the turn: a newer token may have come, and been told, meanwhile.
        let desired = try await tokens.desired(for: id)
        let account = try await core.account(id)
        let known = account.enrollment
        // Half an enrollment is told once it is confirmed.
        guard known.state != .pending(.unconfirmed) else { return nil }
        guard case .token(let token) = desired, !known.has(desired) else { return nil }
        // Else a token that changes back would count as known, while the vendor has the other one.
        if !known.isTokenDoubtful, provider.capabilities.contains(.call(for: token)) {
            try await account.changeEnrollment { $0.isTokenDoubtful = true }
        }
        do throws(PushError) {
            try await provider.enroller.update(token, of: account)
        } catch {
            if error.code == .unknownEnrollment { await challenges.closeAll(of: id) }
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
