/// Who hears of what happens. A subscriber that falls behind loses the oldest updates, and holds nobody
/// up.
actor Updates {
    private let observer: any PushObserver
    private var subscribers: [Int: AsyncStream<Update>.Continuation] = [:]
    private var lastSubscriber = 0

    init(_ observer: any PushObserver) {
        self.observer = observer
    }

    deinit {
        for subscriber in subscribers.values { subscriber.finish() }
    }

    /// What happens from now on.
    ///
    /// - Parameter limit: How many updates wait for the subscriber at most.
    func stream(keeping limit: Int) -> AsyncStream<Update> {
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
            observer.observe(
                Observation(.noticed, "A subscriber lost an update.", provider: nil))
        }
    }

    private func unsubscribe(_ subscriber: Int) {
        subscribers[subscriber] = nil
    }
}
