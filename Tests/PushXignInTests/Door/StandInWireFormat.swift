import Foundation
import IndependentEncodings
import PushCore
import PushXignIn
import PushXignInReference

/// An adapter over an engine, as a licensee of the vendor's would write it in place of
/// `OpenReferenceWireFormat`. Each method is one call of the engine's, and what comes back in the
/// plugin's words.
struct StandInWireFormat: XignInWireFormat {
    let engine: StandInEngine

    private static let link = "engine://"

    // MARK: Messages

    func candidate(in message: PushMessage) -> XignInCandidate? {
        message["engine"].map { XignInCandidate($0, verifiedBy: message(from:using:)) }
    }

    private func message(
        from found: JSON, using access: XignInAccess
    ) async throws(PushError) -> XignInMessage {
        guard let text = found.string, let command = await engine.command(in: text)
        else { throw PushError(.untrusted, "The engine refuses the message.") }
        guard let idm = command["idm"]?.string, let process = command["pid"]?.string else {
            throw PushError(.malformed, "The engine's command lacks a member.")
        }
        guard let account = try await access.account(at: idm) else {
            throw PushError(.unknownEnrollment, "The manager isn't personalized on this device.")
        }
        let now = access.environment.clock.now
        return XignInMessage(
            Notice(
                id: Challenge.ID(process, of: account.id), title: command["title"]?.string,
                issued: now, expiry: now.addingTimeInterval(120), proof: .signature),
            type: command["cancel"] == true ? .cancel : .authentication,
            minimumAPI: access.configuration.supportedAPI.lowerBound.description)
    }

    // MARK: Activations

    func invitation(
        in text: Secret, allowsPlainHTTP: Bool
    ) throws(PushError) -> XignInInvitation? {
        let text = String(decoding: text.copied, as: UTF8.self)
        guard text.hasPrefix(Self.link) else { return nil }
        let idm = String(text.dropFirst(Self.link.count))
        return XignInInvitation(idmIdentifier: idm, host: "\(idm).example")
    }

    /// The engine keeps the keys itself, so its record is no more than what finds them again.
    func record(
        for personalization: XignInPersonalization, using access: XignInAccess
    ) async throws(PushError) -> Secret {
        let invited = try invitation(in: personalization.link, allowsPlainHTTP: false)
        guard let idm = invited?.idmIdentifier, let pin = personalization.pin else {
            throw PushError(.invalidInvitation, "The engine needs a manager and a PIN.")
        }
        await engine.activate(idm, pin: String(decoding: pin.copied, as: UTF8.self))
        return Secret(Array(idm.utf8))
    }

    func activate(
        _ account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<XignInActivation> {
        .success(XignInActivation(account: "alice", record: try access.record(of: account)))
    }

    func setDeviceToken(
        _ deviceToken: DeviceToken?, of account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<Bool> {
        let token: String? = if case .fcm(let text)? = deviceToken { text } else { nil }
        guard let isSet = await engine.setToken(token, of: account.id.name) else {
            return .failure(.activationUnknown)
        }
        return .success(isSet)
    }

    func endActivation(
        _ account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<Bool> {
        .success(await engine.end(account.id.name))
    }

    func discard(_ record: Secret, using access: XignInAccess) async {}

    // MARK: Processes

    func initialization(
        for announcement: Announcement, of account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<AuthenticationInitializationData> {
        let notice = announcement.notice
        return .success(
            AuthenticationInitializationData(
                of: notice.id, expiresAt: notice.expiry ?? access.environment.clock.now,
                service: Self.service, organization: Self.organization, context: Secret([])))
    }

    func start(
        _ data: AuthenticationInitializationData, of account: Account, using access: XignInAccess
    ) async throws(PushError) -> XignInReply<AuthenticateRequest> {
        await engine.start(data.processId)
        var request = AuthenticateRequest(
            of: Challenge.ID(data.processId, of: account.id), expiresAt: data.expiresAt,
            service: Self.service, organization: Self.organization, context: Secret([]))
        request.roles = [
            .init(id: "user", name: "User", requestedAuthenticators: [[.pin, .device]])
        ]
        request.availableAuthenticators = [.pin, .device]
        return .success(request)
    }

    /// The PIN is in what is sent, so only the rest may be kept.
    func answer(
        _ decision: XignInDecision, to announcement: Announcement, of account: Account,
        using access: XignInAccess
    ) async throws(PushError) -> XignInAnswer {
        switch decision {
        case .reject(let reason):
            let text = Secret(Array("reject \(reason == .fraud ? "not_me" : "user_declined")".utf8))
            return XignInAnswer(whole: text, kept: text)
        case .approve(let approval):
            let kept = Array("approve \(approval.role.id)".utf8)
            let pin = [UInt8(ascii: " ")] + (approval.pin?.copied ?? [])
            return XignInAnswer(whole: Secret(kept + pin), kept: Secret(kept))
        }
    }

    func send(
        _ answer: Secret, to announcement: Announcement, of account: Account,
        using access: XignInAccess
    ) async throws(PushError) -> XignInReply<XignInVerdict> {
        let id = announcement.notice.id
        let words = String(decoding: answer.copied, as: UTF8.self).split(separator: " ")
            .map(String.init)
        switch (words.first, words.count) {
        case ("reject", 2):
            await engine.reject(id.name, words[1])
            return .success(.taken)
        case ("approve", 3):
            let left = await engine.approve(
                id.name, at: id.enrollment.name, role: words[1], pin: words[2])
            guard let left else { return .success(.taken) }
            let lockout = LockoutInformation(
                seconds: 30, remaining: left, isPermanent: false)
            return .success(.lockout(lockout, context: Secret([])))
        default:
            return .failure(.factorsMissing)
        }
    }

    private static let service = ServiceInformation(id: "shop", name: "Example Shop")
    private static let organization = OrganizationInformation(name: "Example GmbH")
}
