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
    /// Biometry that is set up for the enrollment now.
    case newBiometry
    /// What unlocks the device: its passcode or password.
    case deviceCredential
    /// A code that the user got another way; the text says which, for the user.
    case code(String)
}

/// The user's proof, as the app's verifier hands it over.
@nonexhaustive
public enum Evidence: Sendable {
    /// The user was there and agreed.
    case presence
    /// The PIN, or the new PIN, as the user typed it.
    case pin(Secret)
    /// The biometric check passed; the secret is what it unlocked, if the vendor's factor has one.
    case biometry(Secret?)
    /// The user unlocked the device.
    case deviceCredential
    /// The code.
    case code(Secret)

    /// Whether it proves a factor.
    func proves(_ factor: Factor) -> Bool {
        switch (self, factor) {
        case (.presence, .presence), (.pin, .pin), (.pin, .newPIN), (.biometry, .biometry),
            (.biometry, .newBiometry), (.deviceCredential, .deviceCredential), (.code, .code):
            true
        default: false
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
}
