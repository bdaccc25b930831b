import PushCore
import PushJOSE
import PushXignIn

extension OpenReferenceWireFormat {
    private static let greatestLength = 3500

    /// Verifies and reads a push, in the order that the format prescribes: shape, algorithm, header,
    /// manager, signature, and only then what it says.
    func message(
        from push: PushEnvelope, using access: XignInAccess
    ) async throws(PushError) -> XignInMessage {
        guard push.version == "1" else {
            throw PushError(.malformed, "The push has another envelope: key oxrw.")
        }
        guard let text = push.token, text.utf8.count <= Self.greatestLength else {
            throw PushError(.malformed, "The push has no token, or too long a one: key oxrw_msg.")
        }
        let token = try StrictToken(text)
        try token.requireHeader(of: "oxrw-push+jwt")
        let keyID = try token.requireText("kid")
        let idm = try token.requireText("idm")
        let id = access.enrollment(at: idm)
        guard Identifier.isValid(idm), let secret = try await access.secret(of: id) else {
            throw Self.notPersonalized
        }
        var record = try ActivationRecord(secret)
        if record.managerKeys[keyID] == nil {
            record = await askedForKeys(about: keyID, of: id, using: access) ?? record
        }
        guard let key = record.managerKeys[keyID] else {
            throw PushError(.untrusted, "The push is signed by a key that isn't the manager's.")
        }
        let claims = try PushClaims(
            try token.claims(verifiedBy: key), from: idm, supported: access.supportedAPI)
        guard let activation = record.activation,
            activation.utf8.elementsEqual(claims.audience.utf8)
        else { throw Self.notPersonalized }
        return Self.message(claims, id)
    }

    private static var notPersonalized: PushError {
        PushError(.unknownEnrollment, "The manager isn't personalized on this device.")
    }

    private static func message(_ claims: PushClaims, _ id: Enrollment.ID) -> XignInMessage {
        var message = XignInMessage(
            id: Challenge.ID(claims.process, of: id), kind: claims.kind,
            minimumAPI: claims.minimumAPI, validity: (claims.issued, claims.expiry))
        message.isIgnorable = claims.isIgnorable
        message.title = claims.title
        message.text = claims.text
        message.priority = claims.priority
        message.context = ProcessContext(messageID: claims.messageID).sealed
        return message
    }
}
