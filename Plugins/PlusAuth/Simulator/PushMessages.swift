import PushCore
import PushJOSE
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PlusAuthSimulator {
    /// A login once it has asked all devices of its user.
    func challenged(
        _ login: Login, _ id: SimulatedLogin.ID, spoiledBy fault: BadPush?
    ) throws(PushError) -> Login {
        let now = Date(
            timeIntervalSince1970: configuration.clock.now.timeIntervalSince1970.rounded(.down))
        let expiry = now + configuration.challengeLifetime.inSeconds.rounded(.down)
        let devices = credentials.filter { $0.user == login.user }
        var login = login
        var issued: [String: IssuedToken] = [:]
        login.pushes = []
        var shared: String?
        for device in devices {
            let token = shared ?? newToken()
            if configuration.sharesContextToken { shared = token }
            issued[token] = IssuedToken(
                login: id, credentials: shared == nil ? [device.id] : devices.map(\.id),
                expiry: expiry)
            let claims = claims(of: login, token: token, from: now, to: expiry)
            let signer = try signer(for: device, spoiledBy: fault)
            let push = SimulatedPush(
                to: device.device.deviceToken,
                payload: payload(try signer.jwt(of: claims), for: device.device.deviceToken))
            login.pushes += fault == .duplicatePush ? [push, push] : [push]
        }
        tokens.merge(issued) { _, new in new }
        login.openInvitation = nil
        login.expiry = expiry
        login.sent = configuration.clock.now
        return login
    }

    private func newToken() -> String {
        configuration.random.bytes(24).withBytes { Base64.encode(Data($0), as: .url) }
    }

    private func claims(
        of login: Login, token: String, from issued: Date, to expiry: Date
    ) -> JSON.Object {
        var claims: JSON.Object = [
            "exp": expiry.claim, "iat": issued.claim, "context_token": .string(token),
        ]
        if !configuration.omitsResolveURL {
            claims["resolve_url"] = .string(origin + Path.resolve(configuration.resolvePath))
        }
        claims["settings"] = configuration.simBinding.settings
        claims["info"] = info(of: login)
        claims["type"] = .string(login.strategy.rawValue)
        if login.strategy == .code {
            claims["values"] = .array(login.values.map(JSON.string))
        }
        guard configuration.nestsNulls else { return claims }
        for name in ["settings", "info"] {
            claims[name] = claims[name].flatMap { $0.thinned(by: configuration.random) }
        }
        return claims
    }

    private func info(of login: Login) -> JSON? {
        guard var info = configuration.info?.object else { return configuration.info }
        if info["application"] != nil { info["application"] = .string(configuration.application) }
        if info["user_identifier"] != nil { info["user_identifier"] = .string(login.user) }
        return .object(info)
    }

    private func signer(
        for credential: PushCredential, spoiledBy fault: BadPush?
    ) throws(PushError) -> PushSigner {
        var key = credential.privateKey
        if case .signedWithKey(let user) = fault {
            guard let other = credentials.first(where: { $0.user == user }) else {
                throw PushError(.notFound, "The other user has no enrolled device.")
            }
            key = other.privateKey
        }
        return PushSigner(
            key: key, publicKey: credential.publicKey,
            keyID: configuration.omitsKid ? nil : credential.signingKeyID,
            random: configuration.random, fault: fault)
    }

    /// What reaches the device: an APNs payload without title and text, or a Firebase message's
    /// data.
    private func payload(_ jwt: String, for deviceToken: DeviceToken) -> Data {
        guard case .apns = deviceToken else { return JSON.object(["context": .string(jwt)]).data }
        var payload: JSON.Object = [
            "aps": ["alert": ["title": "", "body": ""], "mutable-content": 1]
        ]
        if configuration.nestsContext {
            payload["data"] = ["context": .string(jwt)]
        } else {
            payload["context"] = .string(jwt)
        }
        return JSON.object(payload).data
    }
}

extension JSON {
    /// The value with each part, itself included, kept, null, empty or missing (`nil`) by chance.
    fileprivate func thinned(by random: any RandomSource) -> JSON? {
        switch random.index(below: 6) {
        case 0: return nil
        case 1: return .null
        case 2 where string != nil: return ""
        default: break
        }
        guard let object else { return self }
        return .object(
            JSON.Object(
                object.members.compactMap { member in
                    member.value.thinned(by: random).map { (member.name, $0) }
                }))
    }
}

extension Date {
    /// Whole seconds since 1970, rounded down, as claims have them.
    var claim: JSON { .integer(Int64(timeIntervalSince1970.rounded(.down))) }
}
