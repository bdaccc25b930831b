/// What happens when challenges come in a burst, as from an attacker who hopes for a tired yes.
@nonexhaustive
public enum Brake: Hashable, Sendable {
    /// Nothing: each challenge is shown as if it were alone.
    case off
    /// Those beyond the burst are flagged: ``Reception/burst`` says how many there were.
    case warn(Burst)
    /// Those beyond the burst are flagged, and aren't new: they wait in the list without a sound.
    case quiet(Burst)

    /// How many challenges in what time are a burst.
    public struct Burst: Hashable, Sendable {
        /// How many challenges are still none; 3 by default.
        public var count: Int

        /// In what time; 10 minutes by default.
        public var window: Duration

        /// Creates a measure; each value not given keeps its default.
        public init(count: Int = 3, window: Duration = .seconds(600)) {
            self.count = count
            self.window = window
        }
    }

    /// The measure, unless the brake is off.
    var burst: Burst? {
        switch self {
        case .off: nil
        case .warn(let burst), .quiet(let burst): burst
        }
    }
}
