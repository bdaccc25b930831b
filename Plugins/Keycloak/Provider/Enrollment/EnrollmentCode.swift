import PushCore
import PushJOSE

/// What a realm's code for enrolling holds. Nothing of it is proved.
struct EnrollmentCode {
    /// How the enrollment token comes.
    enum Content {
        case token(UnverifiedJWT)
        /// It is fetched there. The address grants access, so it is a secret.
        case reference(Endpoint)
    }

    let realm: KeycloakConfiguration.Realm
    let content: Content

    /// What stands before a reference's handle, below the realm's issuer.
    private static let requests = "/push-mfa/enroll/request-token/"

    /// Reads a code.
    ///
    /// - Returns: `nil` if it's somebody else's.
    /// - Throws: `PushError` with the code `invalidInvitation` if it is of a realm that isn't
    ///   configured, or its address isn't the realm's.
    init?(_ text: String, for configuration: KeycloakConfiguration) throws(PushError) {
        switch CarriedText(text) {
        case .token(let text):
            guard let jwt = CarriedText.jwt(text), EnrollmentToken.isClaimed(by: jwt) else {
                return nil
            }
            let issuer = jwt.unverifiedClaims["iss"]?.string
            guard let realm = issuer.flatMap(configuration.realm) else {
                throw PushError(
                    .invalidInvitation, "The configuration has no realm of the token's iss.")
            }
            self.realm = realm
            content = .token(jwt)
        case .reference(let text):
            guard text.cut(at: Self.requests).rest != nil else { return nil }
            let found = configuration.realms.first { realm in
                text.utf8.starts(with: "\(realm.issuer.text)\(Self.requests)".utf8)
            }
            guard let realm = found else {
                throw PushError(
                    .invalidInvitation,
                    "The parameter \"request_uri\" leads to none of the configured realms.")
            }
            let handle = text.cut(at: Self.requests).rest.map(String.init) ?? ""
            guard UUIDText.isValid(handle), let endpoint = try? Endpoint(text) else {
                throw PushError(
                    .invalidInvitation, "The parameter \"request_uri\" doesn't end in a UUID.")
            }
            self.realm = realm
            content = .reference(endpoint)
        case nil: return nil
        }
    }

    /// For whom it says it is: anybody's words.
    var username: String? {
        guard case .token(let jwt) = content else { return nil }
        return jwt.unverifiedClaims["username"]?.string
    }
}

/// An enrollment token that its realm has signed.
struct EnrollmentToken {
    let enrollmentID: String

    /// Echoed byte for byte, whatever its alphabet is.
    let nonce: String

    /// The user's identifier.
    let subject: String
    let username: String?
    let expiry: Int64

    private static let kind = "push-enroll-challenge"

    /// Whether a token says that it is one.
    static func isClaimed(by jwt: UnverifiedJWT) -> Bool {
        jwt.unverifiedClaims["typ"]?.string?.hasSameBytes(as: kind) == true
    }

    /// Reads a token of a realm's.
    ///
    /// - Throws: `PushError` with the code `untrusted` if it is for another realm or of another kind,
    ///   `invalidInvitation` if a claim can't be used.
    init(
        _ jwt: VerifiedJWT, of realm: KeycloakConfiguration.Realm
    ) throws(PushError) {
        guard jwt.claims["iss"]?.string?.hasSameBytes(as: realm.issuer.text) == true,
            jwt.claims["typ"]?.string?.hasSameBytes(as: Self.kind) == true,
            Self.audience(jwt.claims["aud"]).contains(where: { $0.hasSameBytes(as: realm.name) })
        else {
            throw PushError(.untrusted, "The token is of another realm, or of another kind.")
        }
        enrollmentID = try Self.text("enrollmentId", in: jwt, most: 36)
        guard UUIDText.isValid(enrollmentID) else { throw Self.unusable("enrollmentId") }
        nonce = try Self.text("nonce", in: jwt, most: 256)
        subject = try Self.text("sub", in: jwt, most: 512)
        username = jwt.claims["username"]?.string
        guard let expiry = jwt.time("exp") else { throw Self.unusable("exp") }
        self.expiry = expiry
    }

    private static func audience(_ claim: JSON?) -> [String] {
        claim?.array?.compactMap(\.string) ?? [claim?.string].compactMap(\.self)
    }

    private static func text(
        _ name: String, in jwt: VerifiedJWT, most: Int
    ) throws(PushError) -> String {
        guard let text = jwt.claims[name]?.string, 1...most ~= text.utf8.count else {
            throw unusable(name)
        }
        return text
    }

    private static func unusable(_ name: String) -> PushError {
        PushError(.invalidInvitation, "The token's \"\(name)\" is missing or can't be used.")
    }
}
