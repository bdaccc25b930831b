/// A promise that a schedule saw broken.
public struct Violation: Hashable, Sendable, CustomStringConvertible {
    /// The promises.
    public enum Rule: String, CaseIterable, Sendable {
        /// Two different decisions reached the server, which might have taken both.
        case oneDecision
        /// An answer left before its decision was on record.
        case writtenFirst
        /// A decision never reached the server, or the device forgot it.
        case nothingLost
        /// The app was told what isn't so.
        case trueWords
        /// A counter's value was used twice, or went back.
        case counters
        /// An enrollment is missing, or is nobody's.
        case enrollments
        /// A challenge was announced twice, or a forged message left something behind.
        case seenOnce
        /// A challenge that the server still lists wasn't found, or was closed too early.
        case found
        /// The server doesn't have the newest device token.
        case deviceToken
        /// A removed enrollment left something behind.
        case removed
        /// A server that asked to be left alone wasn't.
        case patience
        /// A flood of hints made the device ask as often as they came.
        case bounded
        /// A challenge that a whole list lacks is still open on the device.
        case ended
        /// Something never ended, or ended in an error that says nothing.
        case noSurprise
    }

    /// Which.
    public let rule: Rule
    /// What was seen.
    public let text: String

    init(_ rule: Rule, _ text: String) {
        self.rule = rule
        self.text = text
    }

    /// Both, on one line.
    public var description: String { "\(rule.rawValue): \(text)" }
}
