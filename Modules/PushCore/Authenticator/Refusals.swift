/// Tells the observer what was refused, and how often.
actor Refusals {
    private struct Key: Hashable {
        let code: PushError.Code
        let provider: ProviderID?
    }

    private let observer: any PushObserver
    private var counts: [Key: Int] = [:]

    init(_ observer: any PushObserver) {
        self.observer = observer
    }

    func report(_ error: PushError, _ summary: StaticString) {
        let key = Key(code: error.code, provider: error.provider)
        let count = counts[key, default: 0] + 1
        counts[key] = count
        observer.observe(
            Observation(.refused(error.code), summary, provider: error.provider, count: count))
    }
}
