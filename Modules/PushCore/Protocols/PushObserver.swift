/// Hears what the SDK refused or found odd, for the app's own log and counters.
///
/// The SDK itself logs nothing.
public protocol PushObserver: Sendable {
    /// Takes one observation. It must return at once.
    func observe(_ observation: Observation)
}
