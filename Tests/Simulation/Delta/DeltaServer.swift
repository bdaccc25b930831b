import HTTPTypes
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Delta's server, and the truth that a schedule is judged by: what reached it, and what it took.
///
/// It belongs to one simulation thread.
final class DeltaServer {
    struct Enrolled {
        let name: String
        let provider: String
        let account: String
        let key: String
        var token: String?
        var tokenNumber = 0
        var isRemoved = false
        var greatestNumber = 0
        /// How many of its pushes were signed with a time that is yet to come.
        var farPushes = 0
        /// What each number and each counter was first used for.
        var numbers: [Int: UInt64] = [:]
        var counters: [Int: String] = [:]
    }

    enum State: Hashable {
        case open
        case taken(String)
        case cancelled
        case elsewhere
        case failed
    }

    struct Asked {
        let name: String
        let enrollment: String
        let prompt: String
        /// By this server's clock, in milliseconds; `nil` for never.
        let expiry: Int?
        /// When it says that it was asked.
        let issued: Int
        var state = State.open
        var wrong = 0
        /// Whether the network brought a copy that the device didn't send.
        var wasCopied = false
    }

    enum Verdict: String {
        case taken
        case takenBefore
        case wrongStillOpen
        case wrongForGood
        case over
        case refused
    }

    /// An answer that reached the server.
    struct Arrival {
        let challenge: String
        let choice: String
        let verdict: Verdict
    }

    /// An answer that is still on its way.
    struct Delayed: Hashable {
        let challenge: String
        let choice: String
        /// Whether its PIN and its number are right.
        let isRight: Bool
    }

    let options: DeltaOptions
    var delayed: [Delayed] = []
    var enrolled: [Enrolled] = []
    var asked: [Asked] = []
    var arrivals: [Arrival] = []
    var violations: [Violation] = []
    var codes: Set<String> = []
    /// How much was changed here, so that a schedule can see when nothing happens any more.
    var changes = 0
    var now: () -> Int = { 0 }
    /// Looks at the device's ledger as an answer arrives: what it holds as decided.
    var recorded: (Challenge.ID) -> String? = { _ in nil }
    var count: (Tally.Event) -> Void = { _ in }
    /// Whether it is too busy for an answer.
    var isBusy: () -> Bool = { false }
    /// The sendings that it refused for that.
    var refused: Set<UInt64> = []
    /// Whether requests may overtake each other, as two processes share each enrollment.
    var mayOvertake = false

    init(_ options: DeltaOptions) { self.options = options }

    func index(of enrollment: String) -> Int? {
        enrolled.firstIndex { $0.name == enrollment }
    }

    /// What the device calls an enrollment.
    func id(of enrollment: Enrolled) -> Enrollment.ID {
        Enrollment.ID(enrollment.name, of: ProviderID(rawValue: enrollment.provider))
    }

    func challenge(_ name: String) -> Asked? { asked.first { $0.name == name } }

    func isOpen(_ challenge: Asked) -> Bool {
        challenge.state == .open && !hasExpired(challenge)
    }

    func hasExpired(_ challenge: Asked) -> Bool { challenge.expiry.map { $0 <= now() } ?? false }

    func change(_ name: String, _ body: (inout Asked) -> Void) {
        guard let index = asked.firstIndex(where: { $0.name == name }) else { return }
        body(&asked[index])
        changes += 1
    }

    /// Starts a login, and returns what announces it.
    func ask(
        _ enrollment: String, _ prompt: String, name: String, expiry: Int?, ahead: Int
    ) -> JSON? {
        guard let index = index(of: enrollment), !enrolled[index].isRemoved else { return nil }
        if ahead > 0 { enrolled[index].farPushes += 1 }
        let new = Asked(
            name: name, enrollment: enrollment, prompt: prompt, expiry: expiry,
            issued: now() + ahead)
        asked.append(new)
        changes += 1
        return announcement(of: new)
    }

    /// The push that announces a challenge, or that there is one.
    func announcement(of challenge: Asked) -> JSON? {
        guard let index = index(of: challenge.enrollment) else { return nil }
        return push(options.pushesHints ? DeltaWire.hint : claims(of: challenge), to: index)
    }

    func withdrawal(of challenge: Asked) -> JSON? {
        guard let index = index(of: challenge.enrollment) else { return nil }
        let kind = challenge.state == .elsewhere ? "elsewhere" : "cancelled"
        return push(["kind": .string(kind), "c": .string(challenge.name)], to: index)
    }

    private func push(_ claims: JSON, to index: Int) -> JSON {
        DeltaWire.push(claims, to: id(of: enrolled[index]), key: enrolled[index].key)
    }

    func claims(of challenge: Asked) -> JSON {
        [
            "kind": "ask", "c": .string(challenge.name), "prompt": .string(challenge.prompt),
            "issued": .integer(challenge.issued),
            "expiry": challenge.expiry.map { .integer($0) } ?? .null,
        ]
    }

    func violate(_ rule: Violation.Rule, _ text: String) {
        violations.append(Violation(rule, text))
    }
}
