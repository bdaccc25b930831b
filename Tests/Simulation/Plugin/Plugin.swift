import HTTPTypes
import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a schedule lends a simulator.
struct PluginSite {
    let clock: any PushClock
    let random: any RandomSource

    /// How long a login waits, in milliseconds: two minutes, or till after the schedule's end.
    func drawnLifetime() -> Int {
        random.bytes(1).withBytes { $0[0] } < 128 ? 120_000 : 14_400_000
    }
}

/// A plugin with its simulator, as a schedule uses them.
struct Plugin {
    let simulator: any VendorSimulator
    let provider: @Sendable (PushEnvironment) -> (any PushProvider)?
    /// What logins ask for.
    let kinds: [SimulatedLogin.Kind]
    var rightEvidence: [Evidence] = [.presence]
    var wrongEvidence: [Evidence] = [.presence]
    /// Whether a push may only send the device to its server's list, whose names logins have.
    var pushesAreHints = false
    /// What the server calls a login's challenges, where a list may bring one without a push.
    var challengeNames: ((SimulatedLogin.ID) async -> [String])?
    /// Whether its server says yes to an answer that comes once the login has expired.
    var saysYesTooLate = false
    /// How long a login waits for an answer, in milliseconds.
    var lifetime = 120_000
    /// Which of its calls asks what waits.
    var listPath: String?
    /// Ends a login at the server, of which no push tells.
    var end: ((SimulatedLogin.ID) async -> Void)?
    /// Makes its server refuse all that a user answers, for a cause that passes, or no more.
    var refuse: ((_ isRefusing: Bool, _ user: String) async -> Void)?
    /// The value of a counter that a request was signed with, if the protocol has one.
    var usedCounter: ((HTTPRequest, Data) async -> UsedCounter?)?

    /// What an app can do with an enrollment besides answering; the number says which.
    var errand: Errand?

    /// The errands with a PIN that the user mistyped.
    static let mistypedErrands = 90..<100

    typealias Errand =
        @Sendable (PushEnvironment, PushAuthenticator, Enrollment.ID, Int) async throws(PushError)
        ->
        String

    struct UsedCounter {
        /// Which value, and of which enrollment.
        let value: String
        /// What tells one request from another that isn't its copy.
        let request: String
    }
}
