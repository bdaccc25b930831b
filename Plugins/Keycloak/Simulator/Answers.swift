import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension KeycloakSimulator {
    /// Lists the open challenges of the credential that calls, the oldest first; none to another
    /// user.
    func pending(_ call: Call) throws(Refusal) -> ServerReply {
        guard let user = call.query.first(where: { $0.name == "userId" })?.value, !user.isEmpty
        else { throw .missing("userId") }
        let caller = try caller(of: call)
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

    /// Takes a signed yes or no: the challenge is looked at before the proof, the answer after it.
    func answer(_ call: Call, to text: String) throws(Refusal) -> ServerReply {
        let members = try call.members()
        guard let uuid = UUID(uuidString: text) else { throw .notUUID("cid") }
        let id = uuid.uuidString.lowercased()
        guard let login = openLogin(id) else {
            guard enrollments[id] != nil else { throw .challengeNotFound }
            throw Refusal(400, "Challenge is not for login")
        }
        guard login.end == nil else { throw .resolved }
        let caller = try caller(of: call)
        guard login.user == caller.user.id else {
            throw Refusal(403, "Authentication token subject mismatch")
        }
        guard login.credentialID == caller.device.credentialID else {
            throw Refusal(403, "Authentication token device mismatch")
        }
        let token = try answerToken(in: members, "authentication token")
        guard try token.claims.uuid("cid") == id else { throw Refusal(403, "Challenge mismatch") }
        try token.check(
            by: caller.device.key, orElse: "Invalid authentication token signature")
        guard token.isCurrent(at: configuration.seconds) else {
            throw Refusal(400, "authentication token expired")
        }
        guard try token.text("credId", longest: 128) == login.credentialID else {
            throw Refusal(403, "Authentication token credential mismatch")
        }
        return try decide(token, login, id)
    }

    /// A token without an action is a yes.
    private func decide(
        _ token: SignedToken, _ login: Login, _ id: String
    ) throws(Refusal) -> ServerReply {
        let action = token.claims["action"]?.string?.lowercased() ?? "approve"
        switch action {
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
        guard let json = token.claims["userVerification"], json != .null else {
            throw Refusal(400, "Missing user verification")
        }
        guard let text = json.string else {
            throw Refusal(400, "Invalid user verification value")
        }
        let start = text.drop { $0.isWhitespace }
        let value = String(start.reversed().drop { $0.isWhitespace }.reversed())
        guard !value.isEmpty else { throw Refusal(400, "Missing user verification") }
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
        let members = try call.members()
        let caller = try caller(of: call)
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
        let members = try call.members()
        let caller = try caller(of: call)
        guard let jwk = members["publicKeyJwk"], jwk != .null else {
            throw Refusal(400, "Request missing publicKeyJwk")
        }
        guard jwk.utf8.count <= 8192 else { throw .tooLong("publicKeyJwk") }
        let key = try DeviceKey(jwk)
        guard let name = jwk["alg"]?.string else { throw Refusal(400, "JWK missing alg") }
        guard let algorithm = Algorithm(rawValue: name) else {
            throw .badAlgorithm(name, of: "rotate-key request")
        }
        try key.check(algorithm)
        update(caller) { $0.key = key }
        return ServerReply(status: "rotated")
    }
}
