import PushCore
import PushJOSE

/// A confirm token as it came, in a push or by a link. Nothing of it is proved.
struct ConfirmToken: Sendable {
    let jwt: UnverifiedJWT

    /// Whom it names, for finding the key.
    let issuer: String
    let credentialID: String

    /// Finds it by its shape alone: a token with `iss`, `cid` and `credId`.
    init?(_ message: PushMessage) {
        let text: String?
        switch message.content {
        case .object(let members): text = members["token"]?.string
        case .string(let code):
            guard case .token(let token) = CarriedText(code) else { return nil }
            text = token
        case .null, .bool, .number, .array: return nil
        }
        guard let jwt = text.flatMap(CarriedText.jwt),
            let issuer = jwt.unverifiedClaims["iss"]?.string,
            let credentialID = jwt.unverifiedClaims["credId"]?.string,
            jwt.unverifiedClaims["cid"]?.string != nil
        else { return nil }
        self.jwt = jwt
        self.issuer = issuer
        self.credentialID = credentialID
    }
}
