/// The one object an app holds: it enrolls, receives, asks, answers, and remembers.
///
/// It takes identifiers, not values that went through a notification. Every decision is recorded
/// before it is sent, and sent until the vendor's word on it is known.
public actor PushAuthenticator {
    let registry: PluginRegistry
    let environment: Environment
    let policies: Policies
    let instance: String
    let ledger: Ledger
    var underway: [Challenge.ID: DecisionUnderway] = [:]
    var retries: [Work: Retry] = [:]
    var questions = Questions()
    var polling = PollingState()
    var openChallenges = OpenChallenges()
    var bursts = Cache<Enrollment.ID, RecordInHand<Secret>>()
    var servers = Cache<Enrollment.ID, ServerID>()

    /// Rows of challenges that were opened, for their answer to start from.
    var opened = Cache<Challenge.ID, AnnouncedRow>()
    var resuming: Task<Result<[Challenge.ID: Outcome], PushError>, Never>?
    private var turns = Turns<TurnKey>()
    private var refusals: [RefusalKey: Int] = [:]
    private var subscribers: [Int: AsyncStream<Update>.Continuation] = [:]
    private var lastSubscriber = 0

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - registry: The providers the app has linked.
    ///   - environment: The world, as the core may use it. Give the providers the same store and
    ///     clock.
    ///   - policies: How it delivers, remembers and warns.
    public init(
        _ registry: PluginRegistry, in environment: Environment, policies: Policies = Policies()
    ) {
        self.registry = registry
        self.environment = environment
        self.policies = policies
        instance = policies.instance ?? environment.random.uuid()
        ledger = Ledger(store: environment.store, clock: environment.clock)
    }

    /// Ends the streams of updates, and what would be tried again: the next authenticator's
    /// ``resume()`` goes on.
    deinit {
        for retry in retries.values { retry.sleeper?.cancel() }
        for subscriber in subscribers.values { subscriber.finish() }
    }

    // MARK: Turns

    /// Runs a function in an enrollment's turn: one exchange at a time for each enrollment.
    ///
    /// A vendor's door takes one for exchanges of its own. Don't call the authenticator from
    /// `body`: it would wait for itself.
    ///
    /// If `body` throws `unknownEnrollment`, or the enrollment's state becomes
    /// ``Enrollment/State/needsReenrollment`` in it, all that is open of the enrollment is closed.
    ///
    /// - Throws: What `body` throws; it names the enrollment's provider, if it named none.
    public func turn<Value: Sendable>(
        of enrollment: Enrollment.ID, _ body: () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        try await turn(of: enrollment, asQuestion: false, body)
    }

    /// The same; as a question it lets everything else go first that waits for the turn.
    func turn<Value: Sendable>(
        of enrollment: Enrollment.ID, asQuestion isQuestion: Bool,
        _ body: () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        do throws(PushError) {
            return try await turn(.enrollment(enrollment), asQuestion: isQuestion) {
                () async throws(PushError) -> Value in
                try await environment.remembering { () async throws(PushError) -> Value in
                    let before = await state(of: enrollment)
                    let result = await Result { () async throws(PushError) in try await body() }
                    await follow(enrollment, before, result.error)
                    return try result.get()
                }
            }
        } catch {
            throw error.of(enrollment.provider)
        }
    }

    func turn<Value: Sendable>(
        _ key: TurnKey, asQuestion isQuestion: Bool = false,
        _ body: () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        if !turns.take(key) {
            await withCheckedContinuation { turns.wait(for: key, asQuestion: isQuestion, $0) }
        }
        defer { turns.end(key) }
        return try await body()
    }

    /// How many wait for an enrollment's turn.
    package func waitingForTurn(of enrollment: Enrollment.ID) -> (first: Int, questions: Int) {
        turns.waiting(for: .enrollment(enrollment))
    }

    // MARK: Updates

    /// What happens from now on.
    ///
    /// Nothing waits for a subscriber. One that falls behind loses the oldest updates, and the
    /// observer is told; what it missed is in ``records(of:)`` and ``enrollments()``.
    ///
    /// - Parameter limit: How many updates wait for the subscriber at most, at least 1.
    public func updates(keeping limit: Int = 256) -> AsyncStream<Update> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Update.self, bufferingPolicy: .bufferingNewest(max(limit, 1)))
        lastSubscriber += 1
        let subscriber = lastSubscriber
        subscribers[subscriber] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { [weak self] in await self?.unsubscribe(subscriber) }
        }
        return stream
    }

    func publish(_ update: Update) {
        for subscriber in subscribers.values {
            guard case .dropped = subscriber.yield(update) else { continue }
            environment.observer.observe(
                Observation(.noticed, "A subscriber lost an update.", provider: nil))
        }
    }

    private func unsubscribe(_ subscriber: Int) {
        subscribers[subscriber] = nil
    }

    // MARK: Shared

    func provider(_ id: ProviderID) throws(PushError) -> any PushProvider {
        guard let provider = registry[id] else {
            throw PushError(.notFound, "No such plugin is linked.", provider: id)
        }
        return provider
    }

    /// Tells the observer of a refusal, with how often that has happened.
    func report(_ error: PushError, _ summary: StaticString) {
        let key = RefusalKey(code: error.code, provider: error.provider)
        let count = refusals[key, default: 0] + 1
        refusals[key] = count
        environment.observer.observe(
            Observation(.refused(error.code), summary, provider: error.provider, count: count))
    }

    /// Tells of a record that can't be read.
    func report(
        damaged record: Observation.Record, _ summary: StaticString,
        of enrollment: Enrollment.ID? = nil
    ) {
        environment.observer.observe(
            Observation(
                .damaged(record), summary, provider: enrollment?.provider, enrollment: enrollment))
    }
}

extension PushAuthenticator {
    enum TurnKey: Hashable {
        case enrollment(Enrollment.ID)
        case enrolling(ProviderID)
        case deviceToken
        case notification(Challenge.ID)
    }

    private struct RefusalKey: Hashable {
        let code: PushError.Code
        let provider: ProviderID?
    }

    struct DecisionUnderway {
        let resolution: Resolution
        let task: Task<Result<Outcome, PushError>, Never>

        /// Whether its own caller was cancelled before anything was decided, which says nothing of
        /// others who wait for it.
        func wasGivenUp(_ result: Result<Outcome, PushError>) -> Bool {
            guard task.isCancelled, case .failure(let error) = result else { return false }
            return error.code == .cancelled
        }
    }
}
