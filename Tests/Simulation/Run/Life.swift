import PushCore

/// One process from its start until it is killed: what it did counts only until then.
///
/// `@unchecked Sendable` is safe for the same reason as ``SimulatedRun``'s: one thread touches it.
final class Life: @unchecked Sendable {
    let number: Int
    let process: Int
    var isAlive = true
    var operations = 0
    /// What it knows of servers' clocks.
    let serverTime = ServerTime()
    /// When it asked a server what waits, by the question, in milliseconds.
    var questions: [String: [Int]] = [:]
    /// How many of those the app asked, or had to be repeated: hints aren't their reason.
    var otherQuestions = 0
    /// The operation at which it is killed, and whether that operation still has its effect.
    let killedAt: Int?
    let killedAfter: Bool

    init(number: Int, process: Int, killedAt: Int?, killedAfter: Bool) {
        self.number = number
        self.process = process
        self.killedAt = killedAt
        self.killedAfter = killedAfter
    }
}

/// What is thrown into a process that nobody listens to any more.
let dead = PushError(.storage, "The process is dead.")
