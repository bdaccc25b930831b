import Foundation
import HTTPTypes
import PushCore

/// Counts and times what a listener does.
///
/// What it is told must return at once, so a lock guards what changes, which is why
/// `@unchecked Sendable` is safe.
final class Meter: PushObserver, @unchecked Sendable {
    fileprivate struct Series: Hashable {
        let metric: Metric
        let values: [String]
    }

    private let lock = NSLock()
    private var counts: [Series: UInt64] = [:]
    private var times: [Series: Histogram] = [:]
    private var pauses: [String: Duration] = [:]
    private let clock: any PushClock

    init(clock: any PushClock = SystemClock()) {
        self.clock = clock
        // Each is there from the start, so that a scraper sees the first one as well.
        for settled in SettledWrite.allCases {
            counts[Series(metric: .storeSettled, values: [settled.label])] = 0
        }
    }

    func observe(_ observation: PushObservation) {}

    func observe(_ step: ObservedStep) {
        guard step.kind == .outcome else { return }
        count(.answers, step.provider?.rawValue ?? "", step.ending.name)
        // What is over without an answer took nobody's time.
        if step.duration > .zero { time(.answerSeconds, step.duration) }
    }

    /// Counts a push by what its sender hears of it.
    func count(_ push: IncomingPush, _ verdict: PushVerdict) {
        count(.pushes, push.intake, verdict.label)
    }

    /// Does something with the store, counts it and times it.
    func metering<Value>(
        _ operation: String, _ body: () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let start = clock.elapsed
        do throws(PushError) {
            let value = try await body()
            note(operation, "done", since: start)
            return value
        } catch {
            note(operation, error.code.name, since: start)
            throw error
        }
    }

    /// Counts what became of a write whose reply was lost.
    func note(_ settled: SettledWrite) { count(.storeSettled, settled.label) }

    private func note(_ operation: String, _ code: String, since start: Duration) {
        time(.storeSeconds, clock.elapsed - start, operation)
        count(.store, operation, code)
    }

    /// Notes whether a reply asks to leave its server alone, and until when.
    func note(_ response: HTTPResponse, of server: String) {
        guard let pause = response.pause(at: clock.now, near: clock.now) else { return }
        let end = clock.elapsed + pause
        lock.withLock { pauses[server] = max(pauses[server] ?? .zero, end) }
    }

    private func count(_ metric: Metric, _ values: String...) {
        lock.withLock { counts[Series(metric: metric, values: values), default: 0] += 1 }
    }

    private func time(_ metric: Metric, _ duration: Duration, _ values: String...) {
        lock.withLock {
            times[Series(metric: metric, values: values), default: Histogram(metric.bounds)]
                .add(duration / .seconds(1))
        }
    }

    /// All it knows, as a scraper reads it.
    ///
    /// - Parameter gauges: What is so just now; a metric that nobody can tell now is left out.
    /// - Returns: The text, in Prometheus' format.
    func text(_ gauges: [Metric: Double]) -> String {
        let now = clock.elapsed
        let (counts, times, paused) = lock.withLock {
            pauses = pauses.filter { $0.value > now }
            return (self.counts, self.times, pauses.count)
        }
        var gauges = gauges
        gauges[.vendorPauses] = Double(paused)
        var lines: [String] = []
        for metric in Metric.allCases {
            lines += MetricsText.heading(metric)
            lines += counts.keys.sorted(of: metric).map { values in
                MetricsText.line(
                    metric.rawValue, Array(zip(metric.labels, values)),
                    "\(counts[Series(metric: metric, values: values)] ?? 0)")
            }
            lines += times.keys.sorted(of: metric).flatMap { values in
                times[Series(metric: metric, values: values)]?.lines(
                    metric.rawValue, Array(zip(metric.labels, values))) ?? []
            }
            if let value = gauges[metric] {
                lines.append(MetricsText.line(metric.rawValue, [], "\(value)"))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Collection where Element == Meter.Series {
    fileprivate func sorted(of metric: Metric) -> [[String]] {
        filter { $0.metric == metric }.map(\.values)
            .sorted { $0.lexicographicallyPrecedes($1) }
    }
}

extension PushVerdict {
    /// One of a few words.
    var label: String {
        switch self {
        case .taken: "taken"
        case .foreign: "foreign"
        case .gone: "gone"
        case .dropped: "dropped"
        case .refused(let code): code.name
        }
    }
}

extension SettledWrite {
    /// One of a few words.
    var label: String {
        switch self {
        case .made: "made"
        case .notMade: "not_made"
        case .unknown: "unknown"
        @unknown default: "other"
        }
    }
}
