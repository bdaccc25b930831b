public import CoreMetrics
public import PushCore

/// Counts and times what the SDK observes, by swift-metrics:
///
/// | Metric | Labels |
/// |---|---|
/// | `pushauth_pushes_total` | `provider`, `verdict`: `new`, `known`, or the error that refused it |
/// | `pushauth_answers_total` | `provider`, `outcome` |
/// | `pushauth_receive_seconds`, `pushauth_open_seconds`, `pushauth_verify_seconds`, `pushauth_answer_seconds`, `pushauth_attempt_seconds` | `provider`, `ending` |
/// | `pushauth_observations_total` | `provider`, `kind`: what was refused, odd or damaged |
///
/// One file to copy. No label names a user, a device or a challenge.
public struct MetricsObserver: PushObserver {
    private let factory: any MetricsFactory

    /// Counts in a factory's metrics; by default in those of the process.
    public init(_ factory: any MetricsFactory = MetricsSystem.factory) { self.factory = factory }

    /// Counts it.
    public func observe(_ observation: PushObservation) {
        let kind =
            switch observation.kind {
            case .refused(let code): "refused_\(code.name)"
            case .security(let code): "security_\(code.name)"
            case .damaged(let record): "damaged_\(record)"
            case .challengesFull: "challenges_full"
            case .noticed: "noticed"
            @unknown default: "noticed"
            }
        count("pushauth_observations_total", observation.provider, ("kind", kind))
    }

    /// Counts and times it.
    public func observe(_ step: ObservedStep) {
        switch (step.kind, step.ending) {
        case (.receive, .failed(let error)):
            count("pushauth_pushes_total", step.provider, ("verdict", error))
        case (.receive, _):
            let verdict = step.isRepeated ? "known" : "new"
            count("pushauth_pushes_total", step.provider, ("verdict", verdict))
        case (.outcome, let ending):
            return count("pushauth_answers_total", step.provider, ("outcome", ending.name))
        case (.open, _), (.verify, _), (.answer, _), (.attempt, _): break
        @unknown default: break
        }
        let dimensions = labels(step.provider, ("ending", step.ending.name))
        Timer(
            label: "pushauth_\(step.kind.rawValue)_seconds", dimensions: dimensions,
            factory: factory
        ).recordNanoseconds(Int64(step.duration / .nanoseconds(1)))
    }

    private func count(_ name: String, _ provider: ProviderID?, _ label: (String, String)) {
        Counter(label: name, dimensions: labels(provider, label), factory: factory).increment()
    }

    private func labels(
        _ provider: ProviderID?, _ label: (String, String)
    ) -> [(String, String)] {
        [("provider", provider?.rawValue ?? ""), label]
    }
}
