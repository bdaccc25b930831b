import PushCore
import PushTesting
import VendorRegistration

/// A linked vendor, and what this program has of it beside its provider.
struct LabVendor: Sendable {
    let linked: LinkedVendor

    /// As the configuration and `--vendor` have it.
    var name: String { linked.name }

    /// Its simulator behind the console.
    let console: @Sendable () -> ConsoleVendor

    /// Its servers, devices and flows.
    let lab: @Sendable (ExchangeLog) async throws -> any VendorLab

    /// Its simulator and its provider, for playing a capture.
    let replay: @Sendable () -> ReplayVendor

    /// Makes its provider in the processes that are killed; `nil` if none of its devices is.
    var killed: (@Sendable (PushEnvironment) -> any PushProvider)?

    /// Makes its server for a run in which nothing expires, if it has one.
    var lasting: (@Sendable () -> LastingServer)?
}

/// A simulator in which what is open stays open until it is answered.
struct LastingServer: Sendable {
    let simulator: any VendorSimulator

    /// A user's registered devices, with their device tokens.
    let devices: @Sendable (_ user: String) async throws -> [(name: String, token: DeviceToken?)]
}
