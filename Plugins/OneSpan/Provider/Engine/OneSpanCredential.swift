package import PushCore

/// The provider's half of an enrollment's record, and within it the engine's.
package struct OneSpanCredential: Sendable {
    /// The user identifier, byte for byte.
    package let user: String

    /// The user's domain; `nil` if the engine doesn't tell.
    package let domain: String?

    /// The notification identifier last sent for this user.
    package var identifier: String?

    /// Whether the server acknowledged ``identifier``. Cleared before another one leaves, so that
    /// a lost reply is repaired at the next start.
    package var isIdentifierConfirmed = false

    /// Whether the server has said, authenticated, that it removed this device.
    package var isDeactivated = false

    /// The engine's keys and counters, in its own layout; `nil` if it keeps them elsewhere.
    package var engine: Secret?

    package init(user: String, domain: String?, engine: Secret? = nil) {
        self.user = user
        self.domain = domain
        self.engine = engine
    }

    package init(_ sealed: Secret) throws(PushError) {
        let record = try SecretRecord(reading: sealed)
        guard let user = record.fields["user"]?.string, record.secrets.count <= 1 else {
            throw PushError(.malformed, "The credential is damaged.")
        }
        self.user = user
        domain = record.fields["domain"]?.string
        identifier = record.fields["identifier"]?.string
        isIdentifierConfirmed = record.fields["confirmed"]?.bool ?? false
        isDeactivated = record.fields["deactivated"]?.bool ?? false
        engine = record.secrets.first
    }

    /// What one enrollment alone may have: a user, byte for byte, of a domain.
    package static func claim(user: String, domain: String?) -> String {
        let domain = domain.map { JSON.string($0.lowercased()) } ?? .null
        return String(decoding: JSON.array([domain, .string(user)]).utf8, as: UTF8.self)
    }

    package var sealed: Secret {
        var fields: JSON.Object = [
            "user": .string(user), "confirmed": .bool(isIdentifierConfirmed),
            "deactivated": .bool(isDeactivated),
        ]
        fields["domain"] = domain.map(JSON.string)
        fields["identifier"] = identifier.map(JSON.string)
        return SecretRecord(fields: fields, secrets: engine.map { [$0] } ?? []).sealed
    }
}
