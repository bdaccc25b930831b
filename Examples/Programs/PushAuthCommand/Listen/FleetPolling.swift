import PushCore

/// Asks the vendors for the devices that are this process's part of a fleet, evenly over an interval.
struct FleetPolling {
    let fleet: Fleet
    let member: FleetMember
    let interval: Duration
    let ask: @Sendable (FleetDevice.ID) async -> Void
    let report: @Sendable (any Error) -> Void

    /// How many devices may be asked for at the same time; a vendor that doesn't answer keeps none waiting
    /// for long.
    private let places = Slots(16)

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
            // What the time isn't enough for isn't always the same.
            await ask(try await fleet.devices(of: Set(shards)).shuffled(), until: end)
        } catch {
            report(error)
        }
    }

    private func ask(_ devices: [FleetDevice.ID], until end: ContinuousClock.Instant) async {
        for (number, device) in devices.enumerated() {
            guard !Task.isCancelled else { return }
            await places.begin { await ask(device) }
            let rest = ContinuousClock.now.duration(to: end)
            // A vendor that is slow mustn't be asked all the rest at once: it is left for the next.
            guard rest > .zero else { return }
            try? await Task.sleep(for: rest / (devices.count - number))
        }
    }
}

extension Fleet {
    /// All devices. Where names are concealed, pages don't come in their order, so all are named, which is
    /// one call; none is read.
    func ids() async throws(PushError) -> [FleetDevice.ID] {
        try await records.names(in: Self.devices).compactMap { FleetDevice.ID(hex: $0) }
    }

    /// The devices of some shards.
    func devices(of shards: Set<UInt8>) async throws(PushError) -> [FleetDevice.ID] {
        try await ids().filter { shards.contains($0.shard) }
    }
}
