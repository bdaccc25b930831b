import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ForgeRockSimulator {
    /// Takes what a device posts: a registration, or an answer.
    ///
    /// A message identifier of no known kind, and a `jwt` that isn't a JWT or lacks `response`, get
    /// 500. UNCONFIRMED.
    func take(_ members: JSON.Object) throws(Refusal) {
        guard let identifier = members["messageId"]?.string else { throw .badRequest }
        guard let colon = identifier.lastIndex(of: ":"),
            ["REGISTER", "AUTHENTICATE"].contains(identifier[..<colon]),
            let text = members["jwt"]?.string, let token = CompactToken(text),
            let response = token.claims["response"]?.string
        else { throw .internalError }
        guard let message = message(identifier) else { throw .badRequest }
        let expected = message.expectation
        guard token.isSigned(with: expected.key), isEqual(response, expected.response) else {
            throw .badRequest
        }
        switch message.content {
        case .registered: throw .badRequest
        case .registration(let registration):
            try register(token.claims, for: registration, key: expected.key)
            messages[identifier]?.content = .registered
        case .login(let login):
            guard !login.isOneShot || login.state == .open else { throw .badRequest }
            messages[identifier]?.content = .login(try answered(login, with: token.claims))
        }
    }

    private func isEqual(_ one: String, _ other: String) -> Bool {
        Secret(copying: one).isEqualInConstantTime(to: Secret(copying: other))
    }

    /// Saves a device profile, if the journey still waits for it.
    ///
    /// A missing `communicationType` gets 500 and a missing `mechanismUid` 400. UNCONFIRMED, as is that
    /// the one-time-code half of a combined invitation counts from the same moment on.
    private func register(
        _ claims: JSON.Object, for registration: StoredMessage.Registration, key: Secret
    ) throws(Refusal) {
        guard let communicationType = claims["communicationType"]?.string else {
            throw .internalError
        }
        guard let mechanismUID = claims["mechanismUid"]?.string else { throw .badRequest }
        let deviceID = claims["deviceId"]?.string ?? ""
        try checkDeviceToken(deviceID)
        guard configuration.clock.now <= registration.journeyExpiry else { return }
        let profile = DeviceProfile(
            mechanismUID: mechanismUID, key: key, deviceID: deviceID,
            communicationType: communicationType, name: nil, type: claims["deviceType"]?.string)
        profiles[registration.user, default: []].append(profile)
        if let codes = registration.codes { codeDevices[registration.user] = codes }
    }

    /// What SNS says of a device token. Before AM 8.0.1 its refusal isn't caught: 500, UNCONFIRMED.
    private func checkDeviceToken(_ text: String) throws(Refusal) {
        guard text.isEmpty || configuration.refusesDeviceToken(text) else { return }
        throw configuration.foreseesRefusedToken ? .badRequest : .internalError
    }

    /// A login after an answer. The last valid answer wins.
    ///
    /// A `deny` that is there at all denies, even `false`. A number that isn't an integer gets 500,
    /// UNCONFIRMED, and changes nothing. Generation D refuses a wrong number with 400 and stays
    /// open; that it refuses a missing one likewise is UNCONFIRMED.
    private func answered(
        _ login: StoredMessage.Login, with claims: JSON.Object
    ) throws(Refusal) -> StoredMessage.Login {
        var login = login
        var number: Int32?
        if let claim = claims["challengeResponse"], claim != .null {
            number = Int32(claim.string ?? claim.text)
            guard number != nil else { throw .internalError }
        }
        if let claim = claims["deny"], claim != .null {
            login.state = .denied
        } else {
            if configuration.checksNumberAtOnce, let expected = login.expectedNumber {
                guard number == expected else { throw .badRequest }
            }
            login.state = .accepted
        }
        login.number = number ?? login.number
        return login
    }

    /// Replaces a profile's device token.
    ///
    /// A `jwt` that isn't a JWT gets 500. UNCONFIRMED.
    func refresh(_ members: JSON.Object) throws(Refusal) {
        guard let mechanismUID = members["mechanismUid"]?.string,
            let user = members["username"]?.string,
            let index = profiles[user]?.firstIndex(where: { $0.mechanismUID == mechanismUID }),
            var profile = profiles[user]?[index]
        else { throw .badRequest }
        guard let text = members["jwt"]?.string, let token = CompactToken(text) else {
            throw .internalError
        }
        guard token.isSigned(with: profile.key),
            let deviceID = token.claims["deviceId"]?.string,
            let communicationType = token.claims["communicationType"]?.string
        else { throw .badRequest }
        try checkDeviceToken(deviceID)
        profile.deviceID = deviceID
        profile.communicationType = communicationType
        profile.type = token.claims["deviceType"]?.string ?? profile.type
        profile.name = token.claims["deviceName"]?.string ?? profile.name
        profiles[user]?[index] = profile
    }
}
