public import PushCore

/// An activation, as the server describes it to its device.
public struct PowerAuthActivationDetail: Hashable, Sendable {
    /// The activation's name. Safe to show.
    public let name: String

    /// Reads a reply, once it's decrypted and taken out of its wrapping.
    init(_ json: JSON, of activationID: String) throws(PushError) {
        guard let id = json["activationId"]?.string,
            id.utf8.elementsEqual(activationID.utf8),
            let name = json["activationName"]?.string
        else { throw PushError(.malformed, "The reply isn't about this activation.") }
        self.name = DisplayText.sanitized(name, .title)
    }
}

/// What a server tells of a user, under the names of OpenID Connect (OpenID Connect Core 1.0, section
/// 5.1). It is data to show: nobody has signed it, and any of it may be missing.
public struct PowerAuthUserInfo: Hashable, Sendable {
    /// All that the server told.
    public let claims: JSON.Object

    init(claims: JSON.Object) { self.claims = claims }

    /// Who it is about, as the server knows the user.
    public var subject: String? { claims["sub"]?.string }

    /// The whole name. Safe to show.
    public var name: String? { shown("name") }

    /// The given name. Safe to show.
    public var givenName: String? { shown("given_name") }

    /// The family name. Safe to show.
    public var familyName: String? { shown("family_name") }

    /// The address for mail. Safe to show; whether it is the user's is the server's word.
    public var email: String? { shown("email") }

    /// The phone number. Safe to show; whether it is the user's is the server's word.
    public var phoneNumber: String? { shown("phone_number") }

    private func shown(_ name: String) -> String? {
        claims[name]?.string.map { DisplayText.sanitized($0, .title) }
    }
}
