/// The app's way to prove the user: its PIN field, its biometric prompt.
public protocol UserVerifier: Sendable {
    /// Verifies the user.
    ///
    /// - Returns: Proofs that satisfy one of the request's alternatives.
    /// - Throws: ``PushError`` with the code `cancelled` if the user gave up, `verificationFailed`
    ///   if the check failed.
    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence]
}

/// What the app's verifier is asked to prove.
public struct VerificationRequest: Sendable {
    /// What the proof is for.
    @nonexhaustive
    public enum Purpose: Sendable {
        /// To join what an offer describes.
        case join(Offer)
        /// To say yes to a challenge.
        case answer(Challenge, Resolution)
        /// To do something else with an enrollment; the text says what, for developers.
        case manage(Enrollment.ID, String)
    }

    /// What the proof is for.
    public let purpose: Purpose

    /// What proves it: alternatives, each a set of factors needed together.
    public let alternatives: [[Factor]]

    /// The text of the prompt, if the caller gave one.
    public let title: String?

    /// Creates a request.
    public init(_ purpose: Purpose, alternatives: [[Factor]], title: String? = nil) {
        self.purpose = purpose
        self.alternatives = alternatives
        self.title = title
    }
}

/// How the app wants the user verified for one answer.
public struct VerificationStyle: Hashable, Sendable {
    /// The text of the prompt.
    public var title: String?

    /// Whether unlocking the device may stand for biometry, where the challenge allows it.
    public var allowsDeviceCredential: Bool

    /// Creates a style.
    public init(title: String? = nil, allowsDeviceCredential: Bool = true) {
        self.title = title
        self.allowsDeviceCredential = allowsDeviceCredential
    }

    /// The alternatives that remain; it can only take away.
    func narrowed(_ alternatives: [[Factor]]) -> [[Factor]] {
        guard !allowsDeviceCredential else { return alternatives }
        return alternatives.filter { !$0.contains(.deviceCredential) }
    }
}

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

extension [Evidence] {
    /// The first PIN or password among them.
    public var pin: Secret? {
        for case .pin(let pin) in self { return pin }
        return nil
    }

    /// The first code among them.
    public var code: Secret? {
        for case .code(let code) in self { return code }
        return nil
    }

    /// Whether biometry was checked.
    public var holdsBiometry: Bool {
        contains { if case .biometry = $0 { true } else { false } }
    }

    /// The first secret among them that biometry unlocked.
    public var biometricSecret: Secret? {
        for case .biometry(let secret) in self { return secret }
        return nil
    }
}
