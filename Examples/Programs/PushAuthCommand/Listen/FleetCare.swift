import Foundation
import PushCore

/// What a day brings to each device of a fleet: a vendor is told the device token that it couldn't
/// be told before. A device whose pushes are answered at once is never due for anything else.
///
/// The devices of a shard are one process's on that day, by compare-and-set. If it dies meanwhile, the rest
/// of them wait for the next day.
struct FleetCare: Sendable {
    private static let collection = "fleet/care"

    let fleet: Fleet
    /// Looks after the devices of a shard.
    let care: @Sendable ([FleetDevice.ID]) async -> Void
    let report: @Sendable (any Error) -> Void

    /// The day, by this machine's clock. A day that isn't the one on record is a new one, earlier or
    /// later: one clock that is wrong keeps no device from being looked at for long.
    var today: @Sendable () -> String = {
        "\(Int((Date().timeIntervalSince1970 / 86_400).rounded(.down)))"
    }

    /// Runs until its task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await round(pause: .seconds(2))
            // Not in step with the others, so that they don't meet at the same shards.
            try? await Task.sleep(for: .seconds(3600 * Double.random(in: 0.5...1.5)))
        }
    }

    /// Looks after the devices of all shards that nobody has taken today.
    ///
    /// - Parameter pause: How long the store is left alone between two shards.
    func round(pause: Duration) async {
        do throws(PushError) {
            let shards = Dictionary(grouping: try await fleet.ids(), by: \.shard)
            let keys = shards.keys.shuffled().map { RecordKey(Self.collection, "\($0)") }
            for record in try await fleet.records.read(all: keys) {
                guard !Task.isCancelled else { return }
                guard let shard = UInt8(record.key.name), try await take(record) else { continue }
                await care(shards[shard] ?? [])
                try? await Task.sleep(for: pause)
            }
        } catch {
            report(error)
        }
    }

    /// Takes a shard for today, unless another process has.
    private func take(_ record: StoredRecord) async throws(PushError) -> Bool {
        let found = try record.content.get()
        let today = today()
        guard found?.value.copiedText() != today else { return false }
        do throws(PushError) {
            _ = try await fleet.records.write(
                Secret(copying: today), for: record.key, replacing: found?.revision)
            return true
        } catch  where error.code == .conflict {
            return false
        }
    }
}
