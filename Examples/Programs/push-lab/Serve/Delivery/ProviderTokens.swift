import Crypto
import Foundation
import PushCore

/// Makes provider tokens, and uses each for as long as Apple wants it: 20 minutes at least, an hour at
/// most (developer.apple.com, "Establishing a token-based connection to APNs").
actor ProviderTokens {
    private struct Known {
        let team, keyID: String
        let key: Data
        let issued: Date
        let text: String
    }

    private var known: Known?

    /// The token that was made last, or a new one once that is 40 minutes old, or for another key.
    func token(
        of team: String, by key: P256.Signing.PrivateKey, named keyID: String, at now: Date
    ) throws -> String {
        if let known, known.team == team, known.keyID == keyID,
            known.key == key.publicKey.rawRepresentation,
            (0..<2400).contains(now.timeIntervalSince(known.issued))
        {
            return known.text
        }
        let text = try signedToken(
            header: ["alg": "ES256", "kid": .string(keyID)],
            claims: [
                "iss": .string(team), "iat": .number(.init(Int64(now.timeIntervalSince1970))),
            ]
        ) { try key.signature(for: $0).rawRepresentation }
        known = Known(
            team: team, keyID: keyID, key: key.publicKey.rawRepresentation, issued: now, text: text)
        return text
    }
}
