public import PushCore
public import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A login journey, as its own state has it.
struct Journey {
    let push: SimulatedPush
    /// Set by the first look at an open message, from AM 7.3.
    var expiry: Date?
    /// Where it ended.
    var end: SimulatedLogin.Status?
}

extension ForgeRockSimulator {
    /// Starts a login of an enrolled user, and pushes the challenge to the user's first device.
    ///
    /// AM sends nothing to further devices. The identifier of the login is that of its message.
    /// Generation A and the old authentication module always ask for a yes or no. If a fault makes
    /// the push bad, the server side of it is genuine.
    ///
    /// - Throws: `PushError` with the code `notFound` if the user has no device or the realm no
    ///   push service, or `invalidArgument` if the custom payload is larger than 3 KiB.
    public func startLogin(
        of user: String, asking kind: SimulatedLogin.Kind, spoiledBy fault: BadPush?
    ) throws(PushError) -> SimulatedLogin {
        let profile = try firstProfile(of: user)
        let key = try fault.flatMap { fault throws(PushError) in try signingKey(for: fault) }
        let login = try PendingLogin(
            user: user, type: configuration.hasTypedPushes ? PushType(kind) : .default,
            mechanismUID: profile.mechanismUID, configuration: configuration)
        let messageID = "AUTHENTICATE:" + stampedUUID()
        let push = LoginPush(
            configuration: configuration, type: login.type, messageID: messageID, text: login.text,
            token: login.token(by: key ?? profile.key, spoiledBy: fault))
        let sent = SimulatedPush(
            to: profile.deviceToken,
            payload: try LoginPush.payload(from: push.envelope, for: profile.deviceToken))
        messages[messageID] = StoredMessage(
            expectation: .init(
                key: profile.key,
                response: CompactToken.response(to: login.challenge, by: profile.key)),
            expiry: login.time + configuration.responseCacheDuration.inSeconds,
            content: .login(
                .init(
                    expectedNumber: login.answer,
                    isOneShot: configuration.usesAuthenticationModule)))
        journeys[messageID] = Journey(push: sent)
        shell.send(fault == .repeated ? [sent, sent] : [sent])
        return SimulatedLogin(id: messageID, shown: login.answer.map { "\($0)" })
    }

    /// Delivers a login's push once more, as a push service may.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    public func repeatPush(of login: SimulatedLogin.ID) throws(PushError) {
        guard let journey = journeys[login] else { throw unknownLogin }
        shell.send([journey.push])
    }

    /// Where a login stands, as the journey's result verifier finds out.
    ///
    /// The call stands for the journey: the first final result deletes the message from the token
    /// store, so that later answers get 400, and the result doesn't change any more. Generations B
    /// and C let a user in whose device accepted a number challenge without any number, as AM 7.2
    /// to 8.0.2 do.
    ///
    /// - Throws: `PushError` with the code `notFound` if there is no such login.
    public func status(of login: SimulatedLogin.ID) throws(PushError) -> SimulatedLogin.Status {
        guard let journey = journeys[login] else { throw unknownLogin }
        if let end = journey.end { return end }
        let now = configuration.clock.now
        guard let message = message(login), now <= message.expiry,
            case .login(let state) = message.content
        else { return finish(login, .expired) }
        switch state.state {
        case .open:
            guard configuration.hasJourneyExpiry else { return .waiting }
            guard let expiry = journey.expiry else {
                journeys[login]?.expiry = now + configuration.messageTimeout.inSeconds
                return .waiting
            }
            return now > expiry ? finish(login, .expired) : .waiting
        case .denied:
            messages[login] = nil
            return finish(login, .denied)
        case .accepted:
            messages[login] = nil
            guard let expected = state.expectedNumber, let number = state.number else {
                return finish(login, .approved)
            }
            return finish(login, number == expected ? .approved : .failed)
        }
    }

    private func finish(
        _ login: SimulatedLogin.ID, _ end: SimulatedLogin.Status
    ) -> SimulatedLogin.Status {
        journeys[login]?.end = end
        return end
    }

    private var unknownLogin: PushError { PushError(.notFound, "There is no such login.") }

    private func firstProfile(of user: String) throws(PushError) -> DeviceProfile {
        guard configuration.hasPushService else {
            throw PushError(.notFound, "The realm has no push service.")
        }
        guard let profile = profiles[user]?.first else {
            throw PushError(.notFound, "The user has no registered device.")
        }
        return profile
    }

    private func signingKey(for fault: BadPush) throws(PushError) -> Secret? {
        switch fault {
        case .wrongKey: Secret(count: 32) { _ in }
        case .signedWithKey(let user): try firstProfile(of: user).key
        default: nil
        }
    }
}
