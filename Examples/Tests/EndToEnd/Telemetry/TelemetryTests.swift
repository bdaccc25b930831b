import CoreMetrics
import Foundation
import Logging
import MetricsTestKit
import PushAcme
import PushAcmeSimulator
import PushCore
import PushTesting
import TelemetryAdapters
import Testing

@testable import traced_login

/// What the three adapters emit of one device's logins, in one process.
struct TelemetryTests {
    private let log = LogLines()
    private let metrics = TestMetrics()
    private let faults = FaultPlan()
    private let simulator = AcmeSimulator()
    private let clock = ManualClock(Date())
    private let directory: TemporaryDirectory
    private let authenticator: PushAuthenticator

    init() throws {
        directory = try TemporaryDirectory()
        var logger = Logger(label: "test") { [log] _ in log }
        logger.logLevel = .trace
        let environment = PushEnvironment(
            transport: SimulatedTransport(to: simulator, faults: faults), store: InMemoryStore(),
            verifier: ScriptedVerifier.absent(), clock: clock, random: SeededRandom(seed: 2),
            device: Device(name: "canary-device"),
            observer: Observers([
                LoggingObserver(logger), MetricsObserver(metrics),
                TracingObserver(
                    SpanFile(url: directory.url.appendingPathComponent("spans.jsonl"))),
            ]))
        authenticator = PushAuthenticator(
            try PluginRegistry([Acme(in: environment)]), in: environment)
    }

    private var spans: [JSON] {
        get throws {
            let url = directory.url.appendingPathComponent("spans.jsonl")
            return try SpanLines.read(url)
        }
    }

    private func enroll() async throws -> (enrollment: Enrollment, code: String) {
        let invitation = await simulator.invitation(for: "canary-user")
        try await authenticator.deviceTokenChanged(.fcm("canary-token"))
        let enrollment = try await AcmeHarness.enroll(authenticator, by: invitation)
        return (enrollment, try #require(invitation.scannedText))
    }

    private func receive() async throws -> (id: Challenge.ID, payload: Data) {
        _ = try await simulator.startLogin(of: "canary-user", asking: .confirm)
        let push = try #require(await simulator.takePushes().last)
        let receptions = try await authenticator.receive(try PushMessage(json: push.payload))
        return (try #require(receptions.first?.challenge), push.payload)
    }

    @Test func `a login is logged, counted, timed and traced`() async throws {
        defer { directory.remove() }
        _ = try await enroll()
        let (id, payload) = try await receive()
        _ = try await authenticator.receive(try PushMessage(json: payload))
        let challenge = try await authenticator.challenge(id)
        #expect(try await authenticator.resolve(challenge, with: .approve) == .delivered)

        let trace = "\(TraceID(of: id))"
        let lines = log.lines
        for kind in ["receive", "open", "answer", "attempt", "outcome"] {
            #expect(
                lines.contains { $0.hasPrefix("debug \(kind) ") && $0.contains(trace) }, "\(kind)")
        }
        let pushes = { metrics.counterTotal(label: "pushauth_pushes_total", dimensions: $0) }
        #expect(pushes([("provider", "acme"), ("verdict", "new")]) == 1)
        #expect(pushes([("provider", "acme"), ("verdict", "known")]) == 1)
        let answers = [("provider", "acme"), ("outcome", "delivered")]
        #expect(metrics.counterTotal(label: "pushauth_answers_total", dimensions: answers) == 1)
        #expect(!metrics.timers(label: "pushauth_attempt_seconds").isEmpty)
        let spans = try spans
        #expect(Set(spans.map { $0["trace"]?.string }) == [trace])
        #expect(
            spans.compactMap { $0["name"]?.string } == [
                "push.receive", "push.receive", "push.open", "push.answer", "push.attempt",
                "push.outcome",
            ])
    }

    @Test func `a span lasts as long as its step`() async throws {
        defer { directory.remove() }
        let observer = TracingObserver(
            SpanFile(url: directory.url.appendingPathComponent("spans.jsonl")))
        let id = Challenge.ID("1", of: .init("phone", of: "acme"))
        observer.observe(
            ObservedStep(.open, of: TraceID(of: id), by: "acme", taking: .milliseconds(1500)))
        let span = try #require(try spans.first)
        let (start, end) = (span["start"]?.string ?? "", span["end"]?.string ?? "")
        #expect(try #require(UInt64(end)) - #require(UInt64(start)) == 1_500_000_000)
    }

    @Test func `what a forged push is refused for is counted and logged, and has no trace`()
        async throws
    {
        defer { directory.remove() }
        let (enrollment, _) = try await enroll()
        _ = try await simulator.startLogin(of: "canary-user", asking: .confirm)
        let push = try #require(await simulator.takePushes().last)
        var forged = try #require(try JSON(parsing: push.payload).object)
        forged["mac"] = .string(Data(repeating: 1, count: 32).base64EncodedString())
        _ = enrollment
        await #expect(throws: PushError.self) {
            try await authenticator.receive(try PushMessage(json: JSON.object(forged).data))
        }
        let verdict = [("provider", "acme"), ("verdict", "untrusted")]
        #expect(metrics.counterTotal(label: "pushauth_pushes_total", dimensions: verdict) == 1)
        #expect(log.lines.contains { $0.hasPrefix("notice ") && $0.contains("untrusted") })
        #expect(!FileManager.default.fileExists(atPath: directory.url.path + "/spans.jsonl"))
    }

    /// All that must stay in the device, or between it and its vendor.
    @Test func `nothing that is emitted holds a secret, a name or what was chosen`() async throws {
        defer { directory.remove() }
        let (enrollment, code) = try await enroll()
        let (id, payload) = try await receive()
        let challenge = try await authenticator.challenge(id)
        await faults.next(.dropAfter)
        _ = try await authenticator.resolve(challenge, with: .approve)
        _ = try await authenticator.resume()
        let (other, _) = try await receive()
        _ = try await authenticator.deny(other, .custom("canary-reason"))
        _ = try? await authenticator.deny(other, .custom("canary-second"))
        try await authenticator.deviceTokenChanged(.fcm("canary-newer"))

        var emitted = log.lines.joined(separator: "\n")
        emitted += try spans.map(\.text).joined(separator: "\n")
        for counter in metrics.counters { emitted += "\(counter.label) \(counter.dimensions)\n" }
        for timer in metrics.timers { emitted += "\(timer.label) \(timer.dimensions)\n" }
        #expect(emitted.contains("pushauth_answers_total"))
        #expect(emitted.contains("delivered"))
        var secrets = [
            "canary", enrollment.id.name, id.name, challenge.fields.first?.value ?? "canary",
        ]
        secrets += Self.texts(in: try JSON(parsing: String(code.dropFirst(5))))
        secrets += Self.texts(in: try JSON(parsing: payload))
        #expect(secrets.count >= 8)
        for secret in secrets where secret.count > 5 {
            #expect(!emitted.contains(secret), "\(secret)")
        }
    }

    private static func texts(in json: JSON) -> [String] {
        (json.object?.members ?? []).compactMap(\.value.string)
    }
}

/// A log handler that keeps its lines.
///
/// A lock guards what changes, which is why `@unchecked Sendable` is safe.
final class LogLines: LogHandler, @unchecked Sendable {
    private let lock = NSLock()
    private var kept: [String] = []
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    var lines: [String] { lock.withLock { kept } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }
            .map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        lock.withLock { kept.append("\(event.level) \(event.message) \(metadata)") }
    }
}

enum SpanLines {
    static func read(_ url: URL) throws -> [JSON] {
        try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
            .map { try JSON(parsing: String($0)) }
    }
}
