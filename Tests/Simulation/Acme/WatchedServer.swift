import HTTPTypes
import PushCore

@testable import FictionalVendor

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Acme's server, and the truth that a schedule is judged by: what reached it, and what it took.
final class WatchedServer: AcmeServer {
    typealias Copy = SimulatedRun.Copy

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

    /// What each number and each counter of an enrollment was first used for.
    private struct Used {
        var greatestNumber = 0
        var numbers: [Int: UInt64] = [:]
        var counters: [Int: String] = [:]
    }

    var delayed: [Delayed] = []
    var arrivals: [Arrival] = []
    var violations: [Violation] = []
    /// Challenges of which the network brought a copy of an answer that the device didn't send.
    var copied: Set<String> = []
    /// How many of an enrollment's pushes were signed with a time that is yet to come.
    var farPushes: [String: Int] = [:]
    /// Looks at the device's records as a choice arrives: what they hold as decided.
    var recorded: (Challenge.ID, _ choice: String) -> String? = { _, _ in nil }
    var count: (Tally.Event) -> Void = { _ in }
    /// Whether it is too busy for an answer.
    var isBusy: () -> Bool = { false }
    /// Whether requests may overtake each other, as two processes share each enrollment.
    var mayOvertake = false
    private var used: [String: Used] = [:]
    /// The sendings that it refused as it was busy.
    private var refused: Set<UInt64> = []
    /// How the request came that it processes, and the device's number for this sending, whichever
    /// copies arrive of it.
    private var copy = Copy.first
    private var transmission: UInt64 = 0

    func respond(
        to exchange: SimulatedRun.Exchange, _ copy: Copy
    ) -> (response: HTTPResponse, body: Data) {
        (self.copy, transmission) = (copy, exchange.number)
        let mac = exchange.request.headerFields[AcmeWire.macField] ?? ""
        return respond(to: exchange.path, exchange.body, mac: mac)
    }

    /// What the device calls an enrollment.
    func id(of enrollment: Enrolled) -> Enrollment.ID {
        Enrollment.ID(enrollment.name, of: ProviderID(rawValue: enrollment.provider))
    }

    func challenge(_ name: String) -> Asked? { asked.first { $0.name == name } }

    func violate(_ rule: Violation.Rule, _ text: String) {
        violations.append(Violation(rule, text))
    }

    override func happened(_ event: Event) {
        super.happened(event)
        if let event = Tally.Event(rawValue: event.rawValue) { count(event) }
    }

    // MARK: Pushes

    /// Starts a login, and returns what announces it.
    func ask(
        _ enrollment: String, _ prompt: String, name: String, expiry: Int?, ahead: Int
    ) -> JSON? {
        guard let index = index(of: enrollment), !enrolled[index].isRemoved else { return nil }
        if ahead > 0 { farPushes[enrollment, default: 0] += 1 }
        let new = Asked(
            name: name, enrollment: enrollment,
            claims: AcmeWire.claims(
                name, prompt: prompt, issued: AcmeWire.date(now().map { .integer($0 + ahead) }),
                expiry: AcmeWire.date(expiry.map { .integer($0) })),
            expiry: expiry)
        asked.append(new)
        changes += 1
        let device = id(of: enrolled[index])
        return options.pushesHints
            ? Self.hint(to: device) : Self.push(new.claims.text, to: device)
    }

    func withdrawal(of challenge: Asked) -> JSON? {
        guard let index = index(of: challenge.enrollment) else { return nil }
        let reason: Withdrawal.Reason = challenge.state == .elsewhere ? .elsewhere : .cancelled
        let claims = AcmeWire.cancelled(challenge.name, reason)
        return Self.push(claims.text, to: id(of: enrolled[index]))
    }

    static func push(_ text: String, to device: Enrollment.ID, key: String? = nil) -> JSON {
        let provider = JSON.string(device.provider.rawValue)
        return AcmeWire.payload(text, to: device.name, key: key, beside: ["provider": provider])
    }

    /// Says that something waits; nobody proves it.
    static func hint(to device: Enrollment.ID) -> JSON {
        [
            "acme-hint": "challenges", "at": [.string(device.name)],
            "provider": .string(device.provider.rawValue),
        ]
    }

    // MARK: Numbers and answers

    /// Takes note of a request's number; `false` if it is refused for it.
    override func takes(_ number: Int, at index: Int) -> Bool {
        let name = enrolled[index].name
        var used = used[name, default: Used()]
        defer { self.used[name] = used }
        if let before = used.numbers[number] {
            if before != transmission {
                violate(.counters, "number \(number) of \(name) was used twice")
            }
            // A copy of what was processed: only what changes nothing twice is processed again.
            return true
        }
        used.numbers[number] = transmission
        guard number < used.greatestNumber else {
            used.greatestNumber = number
            return true
        }
        if copy == .first, !mayOvertake {
            violate(
                .counters, "number \(number) of \(name) came after \(used.greatestNumber)")
        }
        return !options.isStrict
    }

    override func isWordOnAllCopies(_ why: String) -> Bool {
        // The choice is in each copy, the PIN only where they are the same bytes.
        why == "wrong" || why == "pin" && options.isKeptWhole
    }

    override func answer(_ text: String, _ answer: JSON, to found: Asked) -> Reply {
        let (name, choice) = (found.name, answer["choice"]?.string ?? "")
        if copy == .first { compare(choice, of: found) } else { copied.insert(name) }
        if let counter = answer["counter"]?.integer.map(Int.init) {
            let before = used[found.enrollment, default: Used()].counters.updateValue(
                text, forKey: counter)
            if let before, before != text {
                violate(.counters, "counter \(counter) of \(found.enrollment) was used twice")
            }
        }
        let (verdict, reply) =
            isRefusedForNow(found)
            ? (.refused, refusal(403, "busy", mayRetry: true))
            : judge(choice, found, pin: answer["pin"]?.string)
        arrivals.append(Arrival(challenge: name, choice: choice, verdict: verdict))
        checkPairs(of: name, choice)
        if let event = Tally.Event(rawValue: verdict.rawValue) { count(event) }
        changes += 1
        return reply
    }

    /// A refusal is a word on one sending, whichever copies arrive of it.
    private func isRefusedForNow(_ found: Asked) -> Bool {
        guard !refused.contains(transmission) else { return true }
        guard options.isMoody, copy == .first, isOpen(found), isBusy() else { return false }
        refused.insert(transmission)
        return true
    }

    /// The decision is on record before its first byte leaves.
    private func compare(_ choice: String, of found: Asked) {
        guard let index = index(of: found.enrollment),
            let recorded = recorded(
                Challenge.ID(found.name, of: id(of: enrolled[index])), choice)
        else {
            return violate(.writtenFirst, "\(found.name): \(choice) came, but nothing is on record")
        }
        guard recorded == choice else {
            return violate(
                .writtenFirst, "\(found.name): \(choice) came, but \(recorded) is on record")
        }
    }

    /// Two different decisions, of which the server might have taken both: the second may come only
    /// after the server has said no to the first, and that it is still open. A late copy of the
    /// first changes nothing.
    private func checkPairs(of name: String, _ choice: String) {
        let before = arrivals.dropLast().filter { $0.challenge == name }
        guard !before.contains(where: { $0.choice == choice }) else { return }
        let others = delayed.filter { $0.challenge == name && $0.choice != choice && $0.isRight }
        if let other = others.first {
            violate(.oneDecision, "\(name): \(choice), while \(other.choice) is on its way")
        }
        for earlier in before where earlier.choice != choice {
            let verdicts = before.filter { $0.choice == earlier.choice }.map(\.verdict)
            let isRefused = verdicts.contains { $0 == .wrongStillOpen || $0 == .refused }
            if !isRefused || verdicts.contains(.taken) {
                return violate(.oneDecision, "\(name): \(earlier.choice), then \(choice)")
            }
        }
    }
}
