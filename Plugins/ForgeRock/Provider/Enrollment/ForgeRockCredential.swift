import PushCore

/// The provider's half of an enrollment's record.
struct ForgeRockCredential: Sendable {
    let sharedSecret: Secret
    private let registration: String
    private let authentication: String

    /// The newest load-balancer cookie: of the enrollment code, then of each push.
    var cookie: String?

    /// AM's user name, without which AM takes no new device token.
    var user: String?

    let policies: JSON.Object

    init(_ uri: EnrollmentURI) {
        sharedSecret = uri.sharedSecret
        registration = uri.registrationEndpoint.text
        authentication = uri.authenticationEndpoint.text
        cookie = uri.cookie
        user = uri.user
        policies = uri.policies
    }

    init(_ sealed: Secret) throws(PushError) {
        let record = try SecretRecord(reading: sealed)
        guard let secret = record.secrets.first,
            let registration = record.fields["r"]?.string,
            let authentication = record.fields["a"]?.string
        else { throw PushError(.malformed, "The credential is damaged.") }
        sharedSecret = secret
        self.registration = registration
        self.authentication = authentication
        cookie = record.fields["l"]?.string
        user = record.fields["d"]?.string
        policies = record.fields["policies"]?.object ?? [:]
    }

    var sealed: Secret {
        var fields: JSON.Object = [
            "r": .string(registration), "a": .string(authentication),
        ]
        fields["l"] = cookie.map(JSON.string)
        fields["d"] = user.map(JSON.string)
        if !policies.isEmpty { fields["policies"] = .object(policies) }
        return SecretRecord(fields: fields, secrets: [sharedSecret]).sealed
    }

    /// Where to send answers. Checked again only here, where it's used: most pushes need it later.
    var authenticationEndpoint: Endpoint {
        get throws(PushError) { try Endpoint(authentication) }
    }

    /// Where to tell a new device token: the registration endpoint with its action replaced, and
    /// nothing else changed.
    var refreshEndpoint: Endpoint? {
        let parts = registration.split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        var items = parts[1].split(separator: "&", omittingEmptySubsequences: false)
        guard let action = items.firstIndex(of: "_action=register") else { return nil }
        items[action] = "_action=refresh"
        return try? Endpoint("\(parts[0])?\(items.joined(separator: "&"))")
    }
}
