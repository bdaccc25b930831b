import PushCore

/// The secret half of an enrollment's record. Its name is the `credentialId`, which every push has.
struct KeycloakCredential: ProviderCredential {
    /// The realm's issuer.
    let issuer: String

    /// The user's identifier at the realm, `sub`.
    let subject: String

    /// What names the device in proofs. No two enrollments have the same, as the realm takes the
    /// first of a user's that it finds.
    let deviceID: String

    /// The device's private key, as it is kept; empty while its guard is locked: no push needs it.
    var key: Secret

    /// The key that is to take its place, until the realm has provably taken that.
    var nextKey: Secret?

    /// When the user locked the account here, in seconds of Unix's epoch by the realm's clock as
    /// far as that is known; `nil` while nobody has.
    var lockout: Int64?

    init(issuer: String, subject: String, deviceID: String, key: Secret) {
        self.issuer = issuer
        self.subject = subject
        self.deviceID = deviceID
        self.key = key
    }

    init(reading sealed: Secret) throws(PushError) {
        let record = try Secret.Record(reading: sealed)
        guard let key = record.secrets.first, record.secrets.count <= 2 else {
            throw PushError(.malformed, "The credential has no key, or too many.")
        }
        issuer = try record.fields.required("issuer") { $0.string }
        subject = try record.fields.required("sub") { $0.string }
        deviceID = try record.fields.required("device") { $0.string }
        self.key = key
        nextKey = record.secrets.dropFirst().first
        lockout = try record.fields.optional("lockout") { $0.integer }
    }

    var sealed: Secret {
        var fields: JSON.Object = [
            "issuer": .string(issuer), "sub": .string(subject), "device": .string(deviceID),
        ]
        if let lockout { fields["lockout"] = .integer(lockout) }
        return Secret.Record(fields: fields, secrets: [key] + [nextKey].compactMap(\.self)).sealed
    }
}

extension KeycloakCredential: GuardedCredential {
    /// The device's keys, by which every call is proved.
    var answerSecrets: [Secret] {
        get { ([key] + [nextKey].compactMap(\.self)).filter { $0.count > 0 } }
        set {
            key = newValue.first ?? Secret([])
            nextKey = newValue.dropFirst().first
        }
    }
}

extension Enrollment.State {
    /// The user has pressed the panic button.
    static let lockedOut = Enrollment.State.blocked(
        "The user locked the account here. Only an administrator unlocks it.")

    /// Whether it is that: nothing else blocks an enrollment of this provider.
    var isLockedOut: Bool {
        if case .blocked = self { true } else { false }
    }
}
