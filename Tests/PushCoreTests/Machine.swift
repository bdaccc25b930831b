import Foundation
import PushCore
import PushTesting

@testable import FictionalVendor

/// A process on a machine of its own: a clock, a way to a store that others use as well, an
/// authenticator. The server and the network are its harness's.
struct Machine {
    let clock: ManualClock
    let store: CountingStore
    let authenticator: PushAuthenticator
}

extension AuthenticatorHarness {
    /// Starts a process on another machine.
    ///
    /// - Parameters:
    ///   - name: The process.
    ///   - skew: How far its wall clock is off, in seconds.
    ///   - clock: Its clock; by default a new one.
    ///   - change: What is different from the quiet configuration.
    /// - Returns: The process.
    /// - Throws: What making its authenticator throws.
    func machine(
        _ name: String, skew: Double = 0, clock: ManualClock? = nil,
        _ change: (inout PushConfiguration) -> Void = { _ in }
    ) throws -> Machine {
        var configuration = AuthenticatorHarness.quiet
        configuration.instance = name
        change(&configuration)
        let clock = clock ?? ManualClock(morning + skew)
        let store = CountingStore(environment.store)
        let environment = PushEnvironment(
            transport: transport, store: store, verifier: verifier, clock: clock,
            random: SystemRandom(), device: Device(name: "test"), observer: observer)
        return Machine(
            clock: clock, store: store,
            authenticator: PushAuthenticator(
                try PluginRegistry([Acme("acme", .init(), in: environment)]), in: environment,
                configuration: configuration))
    }
}
