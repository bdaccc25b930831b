import Foundation
import PushCore
import PushTesting

/// Runs both halves of a soak in a temporary directory, and takes it away if all went well.
struct SoakRunner: Sendable {
    let kills: Int
    let rounds: Int
    let seed: UInt64
    let keeps: Bool
    let progress: DemoProgress

    /// Where the store is, if not in a directory; each half has a scope of its own in it.
    var servers: SoakStore.Servers?

    func run() async -> SoakReport {
        var report = SoakReport(seed: seed)
        let start = ContinuousClock.now
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("push-lab-soak-\(UUID().uuidString)", isDirectory: true)
        do {
            if kills > 0 { try await killRun(in: directory, &report) }
            if rounds > 0, report.violations.isEmpty { try await pairRun(in: directory, &report) }
        } catch is CancellationError {
            report.wasInterrupted = true
        } catch {
            report.violations.append(Violation(.calls, "\(error)"))
        }
        progress.end()
        report.duration = start.duration(to: .now)
        if keeps || !report.violations.isEmpty {
            report.kept = directory.path
        } else {
            try? FileManager.default.removeItem(at: directory)
        }
        return report
    }

    private func killRun(in directory: URL, _ report: inout SoakReport) async throws {
        let site = try await SoakSite(
            at: directory.appendingPathComponent("kills"), seed: seed, pause: 8, trouble: 15,
            on: part("kills"))
        try await using(site) {
            var run = try KillRun(kills: kills, random: SeededRandom(seed: seed), at: site)
            defer { (report.kills, report.violations) = (run.tally, run.violations) }
            try await run.run(progress)
        }
    }

    private func pairRun(in directory: URL, _ report: inout SoakReport) async throws {
        let site = try await SoakSite(
            at: directory.appendingPathComponent("pairs"), seed: seed, pause: 2, trouble: 0,
            on: part("pairs"))
        try await using(site) {
            var run = try PairRun(rounds: rounds, random: SeededRandom(seed: ~seed), at: site)
            defer { (report.pairs, report.violations) = (run.tally, run.violations) }
            try await run.run(progress)
        }
    }

    private func part(_ name: String) -> SoakStore.Servers? {
        servers.map { servers in
            var part = servers
            part.scope += "/" + name
            return part
        }
    }

    private func using(_ site: SoakSite, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            await site.server.finish()
            throw error
        }
        await site.server.finish()
        if !keeps { try await site.store.clear() }
    }
}
