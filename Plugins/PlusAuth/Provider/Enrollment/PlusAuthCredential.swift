import PushCore
import PushJOSE

/// The provider's half of an enrollment's record.
struct PlusAuthCredential: Sendable {
    /// The algorithm fixed at enrollment; nothing that arrives chooses another.
    let algorithm: PlusAuth.KeyAlgorithm

    /// The `kid` of answers.
    let signingName: String

    /// Where an answer goes if the push doesn't say: the documented `resolve` beside
    /// `enrollment_url`. Most pushes name exactly this.
    let resolveURL: String

    /// The origin that answers may go to, `https://host` with the port if it isn't 443.
    let origin: String

    /// How one-time codes are made.
    let codes: CodeParameters

    /// Whether the account is bound to its SIM cards, and to which.
    var sim: SIMBinding

    /// The public half that verifies pushes, in the form that ``AccountVerificationKey`` reads.
    let verification: Secret

    private let signing: Secret
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
    ///   - signing: The pair whose private half signs answers; the same one, unless the key is split.
    ///   - installSecret: This installation's secret.
    ///   - sim: The SIM binding as it is now.
    init(
        _ uri: PushEnrollmentURI, verification: AccountSigningKey, signing: AccountSigningKey,
        installSecret: InstallSecret, sim: SIMBinding
    ) throws(PushError) {
        algorithm = verification.algorithm
        signingName = signing.name
        resolveURL = uri.enrollmentURL.sibling("resolve")
        origin = uri.enrollmentURL.shortOrigin
        codes = CodeParameters(
            secret: uri.secret, algorithm: uri.algorithm, digits: uri.digits, period: uri.period)
        self.sim = sim
        self.verification = try verification.verification
        self.signing = signing.stored
        self.installSecret = installSecret
    }

    init(_ sealed: Secret) throws(PushError) {
        let record = try SecretRecord(reading: sealed)
        let fields = record.fields
        guard record.secrets.count == 4,
            let algorithm = fields["alg"]?.string.flatMap(PlusAuth.KeyAlgorithm.init),
            let signingName = fields["kid"]?.string, let url = fields["resolve"]?.string,
            let origin = fields["origin"]?.string, let hash = fields["hash"]?.string,
            let digits = fields["digits"]?.integer, let period = fields["period"]?.integer
        else { throw PushError(.malformed, "The credential is damaged.") }
        self.algorithm = algorithm
        self.signingName = signingName
        resolveURL = url
        self.origin = origin
        verification = record.secrets[0]
        signing = record.secrets[1]
        installSecret = InstallSecret(record.secrets[2])
        codes = CodeParameters(
            secret: record.secrets[3], algorithm: hash, digits: Int(truncatingIfNeeded: digits),
            period: Int(truncatingIfNeeded: period))
        sim = try SIMBinding(fields["sim"])
    }

    var sealed: Secret {
        var fields: JSON.Object = [
            "alg": .string(algorithm.rawValue), "kid": .string(signingName),
            "resolve": .string(resolveURL), "origin": .string(origin),
            "hash": .string(codes.algorithm), "digits": .number(.init(Int64(codes.digits))),
            "period": .number(.init(Int64(codes.period))),
        ]
        fields["sim"] = sim.json
        return SecretRecord(
            fields: fields, secrets: [verification, signing, installSecret.bytes, codes.secret]
        ).sealed
    }

    /// The key that verifies pushes.
    var verificationKey: AccountVerificationKey {
        get throws(PushError) { try AccountVerificationKey(algorithm, stored: verification) }
    }

    /// The key that signs answers.
    var signingKey: AccountSigningKey {
        get throws(PushError) {
            try AccountSigningKey(algorithm, stored: signing, name: signingName)
        }
    }

    /// The key that verifies answers, as PlusAuth does.
    var answerKey: AccountVerificationKey {
        get throws(PushError) {
            try AccountVerificationKey(algorithm, stored: try signingKey.verification)
        }
    }

    /// This device, as the account's origin knows it.
    var deviceIdentifier: String { installSecret.deviceIdentifier(at: origin) }
}
