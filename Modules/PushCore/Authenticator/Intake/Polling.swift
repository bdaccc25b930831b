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

/// How far the loop of ``PushAuthenticator/poll()`` is.
struct PollingState {
    /// Whether the app says that the user waits for something.
    var isUserWaiting = false

    /// Whether the app has paused it.
    var isPaused = false

    /// When each enrollment was asked last, and is asked next, by the monotonic clock.
    var asked: [Enrollment.ID: Duration] = [:]
    var due: [Enrollment.ID: Duration] = [:]

    /// The questions that are under way.
    var underway: [Enrollment.ID: Task<Void, Never>] = [:]

    /// Those among them of which something was opened meanwhile.
    var hurried: Set<Enrollment.ID> = []

    /// The loop's present pause.
    var sleeper: Task<Void, Never>?

    /// Forgets an enrollment that isn't asked any more.
    mutating func forget(_ id: Enrollment.ID) {
        due[id] = nil
        asked[id] = nil
        hurried.remove(id)
    }
}
