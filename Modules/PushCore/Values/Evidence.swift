/// A proof of the user that a challenge or an enrollment can ask for.
@nonexhaustive
public enum Factor: Hashable, Sendable {
    /// The user is there and agrees.
    case presence
    /// The enrollment's PIN.
    case pin
    /// A PIN that the user chooses now.
    case newPIN
    /// A biometric check.
    case biometry
    /// Biometry that the user sets up for the enrollment now.
    case newBiometry
    /// The device's passcode or password.
    case deviceCredential
    /// A code that the user got another way; the text tells the user which.
    case code(String)
}

/// The user's proof, as the app's verifier hands it over.
@nonexhaustive
public enum Evidence: Sendable {
    /// The user was there and agreed.
    case presence
    /// The PIN, or the new PIN, as the user typed it.
    case pin(Secret)
    /// The biometric check passed, and unlocked this secret, if the vendor's factor has one.
    case biometry(Secret?)
    /// The user unlocked the device.
    case deviceCredential
    /// The code.
    case code(Secret)

    /// Whether it proves a factor.
    func proves(_ factor: Factor) -> Bool {
        switch (factor, self) {
        case (.presence, .presence), (.pin, .pin), (.newPIN, .pin), (.biometry, .biometry),
            (.newBiometry, .biometry), (.deviceCredential, .deviceCredential), (.code, .code):
            true
        case (.presence, _), (.pin, _), (.newPIN, _), (.biometry, _), (.newBiometry, _),
            (.deviceCredential, _), (.code, _):
            false
        }
    }
}

extension [Evidence] {
    /// Whether it proves every factor of at least one alternative; none asked for is always proved.
    func satisfies(_ alternatives: [[Factor]]) -> Bool {
        alternatives.isEmpty
            || alternatives.contains { needed in
                needed.allSatisfy { factor in contains { $0.proves(factor) } }
            }
    }

    /// The first PIN or password.
    public var pin: Secret? {
        for case .pin(let pin) in self { return pin }
        return nil
    }

    /// The first code.
    public var code: Secret? {
        for case .code(let code) in self { return code }
        return nil
    }

    /// Whether biometry was checked.
    public var holdsBiometry: Bool {
        contains { if case .biometry = $0 { true } else { false } }
    }

    /// The first secret that biometry unlocked.
    public var biometricSecret: Secret? {
        for case .biometry(let secret) in self { return secret }
        return nil
    }
}

/// What opens a guard.
@nonexhaustive
public enum GuardPolicy: String, CaseIterable, Hashable, Sendable {
    /// This device, unlocked. The user proves nothing.
    case presence
    /// The device's passcode or biometry; on a computer a passphrase.
    case deviceOwner
    /// A finger or a face that the device knew when it was sealed, and nothing else.
    case currentBiometry

    /// What opening it proves.
    var evidence: [Evidence] {
        switch self {
        case .presence: []
        case .deviceOwner: [.presence, .deviceCredential]
        case .currentBiometry: [.presence, .biometry(nil)]
        }
    }

    /// - Throws: ``PushError`` with the code `unsupported` if nobody would be asked for what is to
    ///   stand for the user's biometry.
    func requireUser() throws(PushError) {
        guard self != .presence else {
            throw PushError(
                .unsupported, "What biometry unlocks needs a policy that asks the user.")
        }
    }
}
