/// An observer that drops everything.
public struct SilentObserver: PushObserver {
    /// Creates an observer.
    public init() {}

    /// Drops the observation.
    public func observe(_ observation: Observation) {}
}
