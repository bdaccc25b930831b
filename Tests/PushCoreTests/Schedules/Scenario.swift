import PushCore
import Testing

@testable import FictionalVendor

/// What processes do in a schedule, apart from what the schedule chooses.
struct Scenario: Sendable, CustomTestStringConvertible {
    /// Something an app asks of its authenticator.
    enum Action: Sendable {
        case receive(String)
        case open(String)
        /// A yes opens the challenge if this process hasn't.
        case answer(String, Resolution)
        case resume
    }

    /// What one process does. One that was killed starts again under its name.
    struct Part: Sendable {
        let process: String
        let actions: [Action]
        /// Before which step it is killed, whatever the schedule chooses.
        let end: SchedulePoint.Kind?

        init(_ process: String, _ actions: Action..., killedBefore end: SchedulePoint.Kind? = nil) {
            self.process = process
            self.actions = actions
            self.end = end
        }
    }

    /// What several processes do at once.
    struct Stage: Sendable {
        let parts: [Part]
        /// Whether their steps come in every order; else all of one's come between two of
        /// another's.
        let mixes: Bool
        /// How much time passes first.
        let wait: Duration

        init(_ parts: Part..., mixing mixes: Bool = true, after wait: Duration = .zero) {
            self.parts = parts
            self.mixes = mixes
            self.wait = wait
        }
    }

    /// How long a process leaves a decision to another. No other pause is half as long.
    static let lease = Duration.milliseconds(40_002)
    static let pastLease = lease + .seconds(1)

    let name: String
    var options = Acme.Options(counts: true)
    var isShared = false
    /// What the challenges ask for.
    var prompt = "approve"
    /// What has happened before, without any event.
    var before: [Stage] = []
    let stages: [Stage]
    /// What another process may do before any step.
    var visits: [Stage] = []
    /// The most events other than passing.
    var events = 2

    var testDescription: String { name }
}
