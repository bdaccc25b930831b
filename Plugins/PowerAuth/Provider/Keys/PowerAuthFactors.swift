public import PushCore

/// What a signature is to prove, with what unlocks it. The device's own key is on record as it is.
///
/// The names in the protocol's headers are beside each. Servers say which they take; by default it
/// is two factors or three, and possession among them. What they don't take they refuse before they
/// check it, and it counts as no failed attempt.
@nonexhaustive
public enum PowerAuthFactors: Sendable {
    /// `possession`: this device signs. It needs no user, so no decision of the user's hangs on it.
    case possession
    /// `possession_knowledge`: that, and the user knows the PIN, which is given as it was typed, in
    /// UTF-8.
    case pin(Secret)
    /// `possession_biometry`: this device signs, and the user's biometry unlocked the secret.
    case biometry(Secret)
    /// `possession_knowledge_biometry`: all three.
    case pinAndBiometry(pin: Secret, secret: Secret)
    /// `knowledge`: the PIN without the device. It is documented; the vendor's apps don't use it.
    case pinAlone(Secret)
    /// `biometry`: biometry without the device. It is documented; the vendor's apps don't use it.
    case biometryAlone(Secret)

    /// What the header calls it.
    var factors: SignatureFactors {
        switch self {
        case .possession: .possession
        case .pin: .possessionKnowledge
        case .biometry: .possessionBiometry
        case .pinAndBiometry: .possessionKnowledgeBiometry
        case .pinAlone: .knowledge
        case .biometryAlone: .biometry
        }
    }

    /// The PIN, if there is one.
    var pin: Secret? {
        switch self {
        case .pin(let pin), .pinAndBiometry(let pin, _), .pinAlone(let pin): pin
        case .possession, .biometry, .biometryAlone: nil
        }
    }

    /// What biometry unlocked, if it did.
    var biometricSecret: Secret? {
        switch self {
        case .biometry(let secret), .pinAndBiometry(_, let secret), .biometryAlone(let secret):
            secret
        case .possession, .pin, .pinAlone: nil
        }
    }

    /// Whether a wrong signature counts against the activation.
    var isCounted: Bool { factors != .possession }

    /// Two factors of what a verifier brought: the PIN, or else the secret that biometry unlocked.
    ///
    /// - Throws: `PushError` with the code `verificationFailed` if it brought neither.
    init(two evidence: [Evidence]) throws(PushError) {
        if let pin = evidence.pin {
            self = .pin(pin)
        } else if let secret = evidence.biometricSecret {
            self = .biometry(secret)
        } else {
            throw PushError(
                .verificationFailed, "The verifier brought neither a PIN nor a biometric secret.")
        }
    }
}
