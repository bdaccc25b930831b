/// How an authenticator delivers, remembers and warns. Each value has a sensible default.
public struct Policies: Hashable, Sendable {
    /// Which of the processes that share the store this one is, such as `app` or `extension`.
    ///
    /// A process that starts again under its name goes on at once with what its former life was
    /// sending; what another process is sending is left to it for the length of a ``lease``. By
    /// default the name is random, so a process that was killed waits for its own lease, too.
    public var instance: String?

    /// How often a decision or a device token that wasn't delivered is sent again.
    public var backoff = Backoff()

    /// How long another process is left alone with what it is sending; 40 seconds by default.
    ///
    /// It is renewed while what it was taken for goes on, so it should be longer than the system may
    /// suspend a process. Zero means none.
    public var lease: Duration = .seconds(40)

    /// How long what is over is remembered.
    public var retention = Retention()

    /// What happens when challenges come in a burst.
    public var brake = Brake.warn(Brake.Burst())

    /// Whether a message that was taken makes the authenticator ask the vendor what else waits,
    /// where there is a list: pushes get lost. What is found comes through the updates.
    public var asksAfterPush = true

    /// How many exchanges go on at once at the most where the authenticator does something for many
    /// enrollments, such as asking all vendors; 16 by default, at least 1.
    public var width = 16

    /// How long pushes that prove nothing wait at least between two questions to a vendor about one
    /// matter of one enrollment; 3 seconds by default, and up to half of it more by chance.
    ///
    /// Such pushes are cheap to forge: however many come, one question is under way and one waits.
    public var hintInterval: Duration = .seconds(3)

    /// How often ``PushAuthenticator/poll()`` asks.
    public var polling = Polling()

    /// Creates policies of default values; change what should be different.
    public init() {}
}

/// How long the ledger remembers what is over.
///
/// What is remembered can't come back: a replayed push finds its row. So nothing goes before its
/// challenge has expired, and a decision whose outcome isn't known doesn't go at all.
public struct Retention: Hashable, Sendable {
    /// For how long after its expiry a challenge that is over is remembered, by its server's clock;
    /// 30 days by default. One without an expiry is forgotten for its number alone.
    public var age: Duration

    /// How many challenges that are over are remembered for each enrollment; the oldest go first;
    /// 500 by default.
    public var count: Int

    /// How long after its expiry a challenge is remembered at the least, for clocks that differ;
    /// 10 minutes by default.
    public var skew: Duration

    /// Creates a retention; each value not given keeps its default.
    public init(
        age: Duration = .seconds(30 * 86_400), count: Int = 500, skew: Duration = .seconds(600)
    ) {
        self.age = age
        self.count = count
        self.skew = skew
    }
}

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

/// How often vendors with a list are asked by ``PushAuthenticator/poll()``.
public struct Polling: Hashable, Sendable {
    /// The shortest pause that is ever made between two questions to one enrollment's vendor.
    public static let shortest: Duration = .seconds(5)

    /// The pause while something is open, or the app says that the user waits; 5 seconds by default,
    /// and never less. Up to a fifth of it more is added by chance, so that devices don't ask in step.
    public var busy: Duration

    /// The pause while nothing is; 60 seconds by default.
    public var idle: Duration

    /// Creates a pace; each value not given keeps its default.
    public init(busy: Duration = .seconds(5), idle: Duration = .seconds(60)) {
        self.busy = busy
        self.idle = idle
    }

    /// The pause before an enrollment is asked next.
    func pause(isBusy: Bool, _ random: any RandomSource) -> Duration {
        let pause = max(Self.shortest, isBusy ? busy : max(busy, idle))
        return pause + .seconds(pause.inSeconds * random.fraction() / 5)
    }
}
