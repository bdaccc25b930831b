import Foundation
import PushCore
import PushPlatform
import PushSealing

/// What stores on servers cost: writes beside a bare loop of the same engine, and approvals.
///
/// Lines that are compared take turns, two seconds each, so that what else the machine does, it does to
/// both. Each rate is the median of the rounds.
struct StoreReport {
    private let rounds: Int
    private let engines: [String]
    private let seconds = 2.0

    /// - Parameter arguments: Which engines, both if none is named.
    init(_ arguments: [String]) {
        engines = arguments.map { $0.lowercased() }
        rounds = 5
    }

    func run() async throws {
        if isAsked("etcd") {
            try await report { try await EtcdProcess() }
        }
        if isAsked("postgresql") {
            try await report { try await PostgresProcess() }
        }
    }

    private func isAsked(_ name: String) -> Bool {
        engines.isEmpty || engines.contains { name.hasPrefix($0) }
    }

    private func report<Server: Engine>(_ start: () async throws -> Server?) async throws {
        guard let server = try await start() else {
            return print("\(Server.name): not measured, as it isn't installed")
        }
        print("\n\(Server.name), a second: bare, store / bare, sealed / bare, approvals / bare")
        for clients in [1, 8] { try await rates(server, clients) }
    }

    // MARK: Rates

    private func rates(_ server: some Engine, _ clients: Int) async throws {
        let key = Secret([UInt8](repeating: 7, count: 32))
        let plain = try await server.newStore("plain")
        let sealed = try await SealedStore(
            try await server.newStore("sealed"),
            key: KeySource { () async throws(PushError) in key }, tenant: "sealed")
        let writers = (0..<clients).map { RecordWriter(plain, $0) }
        let sealing = (0..<clients).map { RecordWriter(sealed, $0) }
        var approvers: [Approver] = []
        for _ in 0..<clients {
            // So many that none remembers more logins than a device of a fleet.
            let devices = (0..<50).map { _ in ScopedStore(sealed, scope: "\(UUID())") }
            approvers.append(try await Approver(devices, remembering: Self.retention))
        }
        var found: [[Double]] = [[], [], [], []]
        for _ in 0..<rounds {
            found[0].append(try server.bare(clients, seconds: seconds))
            found[1].append(try await rate(writers.map { writer in { try await writer.write() } }))
            found[2].append(try await rate(sealing.map { writer in { try await writer.write() } }))
            found[3].append(try await rate(approvers.map { one in { try await one.approve() } }))
        }
        let medians = found.map(middle)
        let ratios = (1...3).map { line in
            middle(zip(found[line], found[0]).map { $0 / $1 })
        }
        let columns =
            [number(medians[0])]
            + (1...3).map { "\(number(medians[$0])) = \(decimal(ratios[$0 - 1]))" }
        print("| \(clients) at once | " + columns.joined(separator: " | ") + " |")
    }

    /// How often a second all together are done, each again and again.
    private func rate(_ bodies: [@Sendable () async throws -> Void]) async throws -> Double {
        let start = ContinuousClock.now
        let end = start + .seconds(seconds)
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for body in bodies {
                group.addTask {
                    var count = 0
                    while ContinuousClock.now < end {
                        try await body()
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(count) / ((ContinuousClock.now - start) / .seconds(1))
    }

    /// As `pushauth` sets it for a fleet.
    static let retention = Retention(count: 50, rows: 2)

    private func number(_ value: Double) -> String { String(format: "%.0f", value) }

    private func decimal(_ value: Double) -> String { String(format: "%.2f", value) }
}
