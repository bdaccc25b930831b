import Foundation
import HTTPTypes
import PushCore
import PushTesting

@testable import FictionalVendor

/// A process's clock. All show the same time. What sleeps until a lease must be renewed wakes when
/// the schedule says so. What sleeps for anything else sleeps on.
struct ScheduledClock: PushClock {
    let time: ManualClock
    let keepers = ManualClock(morning)
    let others = ManualClock(morning)
    let serverTime = ServerTime()

    var now: Date { time.now }
    var elapsed: Duration { time.elapsed }

    func sleep(for duration: Duration) async {
        await (duration == Scenario.lease / 2 ? keepers : others).sleep(for: duration)
    }
}

/// A process's way to the store that all share.
struct ScheduledStore: CredentialStore {
    let schedule: Schedule
    let life: Int
    let isShared: Bool

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try await schedule.read([key], by: life)[0].content.get()
    }

    func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord] {
        try await schedule.read(keys, by: life)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        try await schedule.write(value, for: key, replacing: revision, waits: waits, by: life)
    }

    func discard(_ key: RecordKey) async throws(PushError) {
        try await schedule.discard(key, by: life)
    }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await schedule.names(
            in: collection, waiting: waiting, after: name, limit: limit, by: life)
    }
}

/// A process's way to the vendor.
struct ScheduledTransport: Transport {
    let schedule: Schedule
    let life: Int

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        try await schedule.exchange(request, body, by: life)
    }
}

/// What a process says to a challenge, as it goes to the vendor.
struct SentAnswer: Sendable {
    let challenge: String
    let choice: String
    let counter: Int64
    /// The bytes that are signed.
    let text: String

    /// Reads a request; `nil` if it brings no answer.
    init?(_ request: HTTPRequest, _ body: Data) {
        guard request.path == "/answer", let text = try? JSON(parsing: body)["answer"]?.string
        else { return nil }
        self.init(text)
    }

    init?(_ text: String) {
        guard let answer = try? JSON(parsing: text), let challenge = answer["id"]?.string,
            let choice = answer["choice"]?.string
        else { return nil }
        self.challenge = challenge
        self.choice = choice
        counter = answer["counter"]?.integer ?? 0
        self.text = text
    }
}

/// Acme's server, which keeps a log of the answers that reach it.
final class LoggingAcme: AcmeServer {
    private var arrival: (answer: SentAnswer, verdict: Verdict)?

    /// The answer to each challenge that counts.
    var taken: [String: String] {
        asked.reduce(into: [:]) { taken, asked in
            if case .taken(let choice) = asked.state { taken[asked.name] = choice }
        }
    }

    /// What came last, and how it was judged; `nil` if it was asked for already.
    func takeArrival() -> (answer: SentAnswer, verdict: Verdict)? {
        defer { arrival = nil }
        return arrival
    }

    override func answer(_ text: String, _ answer: JSON, to found: Asked) -> Reply {
        let judged = judge(answer["choice"]?.string ?? "", found, pin: answer["pin"]?.string)
        arrival = SentAnswer(text).map { ($0, judged.verdict) }
        return judged.reply
    }
}
