import PushCore

/// Sees what a command does, from beside it.
protocol Instrument: PushObserver {
    /// The store, seen by it.
    func around(_ store: some CredentialStore) -> any CredentialStore

    /// The network, seen by it.
    func around(_ transport: any Transport) -> any Transport

    /// The providers, seen by it.
    func around(_ providers: [any PushProvider]) -> [any PushProvider]

    /// Learns what became of a write whose reply was lost.
    func note(_ settled: SettledWrite)

    /// Learns of the authenticator over them.
    func watch(_ authenticator: PushAuthenticator)
}

extension Instrument {
    func around(_ store: some CredentialStore) -> any CredentialStore { store }

    func around(_ providers: [any PushProvider]) -> [any PushProvider] { providers }

    func note(_ settled: SettledWrite) {}

    func watch(_ authenticator: PushAuthenticator) {}
}

/// Hands what is observed to several.
struct Observers: PushObserver {
    let all: [any PushObserver]

    func observe(_ observation: PushObservation) {
        for observer in all { observer.observe(observation) }
    }

    func observe(_ step: ObservedStep) {
        for observer in all { observer.observe(step) }
    }
}
