/// A promise that was broken.
struct Violation: Hashable, Sendable, CustomStringConvertible {
    enum Promise: String, Hashable, Sendable {
        case oneDecision = "never two different decisions for one challenge"
        case delivery = "no decision lost"
        case enrollment = "no confirmed enrollment lost"
        case token = "the newest device token wins"
        case asked = "no answer made again before the vendor was asked what became of it"
        case secrets = "no PIN in the store, and nothing to test one by"
        case seenOnce = "no challenge new twice"
        case store = "the store opens with every record whole"
        case life = "the process never ends by itself"
        case calls = "every call is answered as expected"
    }

    let promise: Promise

    /// What was seen instead.
    let finding: String

    init(_ promise: Promise, _ finding: String) {
        self.promise = promise
        self.finding = finding
    }

    var description: String { "\(promise.rawValue): \(finding)" }
}
