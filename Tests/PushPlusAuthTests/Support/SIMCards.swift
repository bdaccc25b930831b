import PushCore
import PushPlusAuth

/// The SIM cards of a simulated phone; `nil` where it doesn't tell.
actor SIMCards: SimIdentityProvider {
    private var cards: [SimIdentity]?

    init(_ cards: [SimIdentity]? = [SIMCards.first]) { self.cards = cards }

    static let first = SimIdentity(slot: 0, identifier: "89490200001234567890")
    static let second = SimIdentity(slot: 1, identifier: "89490200009876543210")
    static let other = SimIdentity(slot: 0, identifier: "89490200005555555555")

    func insert(_ cards: [SimIdentity]?) { self.cards = cards }

    func identities() async throws(PushError) -> [SimIdentity]? { cards }
}
