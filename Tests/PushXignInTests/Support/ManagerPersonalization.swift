import Crypto
import Foundation
import IndependentEncodings
import PushCore

extension Manager {
    /// An account's device, as the manager knows it.
    struct Activation: Sendable {
        let id: String
        let account: String
        let deviceKey: VerifyingKey
        let biometricKey: VerifyingKey?
        let setup: PINSetup?
        var token: String?
        var tokenIssued: Int64
        /// Whether it has made a request of its own.
        var isUsed = false
        var failures = 0
        var isLocked = false
    }

    /// What `pin_setup` holds.
    struct PINSetup: Sendable {
        let salt: [UInt8]
        let iterations: Int
        let verifier: [UInt8]
    }

    /// An activation code that was given out.
    struct Invite: Sendable {
        let secret: [UInt8]
        let account: String
        let expiry: Int
        var device: String?
        var activation: String?
    }

    /// The three values that both sides derive from the activation secret.
    struct Derived {
        let id: String
        let mac: [UInt8]
        let seal: [UInt8]

        init(_ secret: [UInt8], idm: String) {
            func derive(_ purpose: String, _ count: Int) -> [UInt8] {
                hkdf(
                    secret, salt: Array(idm.utf8), info: Array("OXRW1 act \(purpose)".utf8),
                    count: count)
            }
            id = base64url(derive("id", 16))
            mac = derive("mac", 32)
            seal = derive("seal", 32)
        }
    }

    /// A link's members, for tests to bend.
    func linkMembers(
        for account: String = WorkedExample.account, secret: [UInt8]? = nil
    ) -> JSON.Object {
        let secret = secret ?? sha256("act \(name("act"))".utf8)
        invites[Derived(secret, idm: idm).id] = Invite(
            secret: secret, account: account, expiry: now + 600)
        return [
            "v": 1, "mgr": .string("https://\(host)"), "idm": .string(idm),
            "act": .string(base64url(secret)),
            "mk": .string(base64url(key.publicKey.x963Representation)),
        ]
    }

    func link(for account: String = WorkedExample.account, secret: [UInt8]? = nil) -> String {
        Self.link(linkMembers(for: account, secret: secret))
    }

    static func link(_ members: JSON.Object) -> String {
        "oxrw://personalize?d=\(base64url(JSON.object(members).text))"
    }

    func personalize(_ request: Request) throws -> JSON.Object {
        let body = try members(
            request, "device_key", "biometric_key", "pin_setup", "push_token", "platform", "alias")
        guard let deviceKey = VerifyingKey(jwk: body["device_key"]) else {
            complain("personalization: no device key")
            throw Refusal(400, "malformed_request")
        }
        try checkSignature(request, deviceKey)
        guard request.claims["iss"] == .string(deviceKey.thumbprint) else {
            complain("personalization: iss isn't the thumbprint")
            throw Refusal(401, "invalid_device_signature")
        }
        try checkFreshness(request)
        guard let id = request.claims["act"]?.string, var invite = invites[id],
            macIsRight(request, Derived(invite.secret, idm: idm), deviceKey.thumbprint)
        else { throw Refusal(404, "activation_unknown") }
        if invite.expiry < now { throw Refusal(410, "activation_expired") }
        if let device = invite.device {
            let isAgain = device == deviceKey.thumbprint
            guard isAgain, let known = invite.activation, activations[known]?.isUsed == false
            else { throw Refusal(409, "activation_used") }
            return personalized(known, invite)
        }
        let activation = Activation(
            id: name("act"), account: invite.account, deviceKey: deviceKey,
            biometricKey: VerifyingKey(jwk: body["biometric_key"]),
            setup: try setup(body, request, Derived(invite.secret, idm: idm)),
            token: body["push_token"]?.string,
            tokenIssued: request.claims["iat"]?.integer ?? 0)
        activations[activation.id] = activation
        (invite.device, invite.activation) = (deviceKey.thumbprint, activation.id)
        invites[id] = invite
        return personalized(activation.id, invite)
    }

    private func personalized(_ id: String, _ invite: Invite) -> JSON.Object {
        [
            "activation_id": .string(id), "account": .string(invite.account), "api": "1.0.0",
            "manager_keys": keySet,
        ]
    }

    private func macIsRight(_ request: Request, _ derived: Derived, _ device: String) -> Bool {
        let text = "OXRW1-ACT\n\(idm)\n\(device)\n\(request.jti ?? "")\n"
        let hash = base64url(sha256(request.body))
        return request.claims["mac"] == .string(base64url(hmac(derived.mac, (text + hash).utf8)))
    }

    private func setup(_ body: JSON, _ request: Request, _ derived: Derived) throws -> PINSetup? {
        guard let text = body["pin_setup"]?.string else { return nil }
        guard let sealed = decoded(base64url: text),
            let opened = openSealed(
                sealed, key: derived.seal,
                data: Array("\(idm)\n\(request.claims["iss"]?.string ?? "")".utf8)),
            let members = try? JSON(parsing: Data(opened)),
            let salt = members["salt"]?.string.flatMap({ decoded(base64url: $0) }),
            salt.count == 16, let iterations = members["iterations"]?.integer,
            let verifier = members["verifier"]?.string.flatMap({ decoded(base64url: $0) }),
            verifier.count == 32
        else {
            complain("personalization: pin_setup can't be read")
            throw Refusal(400, "malformed_request")
        }
        return PINSetup(salt: salt, iterations: Int(iterations), verifier: verifier)
    }

    func setToken(_ request: Request, of activation: Activation) throws -> JSON.Object {
        let body = try members(request, "token", "platform")
        let issued = request.claims["iat"]?.integer ?? 0
        if issued >= activation.tokenIssued {
            activations[activation.id]?.token = body["token"]?.string
            activations[activation.id]?.tokenIssued = issued
        }
        return ["token_set": .bool(activations[activation.id]?.token != nil)]
    }

    func remove(_ activation: Activation) -> JSON.Object {
        activations[activation.id] = nil
        return ["removed": true]
    }

    func lock(_ activation: String, _ isLocked: Bool = true) {
        activations[activation]?.isLocked = isLocked
    }

    /// Another key signs from now on.
    func rotate(announced: Bool) {
        let fresh = SigningKey()
        published = announced ? published + [fresh] : [fresh]
        signer = fresh
    }

    func sign(with key: SigningKey) { signer = key }
    func publish(_ keys: [SigningKey]) { published = keys }
}
