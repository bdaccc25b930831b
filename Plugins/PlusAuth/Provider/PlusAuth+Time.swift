import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is known of the clock of an account's server.
extension PlusAuth {
    /// Its time by the newest reading, for what is signed and for what is made to be shown; `nil` if
    /// there is none.
    func serverTime(
        of enrollment: Enrollment.ID, at origin: String
    ) async -> ClosedRange<Date>? {
        let clock = environment.clock
        return await clock.servers.now(
            at: server(at: origin), for: enrollment, elapsed: clock.elapsed)
    }

    /// Whether a moment has passed there: two readings that agree must say so, as a single one may be
    /// anybody's.
    func validity(
        until moment: Date, of enrollment: Enrollment.ID, at origin: String
    ) async -> Validity {
        let clock = environment.clock
        return await clock.servers.validity(
            until: moment, for: enrollment, at: server(at: origin), elapsed: clock.elapsed)
    }

    private func server(at origin: String) -> ServerID? {
        (try? Endpoint(origin)).map { ServerID($0, of: id) }
    }
}
