/// How an authenticator delivers, remembers and warns. Each value has a sensible default.
public struct PushConfiguration: Hashable, Sendable {
    /// Which of the processes that share the store this one is, such as `app` or `extension`.
    ///
    /// A process that starts again under the same name goes on at once with the decisions that it
    /// was sending. It leaves those of another process to that process, for the length of a
    /// ``lease``. By default the name is random, so a process that was killed waits for its own
    /// lease, too.
    public var instance: String?

    /// How often a decision or a device token that wasn't delivered is sent again.
    public var backoff = Backoff()

    /// How long this process leaves a decision to another process that is sending it; 40 seconds by
    /// default.
    ///
    /// The lease is renewed while the sending goes on, so it should be longer than the system may
    /// suspend a process. Zero means no lease.
    public var lease: Duration = .seconds(40)

    /// How long what is over is remembered.
    public var retention = Retention()

    /// What happens when challenges come in a burst.
    public var bursts = BurstPolicy.warn(BurstPolicy.Burst())

    /// The guideline that approvals must keep to; none by default. What it forbids can only be denied.
    public var profile: ApprovalProfile?

    /// Whether the authenticator asks the vendor what else waits, after each message that it took,
    /// where the vendor has a list. Pushes get lost. What it finds comes through the updates.
    public var asksAfterPush = true

    /// How many exchanges with one vendor run at once at most, where the authenticator does something for
    /// many enrollments, such as asking all vendors; 16 by default, at least 1.
    public var concurrency = 16

    /// The shortest time between two questions to a vendor about one matter of one enrollment,
    /// where pushes that prove nothing cause the questions; 3 seconds by default, and up to half of
    /// it more by chance.
    ///
    /// Such pushes are cheap to forge. However many come, one question is under way and one waits.
    public var hintInterval: Duration = .seconds(3)

    /// How often ``PushAuthenticator/poll(where:failed:)`` asks.
    public var polling = Polling()

    /// How far the clocks of two machines that share a store may differ before a pause ends too early.
    static let clockTolerance = Duration.seconds(300)

    /// The same for a lease: as much as a wrong time zone makes, and a little more.
    static let leaseTolerance = Duration.seconds(3900)

    /// Creates a configuration of default values; change what should be different.
    public init() {}
}

/// How long the ledger remembers what is over.
///
/// A replayed push can't open a challenge that is remembered: it finds the row. So no row is
/// forgotten before its challenge has expired, and no decision is forgotten before its outcome is
/// known.
public struct Retention: Hashable, Sendable {
    /// How long after its expiry a challenge that is over is remembered, by its server's clock; 30
    /// days by default. A challenge without an expiry is forgotten by ``count`` alone.
    public var age: Duration

    /// How many challenges that are over are remembered for each enrollment; 500 by default. The
    /// oldest are forgotten first.
    public var count: Int

    /// How long after its expiry a challenge is remembered at least, because clocks differ; 10
    /// minutes by default.
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

/// What happens when challenges come in a burst, as from an attacker who hopes that a tired user
/// approves one.
@nonexhaustive
public enum BurstPolicy: Hashable, Sendable {
    /// Nothing: each challenge is shown as if it were alone.
    case off
    /// Challenges beyond the burst are flagged: ``Reception/burst`` says how many there were.
    case warn(Burst)
    /// Challenges beyond the burst are flagged, and don't count as new: they wait in the list
    /// without a sound.
    case quiet(Burst)

    /// The number of challenges, and the time in which they come, that make a burst.
    public struct Burst: Hashable, Sendable {
        /// How many challenges aren't a burst yet; 3 by default.
        public var count: Int

        /// The time in which they come; 10 minutes by default.
        public var window: Duration

        /// Creates a measure; each value not given keeps its default.
        public init(count: Int = 3, window: Duration = .seconds(600)) {
            self.count = count
            self.window = window
        }
    }

    /// The measure, unless the burst policy is off.
    var burst: Burst? {
        switch self {
        case .off: nil
        case .warn(let burst), .quiet(let burst): burst
        }
    }
}

/// How often vendors with a list are asked by ``PushAuthenticator/poll(where:failed:)``.
public struct Polling: Hashable, Sendable {
    /// The shortest pause that is ever made between two questions to one enrollment's vendor.
    public static let shortest: Duration = .seconds(5)

    /// The pause while a challenge is open, or while the app says that the user waits; 5 seconds by
    /// default, and never less. Up to a fifth of it is added by chance, so that devices don't ask
    /// in step.
    public var busy: Duration

    /// The pause at other times; 60 seconds by default.
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
