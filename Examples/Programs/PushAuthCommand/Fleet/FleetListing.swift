import PushCore
import PushSealing
import TerminalIO

/// A listing that goes through all devices of a fleet, several at the same time.
struct FleetListing {
    let ground: Ground
    let reporter: Reporter

    /// What a listing has of one device.
    struct Part<Item: Report>: Sendable where Item: Sendable {
        let reports: [Item]
        var failures = Failures()
    }

    /// How many devices are looked at at the same time.
    private static let width = 16

    /// - Parameters:
    ///   - things: How so many are called.
    ///   - onlyWaiting: Whether only devices matter for which a challenge waits: the others cost
    ///     nothing then.
    ///   - body: Finds what a device has.
    /// - Returns: How the command ends: what is damaged in one device keeps no other from being listed.
    /// - Throws: `Failure` if there is no fleet, or what `body` throws.
    func run<Item: Report & Sendable>(
        of things: (Int) -> String, onlyWaiting: Bool = false,
        _ body: @escaping @Sendable (Session) async throws -> Part<Item>
    ) async throws -> ExitStatus {
        guard let fleet = ground.fleet else { throw Fleet.noFleet }
        var total = Total()
        let devices: Int
        if onlyWaiting {
            devices = try await fleet.count()
            try await show(try await waiting(in: fleet), &total, body)
        } else {
            devices = try await fleet.forEachPage { try await show($0, &total, body) }
        }
        total.failures.report()
        if !reporter.isJSON {
            reporter.tell("\(Self.devices(devices)), \(things(total.count)).")
        }
        return total.worst
    }

    private struct Total {
        var count = 0
        var failures = Failures()
        var worst = ExitStatus.done
    }

    /// The devices for which a challenge waits, by few trips to the store, however many there are.
    private func waiting(in fleet: Fleet) async throws -> [FleetDevice] {
        var seen: Set<FleetDevice.ID> = []
        let ids = try await ScopedStore.waiting(in: ground.records)
            .filter { !$0.isDecided }
            .compactMap { FleetDevice.ID(scope: $0.scope) }.filter { seen.insert($0).inserted }
        return try await fleet.devices(ids)
    }

    /// Shows some devices in their order.
    private func show<Item: Report & Sendable>(
        _ devices: [FleetDevice], _ total: inout Total,
        _ body: @escaping @Sendable (Session) async throws -> Part<Item>
    ) async throws {
        let ground = ground
        try await withThrowingTaskGroup(of: (Int, Session, Part<Item>).self) { group in
            var parts: [Int: (Session, Part<Item>)] = [:]
            var next = 0
            func start(_ index: Int) {
                guard devices.indices.contains(index) else { return }
                group.addTask {
                    let session = try Session(
                        on: ground, of: devices[index],
                        verifier: CommandUser(VerificationOptions()))
                    return (index, session, try await body(session))
                }
            }
            for index in 0..<Self.width { start(index) }
            while let (index, session, part) = try await group.next() {
                try Task.checkCancellation()
                parts[index] = (session, part)
                while let (session, part) = parts.removeValue(forKey: next) {
                    show(part, session, &total)
                    start(next + Self.width)
                    next += 1
                }
            }
        }
    }

    private func show<Item: Report & Sendable>(
        _ part: Part<Item>, _ session: Session, _ total: inout Total
    ) {
        total.failures.add(part.failures)
        let reporter = Reporter(
            isJSON: reporter.isJSON, device: session.device?.name, showsDevice: true)
        for report in part.reports { reporter.show(report) }
        total.count += part.reports.count
        let end = session.ending(part.failures.status)
        if end != .done { total.worst = end }
    }

    static func devices(_ count: Int) -> String { "\(count) device\(count == 1 ? "" : "s")" }

    static func enrollments(_ count: Int) -> String {
        "\(count) enrollment\(count == 1 ? "" : "s")"
    }

    static func waiting(_ count: Int) -> String {
        "\(count) wait\(count == 1 ? "s" : "") for an answer"
    }
}
