import PushCore
import PushPlusAuth

/// The SIM cards of a simulated phone; `nil` where it doesn't tell.
actor SIMCards: SIMIdentitySource {
    private var cards: [SIMIdentity]?

    init(_ cards: [SIMIdentity]? = [SIMCards.first]) { self.cards = cards }

    static let first = SIMIdentity(slot: 0, identifier: "89490200001234567890")
    static let second = SIMIdentity(slot: 1, identifier: "89490200009876543210")
    static let other = SIMIdentity(slot: 0, identifier: "89490200005555555555")

    func insert(_ cards: [SIMIdentity]?) { self.cards = cards }

    func identities() async throws(PushError) -> [SIMIdentity]? { cards }
}
