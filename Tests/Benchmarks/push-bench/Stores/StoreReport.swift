import Foundation
import PushCore
import PushPlatform
import PushSealing

/// What stores on servers cost: writes beside a bare loop of the same engine, approvals, and one approval
/// among many devices beside one among few.
///
/// Lines that are compared take turns, two seconds each, so that what else the machine does, it does to
/// both. Each rate is the median of the rounds.
struct StoreReport {
    private let devices: Int
    private let rounds: Int
    private let engines: [String]
    private let seconds = 2.0

    /// - Parameter arguments: How many devices the many are, 10,000 if no number is given, and which
    ///   engines, both if none is named.
    init(_ arguments: [String]) {
        devices = arguments.compactMap { Int($0) }.first ?? 10_000
        engines = arguments.filter { Int($0) == nil }.map { $0.lowercased() }
        rounds = 5
    }

    func run() async throws {
        if isAsked("etcd") {
            try await report { try await EtcdProcess() }
        }
        if isAsked("postgresql") {
            try await report { try await PostgresProcess() }
        }
        if isAsked("filestore") { try await reportFiles() }
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
        guard devices > 0, let other = try await start() else { return }
        try await amongMany(few: server, many: other)
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

    // MARK: Many devices

    private func amongMany(few: some Engine, many: some Engine) async throws {
        let key = Secret([UInt8](repeating: 7, count: 32))
        var sides: [Approver] = []
        for (server, count) in [(few as any Engine, 10), (many as any Engine, devices)] {
            let store = try await SealedStore(
                try await server.newStore("fleet"),
                key: KeySource { () async throws(PushError) in key }, tenant: "fleet")
            let start = ContinuousClock.now
            try await fill(store, count)
            let taken = (ContinuousClock.now - start) / .seconds(1)
            print("\(count) devices of 2 records each: filled in \(number(taken)) s")
            let naming = ContinuousClock.now
            let names = try await store.names(in: Self.devices)
            print(
                "\(names.count) devices named in "
                    + "\(decimal((ContinuousClock.now - naming) / .seconds(1))) s")
            sides.append(
                try await Approver(
                    [ScopedStore(store, scope: "d/last")], remembering: Self.retention))
        }
        var times: [[Double]] = [[], []]
        for turn in 0..<240 {
            for (side, approver) in sides.enumerated() {
                let start = ContinuousClock.now
                try await approver.approve()
                // The first ones make connections.
                if turn >= 40 {
                    times[side].append((ContinuousClock.now - start) / .milliseconds(1))
                }
            }
        }
        let (own, all) = (middle(times[0]), middle(times[1]))
        print(
            "a login among 10: \(decimal(own)) ms, among \(devices): \(decimal(all)) ms, "
                + "ratio \(decimal(all / own))")
    }

    private static let devices = "fleet/devices"

    /// As `pushauth` sets it for a fleet.
    private static let retention = Retention(count: 50, rows: 2)

    /// Devices that have an enrollment, in scopes of their own, and their names in one collection.
    private func fill(_ store: SealedStore, _ count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                if number >= 32 { try await group.next() }
                group.addTask {
                    try await ScopedStore(store, scope: "d/\(number)").write(
                        Secret(documentBytes), for: RecordKey("enrollment", "\(UUID())"),
                        replacing: nil)
                    try await store.write(
                        Secret(documentBytes.prefix(100)),
                        for: RecordKey(Self.devices, "\(number) \(UUID())"), replacing: nil)
                }
            }
            try await group.waitForAll()
        }
    }

    // MARK: Files

    private func reportFiles() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("push-bench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = Secret([UInt8](repeating: 7, count: 32))
        let store = try await FileStore(
            at: folder.path, key: KeySource { () async throws(PushError) in key })
        let approver = try await Approver([store], remembering: Retention())
        var found: [Double] = []
        for _ in 0..<rounds { found.append(try await rate([{ try await approver.approve() }])) }
        print("\nFileStore: \(number(middle(found))) approvals a second, one at a time")
    }

    private func middle(_ numbers: [Double]) -> Double {
        numbers.sorted()[numbers.count / 2]
    }

    private func number(_ value: Double) -> String { String(format: "%.0f", value) }

    private func decimal(_ value: Double) -> String { String(format: "%.2f", value) }
}
