/// The one object an app holds: it enrolls, receives, asks, answers, and remembers.
///
/// It takes identifiers, not values that went through a notification. Every decision is recorded
/// before it is sent, and sent until the vendor's word on it is known.
public actor PushAuthenticator {
    let registry: PluginRegistry
    let environment: Environment
    let ledger: Ledger
    var underway: [Challenge.ID: DecisionUnderway] = [:]
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
    public init(_ registry: PluginRegistry, in environment: Environment) {
        self.registry = registry
        self.environment = environment
        ledger = Ledger(store: environment.store)
    }

    /// Ends the streams of updates: nothing will come.
    deinit {
        for subscriber in subscribers.values { subscriber.finish() }
    }

    // MARK: Turns

    /// Runs a function in an enrollment's turn: one exchange at a time for each enrollment.
    ///
    /// A vendor's door takes one for exchanges of its own. Don't call the authenticator from
    /// `body`: it would wait for itself.
    ///
    /// - Throws: What `body` throws; it names the enrollment's provider, if it named none.
    public func turn<Value: Sendable>(
        of enrollment: Enrollment.ID, _ body: () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        do throws(PushError) {
            return try await turn(.enrollment(enrollment), body)
        } catch {
            throw error.of(enrollment.provider)
        }
    }

    func turn<Value: Sendable>(
        _ key: TurnKey, _ body: () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        if !turns.take(key) {
            await withCheckedContinuation { turns.wait(for: key, $0) }
        }
        defer { turns.end(key) }
        return try await body()
    }

    // MARK: Updates

    /// What happens from now on. A subscriber that falls behind loses the oldest of 256 updates;
    /// what it missed is in ``records(of:)`` and ``enrollments()``.
    public func updates() -> AsyncStream<Update> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Update.self, bufferingPolicy: .bufferingNewest(256))
        lastSubscriber += 1
        let subscriber = lastSubscriber
        subscribers[subscriber] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { [weak self] in await self?.unsubscribe(subscriber) }
        }
        return stream
    }

    func publish(_ update: Update) {
        for subscriber in subscribers.values { subscriber.yield(update) }
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
}

extension PushAuthenticator {
    enum TurnKey: Hashable {
        case enrollment(Enrollment.ID)
        case enrolling(ProviderID)
        case deviceToken
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
