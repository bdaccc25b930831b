public import PushCore

/// Runs a process that a push has started, under the vendor's names.
///
/// Every answer goes through the authenticator's ledger: it is recorded, then sent.
public struct XignAuthenticator: Sendable {
    let authenticator: PushAuthenticator
    let provider: XignIn

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - authenticator: The app's authenticator.
    ///   - provider: The plugin, as the authenticator's registry holds it.
    public init(_ authenticator: PushAuthenticator, provider: XignIn) {
        self.authenticator = authenticator
        self.provider = provider
    }
}

extension XignAuthenticator {
    /// Fetches what a process is about: who asks, and for which service. It claims nothing.
    ///
    /// - Parameter message: What ``XignPush`` returned, kept in a notification or not: only its
    ///   identifiers count.
    /// - Returns: The service, the organization, and what starting the process takes.
    /// - Throws: ``XignSdkError``: `processOver` if it needn't be shown any more, `pendingLockout` if
    ///   a lockout runs, `incompatible` if the manager speaks none of this app's versions,
    ///   `identityManagerNotPersonalized` if it doesn't know this activation, `communication` if it
    ///   wasn't reached or its answer can't be proved to be its, `unexpectedError` otherwise.
    public func fetchPushAuthenticationInitializationData(
        message: XignPushMessageAuthentication
    ) async throws(XignSdkError) -> AuthenticationInitializationData {
        let id = process(message.processId, at: message.idmIdentifier)
        do throws(PushError) {
            return try await authenticator.turn(of: id) {
                (announcement, account) async throws(PushError) in
                try await resolver.initialization(for: announcement, of: account)
            }
        } catch {
            throw await sdkError(error, id)
        }
    }

    /// Starts a process: it is this device's from now on, and the account's other devices are told.
    ///
    /// - Throws: ``XignSdkError``: `processOver` if another device was first, `invalidSignature` if
    ///   the process is about another service than `data`; else as
    ///   ``fetchPushAuthenticationInitializationData(message:)``.
    public func startAuthentication(
        data: AuthenticationInitializationData
    ) async throws(XignSdkError) -> AuthenticateRequest {
        let id = process(data.processId, at: data.idmIdentifier)
        do throws(PushError) {
            return try await authenticator.turn(of: id) {
                (_, account) async throws(PushError) in
                try await resolver.start(data, of: account)
            }
        } catch {
            throw await sdkError(error, id)
        }
    }

    /// Approves: asks the app's verifier for the factors, signs what the user saw, and sends it.
    ///
    /// - Returns: ``AuthenticationResult/lockout(_:_:)`` if a factor was wrong: finish it again, unless
    ///   the lockout is permanent.
    /// - Throws: ``XignSdkError``: `pendingLockout` if a lockout runs, and the process is dead then;
    ///   `securityInsufficient` if this device, or the user, can't supply what the role asks for;
    ///   `processOver` if it is over; `cancelled` if the user gave up; `communication` if the verdict
    ///   is missing, and then the answer is sent again later; `identityManagerNotPersonalized` or
    ///   `incompatible` if the manager says so; `unexpectedError` otherwise, such as for a choice of
    ///   role or attributes that isn't offered.
    public func finishAuthentication(
        userInfo: AuthenticationUserInformation
    ) async throws(XignSdkError) -> AuthenticationResult {
        let id = process(userInfo.request.processId, at: userInfo.request.idmIdentifier)
        // The core would only say that the process can't be approved here.
        guard userInfo.request.isWithinThisDevice(role: userInfo.role) else {
            throw XignSdkError(.securityInsufficient, AuthenticateRequest.insufficient.reason)
        }
        do throws(PushError) {
            let notice = try await authenticator.announcement(of: id).notice
            let outcome = try await authenticator.resolve(
                resolver.challenge(notice, userInfo.request), with: .approve,
                extras: userInfo)
            return try await result(of: outcome, id, userInfo)
        } catch {
            throw await sdkError(error, id)
        }
    }

    /// Says no, which ends the process for all of the account's devices. It needn't have been
    /// started.
    ///
    /// The vendor documents no such call; an app on its SDK simply abandons a process. Of the reasons,
    /// `fraud` tells the manager that it wasn't the user who asked.
    ///
    /// - Throws: ``XignSdkError``: `processOver` if it is over already, `communication` if the manager
    ///   may not know yet, and then it is told later, `pendingLockout`, `incompatible` or
    ///   `identityManagerNotPersonalized` if the manager says so, `unexpectedError` otherwise.
    public func reject(
        message: XignPushMessageAuthentication, reason: DenyReason = .unexpected
    ) async throws(XignSdkError) {
        try await reject(process(message.processId, at: message.idmIdentifier), reason)
    }

    /// Says no to what was asked.
    ///
    /// - Throws: As ``reject(message:reason:)``.
    public func reject(
        request: AuthenticateRequest, reason: DenyReason = .unexpected
    ) async throws(XignSdkError) {
        try await reject(process(request.processId, at: request.idmIdentifier), reason)
    }
}

// MARK: Outcomes and errors

extension XignAuthenticator {
    private var resolver: XignInResolver { XignInResolver(access: provider.access) }

    private func process(_ processId: String, at idmIdentifier: String) -> Challenge.ID {
        Challenge.ID(processId, of: provider.access.enrollment(at: idmIdentifier))
    }

    private func reject(
        _ id: Challenge.ID, _ reason: DenyReason
    ) async throws(XignSdkError) {
        do throws(PushError) {
            switch try await authenticator.deny(id, reason) {
            case .delivered: return
            case .unknown(let why): throw PushError(.interrupted, why)
            case .notTaken(let refusal): throw error(refusal)
            case .expired, .answeredElsewhere, .cancelled, .code, .ended, .verifyAgain:
                throw PushError(.over, "The process is over.")
            }
        } catch {
            throw await sdkError(error, id)
        }
    }

    /// An error under the vendor's names. A process that a lockout ended says how long it lasts.
    private func sdkError(_ error: PushError, _ id: Challenge.ID) async -> XignSdkError {
        guard error.code == .blocked else { return XignSdkError(error) }
        let lockout = await provider.lockoutInformation(of: id)
        return XignSdkError(
            .pendingLockout, error.reason,
            lockout: lockout.map(XignSdkLockoutError.init(lockoutInformation:)))
    }

    private func result(
        of outcome: Outcome, _ id: Challenge.ID, _ userInfo: AuthenticationUserInformation
    ) async throws(PushError) -> AuthenticationResult {
        switch outcome {
        case .delivered:
            return .userLogin
        case .notTaken(let refusal):
            if refusal.status == 200, let lockout = await provider.lockoutInformation(of: id) {
                return .lockout(lockout, userInfo)
            }
            throw error(refusal)
        case .unknown(let why):
            throw PushError(.interrupted, why)
        case .verifyAgain:
            throw PushError(.verificationFailed, "The factors are needed again: finish it again.")
        case .expired, .answeredElsewhere, .cancelled, .code, .ended:
            throw PushError(.over, "The process is over.")
        }
    }

    /// Why the manager didn't take an answer. A lockout that is remembered was said to another answer,
    /// unless this one's status is a lockout's.
    private func error(_ refusal: Outcome.Refusal) -> PushError {
        switch refusal.status {
        case 403: PushError(.blocked, "The activation is locked.")
        case 404: PushError(.unknownEnrollment, "The manager no longer knows this activation.")
        case 426: PushError(.unsupported, "The manager speaks none of this app's versions.")
        default: PushError(.notTaken(refusal), "The manager didn't take the answer.")
        }
    }
}
