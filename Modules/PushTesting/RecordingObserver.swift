public import PushCore

/// An observer that keeps everything it hears.
public final class RecordingObserver: PushObserver {
    private let heard = Locked<[Observation]>([])

    /// Creates an observer.
    public init() {}

    /// Everything it heard, oldest first.
    public var observations: [Observation] { heard.withLock { $0 } }

    /// Takes one observation.
    public func observe(_ observation: Observation) {
        heard.withLock { $0.append(observation) }
    }
}
