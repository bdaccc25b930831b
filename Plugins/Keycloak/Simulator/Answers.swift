import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension KeycloakSimulator {
    /// Lists the open challenges of the credential that calls, the oldest first; none to another user.
    ///
    /// Which reply a call without `userId` gets is UNCONFIRMED.
    func pending(_ call: Call) throws(Refusal) -> ServerReply {
        let caller = try caller(of: call)
        guard let user = call.query.first(where: { $0.name == "userId" })?.value else {
            throw .missing("userId")
        }
        let open = logins.filter {
            isOpen($0.value) && user == caller.user.id && $0.value.user == user
                && $0.value.credentialID == caller.device.credentialID
        }
        let entries = open.sorted { ($0.value.created, $0.key) < ($1.value.created, $1.key) }
            .map { entry(of: $0.value, $0.key, caller.user.name) }
        return ServerReply(json: ["challenges": .array(entries)])
    }

    private func entry(of login: Login, _ id: String, _ name: String) -> JSON {
        [
            "userId": .string(login.user), "username": .string(name), "cid": .string(id),
            "expiresAt": .integer(login.expiry), "createdAt": .integer(login.created),
            "clientId": .string(configuration.applicationID),
            "clientName": configuration.applicationName.map(JSON.string) ?? .null,
            "userVerification": login.check?.wire ?? .null,
        ]
    }

    /// Takes a signed yes or no.
    ///
    /// That the challenge is looked at before the proof is known; the order of what follows the proof,
    /// and the texts of the owner's checks, are UNCONFIRMED.
    func answer(_ call: Call, to text: String) throws(Refusal) -> ServerReply {
        guard let uuid = UUID(uuidString: text) else { throw .notUUID("cid") }
        let id = uuid.uuidString.lowercased()
        guard let login = openLogin(id) else { throw .challengeNotFound }
        guard login.end == nil else { throw .resolved }
        let caller = try caller(of: call)
        let token = try answerToken(of: call)
        guard try token.claims.uuid("cid") == id else { throw Refusal(403, "Challenge mismatch") }
        let credential = try token.text("credId", longest: 128)
        guard login.user == caller.user.id else {
            throw Refusal(403, "Authentication token subject mismatch")
        }
        guard login.credentialID == caller.device.credentialID else {
            throw Refusal(403, "Authentication token device mismatch")
        }
        guard credential == login.credentialID else {
            throw Refusal(403, "Authentication token credential mismatch")
        }
        guard token.algorithm == caller.device.algorithm,
            token.isSigned(by: caller.device.key.key)
        else { throw Refusal(403, "Invalid authentication token signature") }
        guard token.isCurrent(at: configuration.now) else {
            throw Refusal(400, "authentication token expired")
        }
        // A token without an action is a yes.
        let action = try token.claims.optionalText("action", longest: 16) ?? "approve"
        switch action.lowercased() {
        case "deny": return end(id, as: .denied, "denied")
        case "approve":
            if let check = login.check { try compare(token, check) }
            return end(id, as: .approved, "approved")
        default: throw Refusal(400, "Unsupported action: \(action)")
        }
    }

    private func end(
        _ id: String, as end: SimulatedLogin.Status, _ word: String
    ) -> ServerReply {
        logins[id]?.end = end
        return ServerReply(status: word)
    }

    /// A wrong number or PIN changes nothing, any number of times.
    private func compare(_ token: SignedToken, _ check: Login.Check) throws(Refusal) {
        guard let json = token.claims["userVerification"], json != .null, json != "" else {
            throw Refusal(400, "Missing user verification")
        }
        guard let value = json.string, value.utf8.count <= 12,
            value.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { throw Refusal(400, "Invalid user verification value") }
        guard Secret(copying: value).isEqualInConstantTime(to: Secret(copying: check.right)) else {
            throw Refusal(403, "User verification mismatch")
        }
    }

    /// The panic button: the account is disabled, and what is open ends.
    func lockOut(_ call: Call) throws(Refusal) -> ServerReply {
        let caller = try caller(of: call)
        users[caller.user.id]?.isLockedOut = true
        end { $0.user == caller.user.id }
        return ServerReply(status: "locked_out")
    }

    // MARK: Upkeep

    func changePushProvider(_ call: Call) throws(Refusal) -> ServerReply {
        let caller = try caller(of: call)
        let members = try call.members()
        let id = try members.text("pushProviderId", longest: 2048)
        let type = try members.optionalText("pushProviderType", longest: 64)
        let device = caller.device
        guard id != device.providerID || type ?? device.providerType != device.providerType else {
            return ServerReply(status: "unchanged")
        }
        update(caller) { device in
            device.providerID = id
            device.providerType = type ?? device.providerType
        }
        return ServerReply(status: "updated")
    }

    /// The old key is dead at once, and with it the access tokens that are bound to it.
    func rotateDeviceKey(_ call: Call) throws(Refusal) -> ServerReply {
        let caller = try caller(of: call)
        let members = try call.members()
        guard let jwk = members["publicKeyJwk"] else { throw .missing("publicKeyJwk") }
        guard jwk.utf8.count <= 8192 else { throw .tooLong("publicKeyJwk") }
        let key = try DeviceKey(jwk)
        guard let algorithm = key.algorithm else { throw .missing("alg") }
        update(caller) { device in
            device.key = key
            device.algorithm = algorithm
        }
        return ServerReply(status: "rotated")
    }
}
