/// What the app's verifier must prove.
public struct VerificationRequest: Sendable {
    /// What the proof is for.
    @nonexhaustive
    public indirect enum Purpose: Sendable {
        /// To accept an offer.
        case join(Invitation.Offer)
        /// To say yes to a challenge.
        case answer(Challenge, Resolution)
        /// To do something else with an enrollment, described for developers.
        case manage(Enrollment.ID, String)
    }

    /// What the proof is for.
    public let purpose: Purpose

    /// The alternatives, each a set of factors needed together.
    public let alternatives: [[Factor]]

    /// The prompt's text, if the caller gave one.
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

    /// Whether unlocking the device may replace biometry, if the challenge allows it.
    public var allowsDeviceCredential: Bool

    /// Creates a style.
    public init(title: String? = nil, allowsDeviceCredential: Bool = true) {
        self.title = title
        self.allowsDeviceCredential = allowsDeviceCredential
    }

    /// The alternatives that remain; it can only take away, and not the last one.
    func narrowed(_ alternatives: [[Factor]]) throws(PushError) -> [[Factor]] {
        guard !allowsDeviceCredential, !alternatives.isEmpty else { return alternatives }
        let others = alternatives.filter { !$0.contains(.deviceCredential) }
        guard !others.isEmpty else {
            throw PushError(.invalidArgument, "Only the device's credential is left to ask for.")
        }
        return others
    }
}
