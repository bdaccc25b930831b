import Crypto
import PushCore

/// What a signature is to prove, with what unlocks it. The key of possession is on record as it is.
enum FactorKeys: Sendable {
    /// That this device signs.
    case possession
    /// That, and that the user knows the PIN, which is given as it was typed.
    case pin(Secret)
    /// That, and that the user's biometry unlocked the secret.
    case biometry(Secret)

    /// What the header calls it.
    var factors: SignatureFactors {
        switch self {
        case .possession: .possession
        case .pin: .possessionKnowledge
        case .biometry: .possessionBiometry
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

extension [Evidence] {
    /// The PIN, if there is one.
    var pin: Secret? {
        for case .pin(let pin) in self { return pin }
        return nil
    }

    /// The secret that biometry unlocked, if there is one.
    var biometricSecret: Secret? {
        for case .biometry(let secret) in self { return secret }
        return nil
    }

    /// The code, if there is one.
    var code: Secret? {
        for case .code(let code) in self { return code }
        return nil
    }
}
