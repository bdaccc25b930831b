import PushCore

/// Asks the vendors for the devices that are this process's part of a fleet, evenly over an interval.
struct FleetPolling {
    let fleet: Fleet
    let member: FleetMember
    let interval: Duration
    let ask: @Sendable (FleetDevice.ID) async -> Void
    let report: @Sendable (any Error) -> Void

    /// How many questions may be on their way.
    private static let width = 16

    /// Runs until its task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let end = ContinuousClock.now + interval
            await round(until: end)
            try? await Task.sleep(until: end)
        }
    }

    private func round(until end: ContinuousClock.Instant) async {
        do throws(PushError) {
            let shards = Shards.owned(by: member.instance, among: try await member.living())
            var devices: [FleetDevice.ID] = []
            for shard in shards.shuffled() { devices += try await fleet.devices(of: shard) }
            await ask(devices, until: end)
        } catch {
            report(error)
        }
    }

    private func ask(_ devices: [FleetDevice.ID], until end: ContinuousClock.Instant) async {
        await withTaskGroup(of: Void.self) { group in
            for (number, device) in devices.enumerated() {
                if number >= Self.width { await group.next() }
                guard !Task.isCancelled else { return }
                group.addTask { await ask(device) }
                let rest = ContinuousClock.now.duration(to: end)
                // A vendor that is slow mustn't be asked all the rest at once: it is left for the next.
                guard rest > .zero else { return }
                try? await Task.sleep(for: rest / (devices.count - number))
            }
        }
    }
}

extension Fleet {
    /// The devices of a shard.
    func devices(of shard: UInt8) async throws(PushError) -> [FleetDevice.ID] {
        let prefix = [shard].hexadecimal
        var devices: [FleetDevice.ID] = []
        var last = prefix
        while true {
            let page = try await records.page(of: Self.devices, after: last, limit: 250)
            let part = page.records.map(\.key.name).filter { $0.hasPrefix(prefix) }
            devices += part.compactMap { FleetDevice.ID(hex: $0) }
            guard part.count == page.records.count, !page.isLast, let next = part.last else {
                return devices
            }
            last = next
        }
    }
}
