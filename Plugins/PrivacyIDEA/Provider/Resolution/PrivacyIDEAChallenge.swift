import PushCore

/// A challenge in the vendor's words: the `details(as:)` of the core's challenge.
public struct PrivacyIDEAChallenge: Hashable, Sendable {
    /// The name of the challenge.
    public let nonce: String

    /// The title, made safe to show; `nil` if the server sent none.
    public let title: String?

    /// The question, made safe to show; `nil` if the server sent none.
    public let question: String?

    /// Where the answer goes.
    public let url: String

    /// The options of a challenge that asks for the one on the other screen; `nil` if it asks for a
    /// yes or no.
    public let requirePresence: [String]?

    /// The reasons of a denial that the server has signed that it knows; a denial for any other goes out
    /// without a reason. Offer the user "It wasn't me" only with
    /// ``PrivacyIDEA/DeclineReason/unknownTrigger`` among them.
    public let declineReasons: Set<PrivacyIDEA.DeclineReason>

    init(_ notice: Notice, _ context: ChallengeContext) {
        nonce = notice.id.name
        title = notice.title
        question = notice.body
        url = context.url.text
        requirePresence = context.options
        declineReasons = context.reasons
    }
}
