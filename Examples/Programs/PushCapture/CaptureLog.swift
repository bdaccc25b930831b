import Foundation
import HTTPTypes
package import PushCore

/// What came and went, a JSON object a line, for a bug report (`docs/capture-format.md`).
///
/// Calls come from everywhere, so a lock guards what changes, which is why `@unchecked Sendable`
/// is safe.
package final class CaptureLog: @unchecked Sendable {
    /// The version of the format; a reader refuses what is newer.
    package static let version: Int64 = 1

    private let lock = NSLock()
    private var redaction = CaptureRedaction()
    private var count = 0
    private let clock: any PushClock
    private let start: Duration
    private let write: @Sendable (String) -> Void

    /// The vendor of each provider, and what the capture calls the provider.
    private let providers: [ProviderID: String]

    /// Whose rows' states are noted; set once there is one.
    private var authenticator: PushAuthenticator?

    /// Begins with the header.
    ///
    /// - Parameters:
    ///   - program: What writes it, and its version.
    ///   - providers: The providers there are, each with its vendor's name.
    ///   - clock: What the times are by.
    ///   - write: Takes each line, without its end; it returns once the line is kept.
    package init(
        by program: String, of providers: [(provider: ProviderID, vendor: String)],
        clock: any PushClock = SystemClock(), write: @escaping @Sendable (String) -> Void
    ) {
        self.clock = clock
        self.write = write
        start = clock.elapsed
        let names = providers.enumerated().map { ($1.provider, "p\($0 + 1)", $1.vendor) }
        self.providers = Dictionary(names.map { ($0.0, $0.1) }) { first, _ in first }
        let header: JSON.Object = [
            "pushcap": .number(.init(Self.version)), "program": .string(program),
            "time": .string(timestamp(clock.now)),
            "providers": .object(JSON.Object(names.map { ($0.1, .string($0.2)) })),
        ]
        write(JSON.object(header).text)
    }

    /// The providers, seen by it.
    package func around(_ providers: [any PushProvider]) -> [any PushProvider] {
        providers.map { CapturedProvider(base: $0, log: self) }
    }

    /// The network, seen by it.
    package func around(_ transport: any Transport) -> any Transport {
        CapturedTransport(base: transport, log: self)
    }

    /// Learns whose rows' states are to be noted.
    package func watch(_ authenticator: PushAuthenticator) {
        lock.withLock { self.authenticator = authenticator }
    }

    /// The state of a challenge's row, as it is now.
    func row(of id: Challenge.ID) async -> JSON {
        guard let authenticator = lock.withLock({ authenticator }) else { return "none" }
        do {
            guard let record = try await authenticator.record(of: id) else { return "none" }
            switch record.state {
            case .open: return "open"
            case .decided: return "decided"
            case .answered: return "answered"
            case .over(let withdrawal): return .string("over: \(withdrawal.reason.rawValue)")
            @unknown default: return "unknown"
            }
        } catch {
            return .string("unreadable: \(error.code.name)")
        }
    }

    /// Writes a line of an event.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - id: The provider, if one was at work.
    ///   - challenge: The challenge that it is about.
    ///   - members: What more there is to say, redacted.
    func note(
        _ event: String, _ id: ProviderID? = nil, _ challenge: Challenge.ID? = nil,
        _ members: (inout CaptureRedaction) -> JSON.Object = { _ in [:] }
    ) {
        lock.withLock {
            var line: JSON.Object = [
                "event": .string(event), "time": .string(timestamp(clock.now)),
                "elapsed": .number(.init(Int64((clock.elapsed - start) / .milliseconds(1)))),
            ]
            if let id { line["provider"] = .string(providers[id] ?? "another") }
            if let challenge {
                let names = [challenge.enrollment.provider.rawValue, challenge.enrollment.name]
                line["enrollment"] = redaction.name(
                    names.joined(separator: "\u{0}"), as: "enrollment")
                line["challenge"] = redaction.name(
                    (names + [challenge.name]).joined(separator: "\u{0}"), as: "challenge")
            }
            for (name, value) in members(&redaction).members { line[name] = value }
            write(JSON.object(line).text)
        }
    }

    /// The number of the next exchange.
    fileprivate func nextExchange() -> Int64 {
        lock.withLock {
            count += 1
            return Int64(count)
        }
    }
}

extension CaptureLog: PushObserver {
    package func observe(_ observation: PushObservation) {
        note("observation", observation.provider) { _ in
            let kind =
                switch observation.kind {
                case .refused(let code): "refused: \(code.name)"
                case .security(let code): "security: \(code.name)"
                case .damaged(let record): "damaged: \(record)"
                case .challengesFull: "challenges full"
                case .noticed: "noticed"
                @unknown default: "noticed"
                }
            return ["kind": .string(kind), "summary": .string(observation.summary)]
        }
    }

    package func observe(_ step: ObservedStep) {
        note("step", step.provider) { redaction in
            var members: JSON.Object = [
                "step": .string(step.kind.rawValue), "ending": .string(step.ending.name),
                "took": .number(.init(Int64(step.duration / .milliseconds(1)))),
            ]
            if let trace = step.trace {
                members["trace"] = redaction.name("\(trace)", as: "trace")
            }
            return members
        }
    }
}

/// A network whose exchanges are written down.
struct CapturedTransport: Transport {
    let base: any Transport
    let log: CaptureLog

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let number = log.nextExchange()
        log.note("request") { redaction in
            redaction.request(request, body).adding(["exchange": .number(.init(number))])
        }
        do throws(PushError) {
            let reply = try await base.send(request, body: body)
            log.note("reply") { redaction in
                redaction.response(reply.response, reply.body)
                    .adding(["exchange": .number(.init(number))])
            }
            return reply
        } catch {
            log.note("reply") { _ in
                ["exchange": .number(.init(number)), "error": .string(error.code.name)]
            }
            throw error
        }
    }
}

/// A moment in UTC, to the millisecond.
func timestamp(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
}

extension JSON.Object {
    func adding(_ others: JSON.Object) -> JSON.Object {
        var object = self
        for (name, value) in others.members { object[name] = value }
        return object
    }
}
