import HTTPTypes
public import PushCore
import PushJOSE
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension XignInSimulator {
    /// Invites a user's device to personalize, as the QR code on a page would.
    public func invitation(for user: String) -> Invitation {
        .scanned(text: personalizationLink(for: user))
    }

    /// The text of a user's QR code, which holds a secret for one device.
    ///
    /// Making it makes the account, if need be. StrictMembers stand in the order `v`, `mgr`, `idm`,
    /// `act`, `mk`; the order means nothing.
    public func personalizationLink(for user: String) -> String {
        let secret = configuration.random.bytes(32)
        let activation = ActivationSecret(
            secret, user: user, idm: configuration.identifier,
            expiry: configuration.now + configuration.activationLifetime.components.seconds)
        secrets[activation.id] = activation
        let link: JSON = [
            "v": 1, "mgr": .string(origin), "idm": .string(configuration.identifier),
            "act": .string(secret.withBytes { Base64.encode($0, as: .url) }),
            "mk": .string(Base64.encode(keys[0].point, as: .url)),
        ]
        return "oxrw://personalize?d=" + Base64.encode(link.data, as: .url)
    }

    /// Binds a device to an account.
    ///
    /// First the device's own signature, then the secret: known and right, in time, not used. The
    /// same device may ask again until it made a request of its own. It then gets the same answer,
    /// and what it set up last counts, unless that is the older request.
    func personalize(
        _ token: SignedRequest, _ request: HTTPRequest, _ body: Data
    ) throws(Refusal) -> JSON {
        guard let object = StrictJSON.object(body), let key = DeviceKey(object["device_key"]) else {
            var refusal = Refusal.malformed("there is no device key to check the request with")
            refusal.isUnsigned = true
            throw refusal
        }
        guard token.issuer == key.id else {
            throw .invalidDeviceSignature("the issuer isn't the device key")
        }
        let checked = try check(token, by: key, for: request, body)
        let secret = try secret(of: checked)
        guard configuration.now < secret.expiry else { throw .activationExpired }
        if let use = secret.use {
            guard use.key == key.id, let known = activations[use.activation], !known.hasSpoken
            else { throw .activationUsed }
        }
        let setup = try setup(in: StrictMembers(object), by: secret, for: key)
        try requireNewKeys([key.id, setup.biometricKey?.id], beside: secret.use?.activation)
        let id = secret.use?.activation ?? configuration.identifier(.activation)
        if activations[id] == nil {
            order.append(id)
            secrets[secret.id]?.use = (key.id, id)
            activations[id] = Activation(
                id: id, user: secret.user, key: key, setup: setup, time: checked.time)
        } else if let time = activations[id]?.tokenTime, checked.time >= time {
            activations[id]?.apply(setup, time: checked.time)
        }
        return [
            "activation_id": .string(id), "account": .string(secret.user),
            "api": .string(checked.version.description), "manager_keys": managerKeys,
        ]
    }

    /// A key serves one personalization only.
    private func requireNewKeys(_ ids: [String?], beside own: String?) throws(Refusal) {
        let taken = activations.values.filter { $0.id != own }
            .flatMap { [$0.key.id, $0.biometricKey?.id] }
        guard ids.allSatisfy({ $0 == nil || !taken.contains($0) }) else {
            throw .malformed("a key serves another activation")
        }
    }

    private func secret(of request: CheckedRequest) throws(Refusal) -> ActivationSecret {
        guard let id = request.claims["act"]?.string, let secret = secrets[id],
            let mac = request.claims["mac"]?.string,
            secret.isRight(
                mac, issuer: request.issuer, jti: request.jti,
                bodyHash: Data.hashText(of: request.body))
        else { throw .activationUnknown }
        return secret
    }

    private func setup(
        in members: StrictMembers, by secret: ActivationSecret, for key: DeviceKey
    ) throws(Refusal) -> Activation.Setup {
        guard let platform = Activation.Platform(rawValue: try members.text("platform")) else {
            throw .malformed("platform isn't apns, fcm or test")
        }
        guard let biometric = members.object["biometric_key"] else {
            throw .malformed("biometric_key is missing")
        }
        let biometricKey = DeviceKey(biometric)
        guard biometric == .null || biometricKey != nil, biometricKey?.id != key.id else {
            throw .malformed("biometric_key is no public key, or the device's")
        }
        let pinKey = try members.optional("pin_setup").map { sealed throws(Refusal) in
            try secret.pinKey(
                in: sealed, issuer: key.id, minimumIterations: configuration.minimumPINIterations)
        }
        return Activation.Setup(
            biometricKey: biometricKey, pinKey: pinKey, alias: try members.optional("alias"),
            platform: platform, token: try members.optional("push_token"))
    }

    // MARK: Calls of an activation

    var managerKeys: JSON { ["keys": .array(keys.map(\.jwk))] }

    /// What a device asks about its own activation.
    func performOnActivation(_ call: Call, _ request: CheckedRequest) throws(Refusal) -> JSON {
        switch call {
        case .managerKeys: return ["manager_keys": managerKeys]
        case .removal:
            remove(request.issuer)
            return ["removed": true]
        default: return try setToken(request)
        }
    }

    /// Replaces a push token, unless a younger request already did.
    private func setToken(_ request: CheckedRequest) throws(Refusal) -> JSON {
        let members = try StrictMembers(request.body)
        let token = try members.optional("token")
        guard let platform = Activation.Platform(rawValue: try members.text("platform")) else {
            throw .malformed("platform isn't apns, fcm or test")
        }
        guard var activation = activations[request.issuer] else { throw .activationUnknown }
        if request.time >= activation.tokenTime {
            activation.token = token
            activation.platform = platform
            activation.tokenTime = request.time
            activations[activation.id] = activation
        }
        return ["token_set": .bool(activation.token != nil)]
    }

    func remove(_ activation: String) {
        activations[activation] = nil
        order.removeAll { $0 == activation }
    }

    func activations(of user: String) -> [Activation] {
        order.compactMap { activations[$0] }.filter { $0.user == user }
    }
}
