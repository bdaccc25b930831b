/// A change for which an app may want to redraw.
@nonexhaustive
public indirect enum AuthenticatorUpdate: Hashable, Sendable {
    /// Something came.
    case received(Reception)
    /// The vendor's word on a decision that was sent.
    case outcome(Challenge.ID, Outcome)
    /// An enrollment was made, or its state or device token changed.
    case enrollment(Enrollment)
    /// An enrollment is gone, with all its challenges.
    case removed(Enrollment.ID)
}

/// Who hears of what happens. A subscriber that falls behind loses the oldest updates, and holds nobody
/// up.
actor UpdateStreams {
    private let observer: any PushObserver
    private var subscribers: [Int: AsyncStream<AuthenticatorUpdate>.Continuation] = [:]
    private var readers: [Int: AsyncStream<Told>.Continuation] = [:]
    private var lastSubscriber = 0

    /// An update, and what is on record of an answered challenge then.
    typealias Told = (update: AuthenticatorUpdate, record: ChallengeRecord?)

    init(_ observer: any PushObserver) {
        self.observer = observer
    }

    deinit {
        for subscriber in subscribers.values { subscriber.finish() }
        for reader in readers.values { reader.finish() }
    }

    /// What happens from now on. At most `limit` updates wait for the subscriber.
    func stream(keeping limit: Int) -> AsyncStream<AuthenticatorUpdate> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: AuthenticatorUpdate.self, bufferingPolicy: .bufferingNewest(max(limit, 1)))
        lastSubscriber += 1
        let subscriber = lastSubscriber
        subscribers[subscriber] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { [weak self] in await self?.unsubscribe(subscriber) }
        }
        return stream
    }

    /// What happens from now on, and all of it, for a reader of the core's own.
    func told() -> AsyncStream<Told> {
        let (stream, continuation) = AsyncStream.makeStream(of: Told.self)
        lastSubscriber += 1
        let reader = lastSubscriber
        readers[reader] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { [weak self] in await self?.unsubscribe(reader) }
        }
        return stream
    }

    func publish(
        _ update: AuthenticatorUpdate, _ record: @Sendable () -> ChallengeRecord? = { nil }
    ) {
        if !readers.isEmpty {
            let told = (update, record())
            for reader in readers.values { reader.yield(told) }
        }
        for subscriber in subscribers.values {
            guard case .dropped = subscriber.yield(update) else { continue }
            observer.observe(
                PushObservation(.noticed, "A subscriber lost an update.", provider: nil))
        }
    }

    private func unsubscribe(_ subscriber: Int) {
        subscribers[subscriber] = nil
        readers[subscriber] = nil
    }
}
