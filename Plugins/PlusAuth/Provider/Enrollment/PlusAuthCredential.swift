import PushCore
import PushJOSE

/// The provider's half of an enrollment's record.
struct PlusAuthCredential: ProviderCredential {
    /// The algorithm fixed at enrollment; nothing that arrives chooses another.
    let algorithm: PlusAuthKeyAlgorithm

    /// As they are kept: most pushes need few of them.
    private let fields: JSON.Object

    /// The `kid` of answers.
    var signingName: String { text("kid") }

    /// Where an answer goes if the push doesn't say: the documented `resolve` beside
    /// `enrollment_url`. Most pushes name exactly this.
    var resolveURL: String { text("resolve") }

    /// The origin that answers may go to, `https://host` with the port if it isn't 443.
    var origin: String { text("origin") }

    /// How one-time codes are made.
    ///
    /// - Throws: `PushError` with the code `locked` if their secret is behind a locked guard.
    var codes: CodeParameters {
        get throws(PushError) {
            guard codeSecret.count > 0 else { throw .locked }
            return CodeParameters(
                secret: codeSecret, algorithm: text("hash"), digits: number("digits"),
                period: number("period"))
        }
    }

    /// Whether the account is bound to its SIM cards, and to which.
    var sim: SIMBinding

    /// The public half that verifies pushes, in the form that ``AccountVerificationKey`` reads.
    let verification: Secret

    /// Both are empty while their guard is locked.
    private var signing: Secret
    private var codeSecret: Secret
    let installSecret: InstallSecret

    /// What an enrollment code says of one-time codes.
    struct CodeParameters: Sendable {
        let secret: Secret
        let algorithm: String
        let digits: Int
        let period: Int
    }

    /// Creates the record of a new account.
    ///
    /// - Parameters:
    ///   - uri: The enrollment code.
    ///   - verification: The pair whose public half verifies pushes.
    ///   - signing: The pair whose private half signs answers; the same one, unless the key is
    ///     split.
    ///   - installSecret: This installation's secret.
    ///   - sim: The SIM binding as it is now.
    /// - Throws: `PushError` if a key can't be written as the record has it.
    init(
        _ uri: PushEnrollmentURI, verification: AccountSigningKey, signing: AccountSigningKey,
        installSecret: InstallSecret, sim: SIMBinding
    ) throws(PushError) {
        algorithm = verification.algorithm
        fields = [
            "alg": .string(algorithm.rawValue), "kid": .string(signing.name),
            "resolve": .string(uri.enrollmentURL.sibling("resolve")),
            "origin": .string(uri.enrollmentURL.shortOrigin), "hash": .string(uri.algorithm),
            "digits": .integer(uri.digits),
            "period": .integer(uri.period),
        ]
        codeSecret = uri.secret
        self.sim = sim
        self.verification = try verification.verification
        self.signing = signing.stored
        self.installSecret = installSecret
    }

    init(reading sealed: Secret) throws(PushError) {
        let record = try Secret.Record(reading: sealed)
        fields = record.fields
        guard record.secrets.count == 4,
            let algorithm = fields["alg"]?.string.flatMap(PlusAuthKeyAlgorithm.init),
            fields.hasText("kid"), fields.hasText("resolve"), fields.hasText("origin"),
            fields.hasText("hash"),
            fields["digits"]?.integer != nil, fields["period"]?.integer != nil
        else { throw PushError(.malformed, "The credential is damaged.") }
        self.algorithm = algorithm
        verification = record.secrets[0]
        signing = record.secrets[1]
        installSecret = InstallSecret(record.secrets[2])
        codeSecret = record.secrets[3]
        sim = try SIMBinding(fields["sim"])
    }

    var sealed: Secret {
        var fields = fields
        fields["sim"] = sim.json
        return Secret.Record(
            fields: fields, secrets: [verification, signing, installSecret.bytes, codeSecret]
        ).sealed
    }

    private func text(_ name: String) -> String { fields[name]?.string ?? "" }

    private func number(_ name: String) -> Int {
        Int(truncatingIfNeeded: fields[name]?.integer ?? 0)
    }

    /// The key that verifies pushes.
    var verificationKey: AccountVerificationKey {
        get throws(PushError) { try AccountVerificationKey(algorithm, stored: verification) }
    }

    /// The key that signs answers.
    ///
    /// - Throws: `PushError` with the code `locked` if it is behind a locked guard.
    var signingKey: AccountSigningKey {
        get throws(PushError) {
            guard signing.count > 0 else { throw .locked }
            return try AccountSigningKey(algorithm, stored: signing, name: signingName)
        }
    }

    /// This device, as the account's origin knows it.
    var deviceIdentifier: String { installSecret.deviceIdentifier(at: origin) }
}

extension PlusAuthCredential: GuardedCredential {
    /// The key that signs answers; and the codes' secret, as the login page takes a code instead.
    var answerSecrets: [Secret] {
        get { [signing, codeSecret].filter { $0.count > 0 } }
        set {
            signing = newValue.first ?? Secret([])
            codeSecret = newValue.dropFirst().first ?? Secret([])
        }
    }
}
