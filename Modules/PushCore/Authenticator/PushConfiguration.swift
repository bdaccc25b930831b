/// How an authenticator delivers, remembers and warns. Each value has a sensible default.
public struct PushConfiguration: Hashable, Sendable {
    /// The name of this process among those that share the store, such as `app` or `extension`.
    ///
    /// A process that restarts under the same name goes on at once with the decisions that it was
    /// sending. For the length of a ``lease``, it leaves other processes' decisions to them. The
    /// default name is random, so a process that was killed waits for its own lease, too.
    public var instance: String?

    /// When an undelivered decision or device token is sent again.
    public var backoff = Backoff()

    /// How long this process leaves a decision to another that is sending it; 40 seconds by
    /// default.
    ///
    /// A process renews its lease while it sends. Make it longer than the system may suspend a
    /// process. Zero means no lease.
    public var lease: Duration = .seconds(40)

    /// How long finished challenges are remembered.
    public var retention = Retention()

    /// What happens when challenges come in a burst.
    public var bursts = BurstPolicy.warn(BurstPolicy.Burst())

    /// The guideline for approvals; none by default. The user can only deny what it forbids.
    public var profile: ApprovalProfile?

    /// Whether the authenticator asks a vendor that has a list for lost challenges, after each
    /// message that it took. What it finds comes through the updates.
    public var asksAfterPush = true

    /// The most exchanges with one vendor at once, while the authenticator works for many
    /// enrollments, such as asking all vendors; 16 by default, at least 1.
    public var concurrency = 16

    /// The shortest time between two questions to a vendor that hints cause (``PushEvent/Hint``),
    /// about one matter of one enrollment; 3 seconds by default, and up to half more by chance.
    ///
    /// Hints are cheap to forge. However many come, at most one question is under way and one
    /// waits.
    public var hintInterval: Duration = .seconds(3)

    /// How often ``PushAuthenticator/poll(where:failed:)`` asks.
    public var polling = Polling()

    /// How far the clocks of two machines that share a store may differ before a lease ends too
    /// early: as much as a wrong time zone makes, and a little more.
    static let leaseTolerance = Duration.seconds(3900)

    /// Creates a configuration of default values.
    public init() {}
}

/// What happens when challenges come in a burst, as in an MFA fatigue attack.
@nonexhaustive
public enum BurstPolicy: Hashable, Sendable {
    /// Nothing: each challenge is shown as if it were alone.
    case off
    /// Challenges beyond the burst are flagged: ``Reception/burst`` says how many there were.
    case warn(Burst)
    /// Challenges beyond the burst are flagged and don't count as new: they wait in the list
    /// without a sound.
    case quiet(Burst)

    /// How many challenges in what time make a burst.
    public struct Burst: Hashable, Sendable {
        /// The most challenges that aren't a burst yet; 3 by default.
        public var count: Int

        /// The time in which they come; 10 minutes by default.
        public var window: Duration

        /// Creates a measure; omitted values keep their defaults.
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

/// How often ``PushAuthenticator/poll(where:failed:)`` asks vendors that have a list.
public struct Polling: Hashable, Sendable {
    /// The shortest allowed pause between two questions to one enrollment's vendor.
    public static let shortest: Duration = .seconds(5)

    /// The pause while a challenge is open, or while the app says that the user waits; 5 seconds by
    /// default, never less. Up to a fifth is added by chance, so that devices don't ask in step.
    public var busy: Duration

    /// The pause at other times; 60 seconds by default.
    public var idle: Duration

    /// Creates a pace; omitted values keep their defaults.
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
