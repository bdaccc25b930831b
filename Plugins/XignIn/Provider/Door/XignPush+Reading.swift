import PushCore

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
        guard let candidate = provider.format.candidate(in: message) else { return nil }
        do throws(PushError) {
            for reception in try await authenticator.receive(message) {
                guard reception.challenge?.enrollment.provider == provider.id else { continue }
                return try await result(of: reception, candidate)
            }
            return nil
        } catch {
            throw XignSdkError(error)
        }
    }

    private func result(
        of reception: Reception, _ candidate: XignInCandidate
    ) async throws(PushError) -> XignPushMessageResult? {
        switch reception.kind {
        case .notice(let notice, _):
            return .authentication(XignPushMessageAuthentication(notice))
        case .answered(let notice, _):
            // On its way still, it is as good as live.
            if case .decided = try await authenticator.record(of: notice.id)?.state {
                return .authentication(XignPushMessageAuthentication(notice))
            }
            return try await over(notice.id, .completed, candidate)
        case .over(let withdrawal):
            return try await over(
                withdrawal.id, XignCancelReason(withdrawal.reason), candidate)
        case .incompatible(let incompatible):
            if !incompatible.withdraws, try await isOver(incompatible.id) {
                return .cancel(
                    XignPushMessageCancel(incompatible.id, .aborted, isIgnorable: true))
            }
            return .incompatible(XignPushMessageIncompatible(incompatible))
        default:
            return nil
        }
    }

    /// What a message about a process says that is over.
    ///
    /// A cancel says so itself. Anything else came too late to be shown: the app may drop it.
    private func over(
        _ id: Challenge.ID, _ reason: XignCancelReason, _ candidate: XignInCandidate
    ) async throws(PushError) -> XignPushMessageResult {
        let read = try await candidate.message(using: provider.access)
        if case .cancel(let own) = read.kind {
            return .cancel(XignPushMessageCancel(id, own, isIgnorable: read.isIgnorable))
        }
        let clock = provider.environment.clock
        let validity = await clock.servers.validity(
            until: read.expiry, for: id.enrollment, at: nil, elapsed: clock.elapsed)
        guard validity != .expired else {
            throw PushError(
                .over, "The message is genuine, but its time has run out.",
                provider: provider.id, underlying: XignSdkErrorDetail.messageExpired)
        }
        return .cancel(XignPushMessageCancel(id, reason, isIgnorable: true))
    }

    private func isOver(_ id: Challenge.ID) async throws(PushError) -> Bool {
        switch try await authenticator.record(of: id)?.state {
        case .over, .answered: return true
        case nil: break
        default: return false
        }
        do throws(PushError) {
            _ = try await authenticator.announcement(of: id)
            return false
        } catch {
            return error.code == .over
        }
    }
}
