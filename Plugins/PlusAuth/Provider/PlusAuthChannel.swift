import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The way to the accounts' servers, and what is known of their clocks.
struct PlusAuthChannel: Sendable {
    /// The name of the provider that it belongs to.
    let provider: ProviderID

    let configuration: PlusAuthConfiguration
    let environment: PushEnvironment

    var accounts: Accounts { environment.accounts(for: provider) }

    func observe(
        _ kind: PushObservation.Kind, _ summary: StaticString, at enrollment: Enrollment.ID? = nil
    ) {
        environment.observer.observe(
            PushObservation(kind, summary, provider: provider, enrollment: enrollment))
    }
}

/// What is known of the clock of an account's server.
extension PlusAuthChannel {
    /// Its time by the newest reading, for what is signed and for what is made to be shown; `nil`
    /// if there is none.
    func serverTime(
        of enrollment: Enrollment.ID, at origin: String
    ) async -> ClosedRange<Date>? {
        let clock = environment.clock
        return await clock.serverTime.now(
            at: server(at: origin), for: enrollment, elapsed: clock.elapsed)
    }

    /// Whether a moment has passed there: two readings that agree must say so, as a single one may
    /// be anybody's.
    func validity(
        until moment: Date, of enrollment: Enrollment.ID, at origin: String
    ) async -> Validity {
        let clock = environment.clock
        return await clock.serverTime.validity(
            until: moment, for: enrollment, at: server(at: origin), elapsed: clock.elapsed)
    }

    private func server(at origin: String) -> Endpoint.ServerID? {
        (try? Endpoint(origin)).map { Endpoint.ServerID($0, of: provider) }
    }
}
