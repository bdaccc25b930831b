import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension XignInSimulator {
    /// The messages that announce a process, one per device.
    func announcements(
        of process: inout LoginProcess, spoiledBy fault: BadPush?
    ) -> [SimulatedPush] {
        var sent: [SimulatedPush] = []
        for device in activations(of: process.user) {
            guard let token = device.deviceToken else { continue }
            let jti = configuration.identifier(.message)
            process.messages[device.id] = jti
            var members: JSON.Object = [:]
            members["title"] = configuration.title.map(JSON.string)
            members["message"] = configuration.message.map(JSON.string)
            if configuration.priority != .unspecified {
                members["prio"] = .string(configuration.priority.rawValue)
            }
            let message = OutgoingMessage(
                kind: "authentication", activation: device.id, process: process, jti: jti,
                isIgnorable: configuration.isIgnorable, members: members)
            sent.append(push(message, to: token, spoiledBy: fault))
        }
        process.sent = sent
        return sent
    }

    /// Tells a user's devices that a process is over for them.
    func sendCancels(of process: LoginProcess, reason: String, exceptTo owner: String? = nil) {
        for device in activations(of: process.user) where device.id != owner {
            guard let token = device.deviceToken else { continue }
            let message = OutgoingMessage(
                kind: "cancel", activation: device.id, process: process,
                jti: configuration.identifier(.message),
                isIgnorable: configuration.isCancelIgnorable,
                members: ["reason": .string(reason)])
            shell.send([push(message, to: token, spoiledBy: nil)])
        }
    }

    private func push(
        _ message: OutgoingMessage, to token: DeviceToken, spoiledBy fault: BadPush?
    ) -> SimulatedPush {
        let text = message.token(
            by: keys[keys.count - 1], configuration: configuration, spoiledBy: fault)
        var members: [(String, JSON)] = [("oxrw", "1"), ("oxrw_msg", .string(text))]
        if case .apns = token { members.insert(("aps", ["content-available": 1]), at: 0) }
        return SimulatedPush(to: token, payload: JSON.object(JSON.Object(members)).data)
    }
}

/// A message to one device, before it is signed.
struct OutgoingMessage {
    let kind: String
    let activation: String
    let process: LoginProcess
    let jti: String
    let isIgnorable: Bool
    /// What isn't in every message.
    let members: JSON.Object

    private func claims(_ configuration: XignInSimulator.Configuration) -> JSON.Object {
        let lowest = configuration.lowestVersion ?? XignInSimulator.Version(0, 0, 0)
        let common: [(String, JSON)] = [
            ("iss", .string(configuration.identifier)), ("aud", .string(activation)),
            ("jti", .string(jti)), ("iat", JSON(configuration.now)),
            ("exp", JSON(process.expiry)), ("pid", .string(process.id)), ("msg", .string(kind)),
            ("ign", .bool(isIgnorable)), ("min_api", .string(lowest.description)),
        ]
        return JSON.Object(common + members.members)
    }

    func token(
        by key: ManagerKey, configuration: XignInSimulator.Configuration,
        spoiledBy fault: XignInSimulator.BadPush?
    ) -> String {
        var claims = claims(configuration)
        var signer = key
        var kid = key.id
        var type = "oxrw-push+jwt"
        var idm = configuration.identifier
        switch fault {
        case .wrongKey: signer = ManagerKey(from: configuration.random)
        case .unknownKey:
            signer = ManagerKey(from: configuration.random)
            kid = signer.id
        case .tampered(let claim, let value):
            let token = signer.token(.object(claims), type: type, idm: idm)
            claims[claim] = value
            return Forgery.token(token, claiming: .object(claims))
        case .unsigned: return Forgery.unsigned(.object(claims), type: type, idm: idm, kid: kid)
        case .type(let name): type = name
        case .manager(let name):
            idm = name
            claims["iss"] = .string(name)
        default: claims = spoiled(claims, by: fault, at: configuration.now)
        }
        return signer.token(.object(claims), type: type, idm: idm, kid: kid)
    }

    private func spoiled(
        _ claims: JSON.Object, by fault: XignInSimulator.BadPush?, at now: Int64
    ) -> JSON.Object {
        var claims = claims
        switch fault {
        case .expired(let ago):
            let end = now - ago.components.seconds
            claims["iat"] = JSON(end - (process.expiry - now))
            claims["exp"] = JSON(end)
        case .issuer(let name): claims["iss"] = .string(name)
        case .activation(let id): claims["aud"] = .string(id)
        case .minimumVersion(let version): claims["min_api"] = .string(version)
        case .message(let kind): claims["msg"] = .string(kind)
        case .missing(let claim): claims[claim] = nil
        default: break
        }
        return claims
    }
}
