public import PushCore

/// Reads managers' pushes under the vendor's names.
///
/// The vendor's SDK has one shared instance; here the app makes one for its authenticator. Every
/// push may be offered to it, also those of other senders.
public struct XignPush: Sendable {
    let authenticator: PushAuthenticator
    let provider: XignIn

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - authenticator: The app's authenticator.
    ///   - provider: The plugin, as the authenticator's registry holds it.
    public init(_ authenticator: PushAuthenticator, provider: XignIn) {
        self.authenticator = authenticator
        self.provider = provider
    }

    /// Takes a push as the system hands it over.
    ///
    /// - Returns: What the push is; `nil` if it isn't a manager's.
    /// - Throws: ``XignSdkError`` if it is a manager's, but couldn't be read:
    ///   `identityManagerNotPersonalized`, `invalidSignature`, or `unexpectedError`, with the detail
    ///   ``XignSdkErrorDetail/messageExpired`` if it is only late. Nothing has been stored then.
    public func handleMessage(
        userInfo: [AnyHashable: Any]
    ) async throws(XignSdkError) -> XignPushMessageResult? {
        try await handle(Self.message(userInfo))
    }

    /// Takes the data of a Firebase message.
    ///
    /// - Returns: As ``handleMessage(userInfo:)``.
    /// - Throws: As ``handleMessage(userInfo:)``.
    public func handleMessage(
        data: [String: String]
    ) async throws(XignSdkError) -> XignPushMessageResult? {
        try await handle(PushMessage(fcm: data))
    }
}

extension XignPush {
    /// A push of any sender, which may hold what JSON can't: no manager sends that.
    static func message(_ userInfo: [AnyHashable: Any]) -> PushMessage {
        var content = JSON.Object()
        for (key, value) in userInfo {
            guard let name = key.base as? String else { continue }
            content[name] = (try? PushMessage(userInfo: [key: value]))?[name] ?? .null
        }
        let data = JSON.object(content).data
        let message = try? PushMessage(json: data, limits: .init(bytes: data.count))
        return message ?? PushMessage(fcm: [:])
    }

    func handle(
        _ message: PushMessage
    ) async throws(XignSdkError) -> XignPushMessageResult? {
        guard let candidate = provider.access.format.candidate(in: message) else { return nil }
        let receptions = try await translating { () async throws(PushError) in
            try await authenticator.receive(message)
        }
        let own = receptions.first { $0.challenge?.enrollment.provider == provider.id }
        guard let own else { return nil }
        let found = try await translating { () async throws(PushError) in
            try await result(of: own, candidate)
        }
        return try found?.get()
    }

    private func translating<Value>(
        _ body: () async throws(PushError) -> Value
    ) async throws(XignSdkError) -> Value {
        do throws(PushError) {
            return try await body()
        } catch {
            throw XignSdkError(error)
        }
    }

    /// What a message says, or what the vendor's door refuses it with.
    private typealias Read = Result<XignPushMessageResult, XignSdkError>

    private func result(
        of reception: Reception, _ candidate: XignInCandidate
    ) async throws(PushError) -> Read? {
        switch reception.kind {
        case .notice(let notice, _):
            return .success(.authentication(XignPushMessageAuthentication(notice)))
        case .answered(let notice, _):
            // On its way still, it is as good as live.
            if case .decided = try await authenticator.record(of: notice.id)?.state {
                return .success(.authentication(XignPushMessageAuthentication(notice)))
            }
            return try await over(notice.id, .finished, candidate)
        case .over(let withdrawal):
            return try await over(withdrawal.id, withdrawal.reason, candidate)
        case .incompatible(let incompatible):
            if !incompatible.withdraws, try await isOver(incompatible.id) {
                return .success(
                    .cancel(XignPushMessageCancel(incompatible.id, .cancelled, isIgnorable: true)))
            }
            return .success(.incompatible(XignPushMessageIncompatible(incompatible)))
        case .enrollment, .inbox:
            return nil
        }
    }

    /// What a message about a process says that is over.
    ///
    /// A cancel says so itself. Anything else came too late to be shown: the app may drop it.
    private func over(
        _ id: Challenge.ID, _ reason: Withdrawal.Reason, _ candidate: XignInCandidate
    ) async throws(PushError) -> Read {
        let read = try await candidate.message(using: provider.access)
        if read.type == .cancel {
            return .success(
                .cancel(
                    XignPushMessageCancel(
                        id, read.reason, isIgnorable: read.notice.isIgnorable)))
        }
        let clock = provider.access.environment.clock
        let validity = await clock.serverTime.validity(
            until: read.notice.expiry, for: id.enrollment, at: nil, elapsed: clock.elapsed)
        guard validity != .expired else {
            return .failure(
                XignSdkError(
                    .unexpectedError, "The message is genuine, but its time has run out.",
                    detail: .messageExpired))
        }
        return .success(.cancel(XignPushMessageCancel(id, reason, isIgnorable: true)))
    }

    private func isOver(_ id: Challenge.ID) async throws(PushError) -> Bool {
        switch try await authenticator.record(of: id)?.state {
        case .over, .answered: return true
        case nil: break
        case .open, .decided: return false
        }
        do throws(PushError) {
            _ = try await authenticator.announcement(of: id)
            return false
        } catch {
            return error.code == .over
        }
    }
}
