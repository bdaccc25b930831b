import PushCore

extension XignAuthenticator {
    /// Fetches what a process is about: who asks, and for which service. It claims nothing.
    ///
    /// - Parameter message: What ``XignPush`` returned, kept in a notification or not: only its
    ///   identifiers count.
    /// - Throws: ``XignSdkError``: `processOver` if it needn't be shown any more.
    public func fetchPushAuthenticationInitializationData(
        message: XignPushMessageAuthentication
    ) async throws(XignSdkError) -> AuthenticationInitializationData {
        let id = process(message.processId, at: message.idmIdentifier)
        do throws(PushError) {
            let announcement = try await open(id)
            return try await authenticator.turn(of: id.enrollment) {
                () async throws(PushError) -> AuthenticationInitializationData in
                try await provider.initialization(of: announcement)
            }
        } catch {
            throw XignSdkError(error)
        }
    }

    /// Starts a process: it is this device's from now on, and the account's other devices are told.
    ///
    /// - Throws: ``XignSdkError``: `processOver` if another device was first.
    public func startAuthentication(
        data: AuthenticationInitializationData
    ) async throws(XignSdkError) -> AuthenticateRequest {
        let id = process(data.processId, at: data.idmIdentifier)
        do throws(PushError) {
            _ = try await open(id)
            return try await authenticator.turn(of: id.enrollment) {
                () async throws(PushError) -> AuthenticateRequest in
                try await provider.start(data, of: id.enrollment)
            }
        } catch {
            throw XignSdkError(error)
        }
    }

    /// Approves: asks the app's verifier for the factors, signs what the user saw, and sends it.
    ///
    /// - Returns: ``AuthenticationResult/lockout(_:_:)`` if a factor was wrong: finish it again.
    /// - Throws: ``XignSdkError``: `pendingLockout` if a lockout runs, and the process is dead then.
    public func finishAuthentication(
        userInfo: AuthenticationUserInformation
    ) async throws(XignSdkError) -> AuthenticationResult {
        let id = process(userInfo.request.processId, at: userInfo.request.idmIdentifier)
        do throws(PushError) {
            let notice = try await authenticator.announcement(of: id).notice
            let outcome = try await authenticator.resolve(
                provider.challenge(notice, userInfo.request), with: .approve,
                extras: XignInConsent(role: userInfo.role, attributes: userInfo.attributes))
            return try await result(of: outcome, id, userInfo)
        } catch {
            throw XignSdkError(error)
        }
    }

    /// Says no, which ends the process for all of the account's devices. It needn't have been
    /// started.
    ///
    /// The vendor documents no such call; an app on its SDK simply abandons a process.
    public func reject(
        message: XignPushMessageAuthentication, reason: XignRejectReason = .userDeclined
    ) async throws(XignSdkError) {
        try await reject(process(message.processId, at: message.idmIdentifier), reason)
    }

    /// Says no to what was asked.
    public func reject(
        request: AuthenticateRequest, reason: XignRejectReason = .userDeclined
    ) async throws(XignSdkError) {
        try await reject(process(request.processId, at: request.idmIdentifier), reason)
    }
}

extension XignAuthenticator {
    private func process(_ processId: String, at idmIdentifier: String) -> Challenge.ID {
        Challenge.ID(processId, of: provider.access.enrollment(at: idmIdentifier))
    }

    /// What announced a process that waits for an answer.
    private func open(_ id: Challenge.ID) async throws(PushError) -> Announcement {
        let announcement = try await authenticator.announcement(of: id)
        guard case .open = try await authenticator.record(of: id)?.state else {
            throw PushError(.over, "The process is over, or its answer is on the way.")
        }
        return announcement
    }

    private func reject(
        _ id: Challenge.ID, _ reason: XignRejectReason
    ) async throws(XignSdkError) {
        do throws(PushError) {
            switch try await authenticator.deny(id, reason == .notMe ? .fraud : .unexpected) {
            case .delivered: return
            case .unknown(let why): throw PushError(.interrupted, why)
            default: throw PushError(.over, "The process is over.")
            }
        } catch {
            throw XignSdkError(error)
        }
    }

    private func result(
        of outcome: Outcome, _ id: Challenge.ID, _ userInfo: AuthenticationUserInformation
    ) async throws(PushError) -> AuthenticationResult {
        switch outcome {
        case .delivered:
            return .userLogin
        case .notTaken(let refusal):
            guard let lockout = await provider.lockoutInformation(of: id) else {
                throw PushError(.notTaken(refusal), "The manager didn't take the answer.")
            }
            if refusal.mayRetry { return .lockout(lockout, userInfo) }
            throw PushError(
                .blocked, "The activation is locked.",
                underlying: XignSdkLockoutError(lockoutInformation: lockout))
        case .unknown(let why):
            throw PushError(.interrupted, why)
        case .verifyAgain:
            throw PushError(.verificationFailed, "The factors are needed again: finish it again.")
        default:
            throw PushError(.over, "The process is over.")
        }
    }
}
