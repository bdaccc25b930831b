import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Whether an account is bound to its SIM cards, and to which.
///
/// The vendor documents only that a bound account stops once the SIM changes; the rest is this
/// plugin's rule.
struct SIMBinding: Hashable, Sendable {
    /// A card as it is stored.
    struct Card: Hashable, Sendable {
        let slot: Int
        let hash: String
    }

    /// What a comparison found.
    enum Verdict: Hashable, Sendable {
        /// The account isn't bound, or all its cards are there. Further cards are fine.
        case passes
        /// The cards, then or now, can't be told.
        case unknown
        /// A card is missing, now or at an earlier check.
        case changed
    }

    /// `bind_sim`, as the server wanted it last.
    private(set) var isBound = false

    /// Whether a card was missing. A card that comes back doesn't lift it.
    private(set) var isBlocked = false

    /// The cards at enrollment, or where they couldn't be told or there were none then, at the first
    /// `true` that comes while there are some; never empty.
    ///
    /// `false` leaves them: a swap before the next `true` must not become the baseline.
    private(set) var baseline: [Card]?

    /// When the newest setting was made, by the server's clock: an older one that comes late, or
    /// again, changes nothing.
    private var asOf: Date?

    /// A binding as it is at enrollment: the policy comes with the first push.
    init(baseline: [Card]?) {
        self.baseline = Self.usable(baseline)
    }

    /// Cards to compare with; `nil` for none, as a later one would be missing nothing.
    private static func usable(_ cards: [Card]?) -> [Card]? {
        cards?.isEmpty == true ? nil : cards
    }

    /// Takes a server's setting.
    mutating func apply(_ bindSIM: Bool, made issued: Date, cards: [Card]?) {
        // Times are whole seconds: of two in one second, only the one that binds can't be played back.
        guard let asOf, issued <= asOf else { return take(bindSIM, made: issued, cards: cards) }
        if issued == asOf, bindSIM { take(true, made: issued, cards: cards) }
    }

    private mutating func take(_ bindSIM: Bool, made issued: Date, cards: [Card]?) {
        asOf = issued
        isBound = bindSIM
        if bindSIM {
            baseline = baseline ?? Self.usable(cards)
        } else {
            isBlocked = false
        }
    }

    /// Compares the cards with those the account is bound to.
    mutating func check(_ cards: [Card]?) -> Verdict {
        guard isBound else { return .passes }
        guard !isBlocked else { return .changed }
        guard let baseline, let cards else { return .unknown }
        isBlocked = !Set(baseline).isSubset(of: cards)
        return isBlocked ? .changed : .passes
    }
}

extension SIMBinding {
    init(_ json: JSON?) throws(PushError) {
        guard let json else { return }
        isBound = json["bound"]?.bool ?? false
        isBlocked = json["blocked"]?.bool ?? false
        asOf = json["asOf"]?.double.map { Date(timeIntervalSince1970: $0) }
        guard let cards = json["cards"]?.array else { return }
        var baseline: [Card] = []
        for card in cards {
            guard let slot = card["slot"]?.integer, let hash = card["id"]?.string else {
                throw PushError(.malformed, "The credential is damaged.")
            }
            baseline.append(Card(slot: Int(truncatingIfNeeded: slot), hash: hash))
        }
        self.baseline = Self.usable(baseline)
    }

    /// `nil` for a binding that says nothing, as most do.
    var json: JSON? {
        guard self != SIMBinding(baseline: nil) else { return nil }
        var members: JSON.Object = ["bound": .bool(isBound), "blocked": .bool(isBlocked)]
        members["cards"] = baseline.map { cards in
            .array(
                cards.map {
                    ["slot": .integer($0.slot), "id": .string($0.hash)]
                })
        }
        members["asOf"] = asOf.flatMap { JSON.Number($0.timeIntervalSince1970) }.map(JSON.number)
        return .object(members)
    }
}
