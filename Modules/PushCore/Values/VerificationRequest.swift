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
