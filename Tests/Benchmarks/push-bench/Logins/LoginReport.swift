import Foundation
import Harness
import PushCore
import PushTesting

/// What a login costs beside the durable writes that it consists of, all in this process.
func loggingIn() async throws -> [Comparison] {
    let bench = try await LoginBench(in: StoreFolder.memory, accounts: 64, after: 20)
    let quick = try await LoginBench(in: nil, accounts: 64, after: 20)
    var comparison = Comparison("Login, files in memory")
    comparison.add("its writes alone") { try await bench.write(0) }
    for (name, bench) in [
        ("received, opened, answered", bench), ("the same without files", quick),
    ] {
        comparison.add(name) {
            try await bench.device.pushes(1)[0]
        } _: {
            try await bench.device.approve($0)
        }
    }
    return [comparison]
}

/// Logins, one and eight at once, and the same writes to the same store by turns.
struct LoginReport {
    private let directory: URL

    /// - Parameter arguments: Where the stores are made; by default where temporary files are.
    init(_ arguments: [String]) {
        directory =
            arguments.first.map { URL(fileURLWithPath: $0) }
            ?? FileManager.default.temporaryDirectory
    }

    func run() async throws {
        print("Processor's time of a login, in microseconds; files in \(StoreFolder.memory.path)")
        print("| at once | login | its writes alone | login without files |")
        for width in [1, 8] { try await processor(width) }
        print("\nIn \(directory.path)")
        print("| pushes | at once | its writes, logins/s | approvals/s | of it |")
        for width in [1, 8] {
            let bench = try await LoginBench(in: directory, accounts: 64)
            for pushes in [10, 100, 2000] { try await pace(bench, pushes, width) }
        }
    }

    private func processor(_ width: Int) async throws {
        let bench = try await LoginBench(in: StoreFolder.memory, accounts: 64, after: 20)
        let quick = try await LoginBench(in: nil, accounts: 64, after: 20)
        var times: [[Double]] = [[], [], []]
        for _ in 0..<15 {
            times[0].append(try await bench.logins(128, width).processor)
            times[1].append(try await bench.writes(128, width).processor)
            times[2].append(try await quick.logins(128, width).processor)
        }
        let columns = ["\(width)"] + times.map { number(middle($0)) }
        print("| " + columns.joined(separator: " | ") + " |")
        if width == 1 { print(await bench.trips) }
    }

    /// Parts of a hundred at the most take turns, as a disk isn't as fast all the time.
    private func pace(_ bench: LoginBench, _ pushes: Int, _ width: Int) async throws {
        let part = min(pushes, 100)
        var (bare, approvals): ([Double], [Double]) = ([], [])
        for _ in 0..<max(5, pushes / part) {
            bare.append(try await bench.writes(part, width).rate)
            approvals.append(try await bench.logins(part, width).rate)
        }
        let ratio = String(format: "%.2f", middle(zip(approvals, bare).map { $0 / $1 }))
        let columns = [
            "\(pushes)", "\(width)", number(middle(bare)), number(middle(approvals)), ratio,
        ]
        print("| " + columns.joined(separator: " | ") + " |")
    }

    private func number(_ value: Double) -> String { String(format: "%.0f", value) }
}

/// A device, and as many records beside its own, which are written as it writes those.
private actor LoginBench {
    struct Pace {
        /// How many a second.
        let rate: Double
        /// What one takes, in microseconds.
        let processor: Double
    }

    let device: LoginDevice
    private let folder: StoreFolder?
    private let writers: [RecordWriter]
    private var notes = NotingStore.Notes()

    /// - Parameters:
    ///   - directory: Where the store's directory is made; `nil` for a store in memory.
    ///   - accounts: How many the device has; a multiple of how many are at once.
    ///   - logins: How many each has had: at last, a record stays as large as it is.
    /// - Throws: What enrolling and logging in throw.
    init(in directory: URL?, accounts: Int, after logins: Int = 1) async throws {
        folder = try directory.map { try StoreFolder(in: $0) }
        let store: any CredentialStore =
            if let folder { try await folder.newStore("logins") } else { InMemoryStore() }
        device = try await LoginDevice(over: store, accounts: accounts)
        writers = (0..<accounts).map { RecordWriter(store, $0) }
        for _ in 0..<logins { _ = try await self.logins(accounts, 8) }
        _ = try await writes(accounts, 8)
    }

    /// What a login asks of its store.
    var trips: String { "A login: \(notes.sizes) bytes written, \(notes.reads) reads" }

    func logins(_ count: Int, _ width: Int) async throws -> Pace {
        let pushes = try await device.pushes(count)
        _ = device.store.take()
        let pace = try await Self.pace(of: count, width) { [device] in
            try await device.approve(pushes[$0])
        }
        notes = device.store.take()
        let each = notes.sizes.count / count
        // Of the middle ones, as a login's writes are about as large as each other.
        notes.sizes = Array(notes.sizes.sorted()[(notes.sizes.count / 2)...].prefix(each))
        notes.reads /= count
        return pace
    }

    func writes(_ count: Int, _ width: Int) async throws -> Pace {
        let values = values
        return try await Self.pace(of: count, width) { [writers] index in
            for value in values { try await writers[index % writers.count].write(value) }
        }
    }

    func write(_ index: Int) async throws {
        for value in values { try await writers[index].write(value) }
    }

    private var values: [Secret] {
        notes.sizes.map { Secret([UInt8](repeating: 0x5A, count: $0)) }
    }

    /// Each of so many workers takes its own, one after the other.
    private static func pace(
        of count: Int, _ width: Int, _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> Pace {
        let (start, processor) = (ContinuousClock.now, processorTime())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<width {
                group.addTask {
                    for index in stride(from: worker, to: count, by: width) {
                        try await body(index)
                    }
                }
            }
            try await group.waitForAll()
        }
        let used = processorTime() - processor
        return Pace(
            rate: Double(count) / ((ContinuousClock.now - start) / .seconds(1)),
            processor: used * 1e3 / Double(count))
    }
}
