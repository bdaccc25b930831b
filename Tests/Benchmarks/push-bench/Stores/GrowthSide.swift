import Foundation
import PushCore
import PushPlatform

/// Logins of one kind, and what each took.
struct GrowthSide {
    private let name: String
    private let phones: [Approver]
    private var times: [Double] = []
    private var processor: [Double] = []

    init(_ name: String, _ phones: [Approver]) {
        self.name = name
        self.phones = phones
    }

    /// Makes a login on each device, all at once.
    mutating func logIn(isCounted: Bool) async throws {
        let (start, used) = (ContinuousClock.now, Self.processorTime())
        try await atOnce(phones.map { phone in { try await phone.approve() } })
        guard isCounted else { return }
        let each = Double(phones.count)
        processor.append((Self.processorTime() - used) / each)
        times.append((ContinuousClock.now - start) / .milliseconds(1) / each)
    }

    /// The side's line: its times by those of another side in the same turns, the median of the ratios.
    func row(beside first: GrowthSide) -> String {
        let columns = [(times, first.times), (processor, first.processor)].map { own, others in
            let ratio = Self.middle(zip(own, others).map { $0 / $1 })
            return String(format: "%.2f (%.2f ms)", ratio, Self.middle(own))
        }
        return "| \(name) | " + columns.joined(separator: " | ") + " |"
    }

    private static func middle(_ numbers: [Double]) -> Double {
        numbers.sorted()[numbers.count / 2]
    }

    /// What this process has used of the processors, in milliseconds; a server's share isn't in it.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
    }
}

/// A folder with a store of files for each tenant, on this machine's disk, which goes with it.
final class StoreFolder: StoreServer {
    static let name = "FileStore"
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("push-bench-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func newStore(_ tenant: String) async throws -> any CredentialStore {
        let key = Secret([UInt8](repeating: 7, count: 32))
        return try await FileStore(
            at: folder.appendingPathComponent(tenant).path,
            key: KeySource { () async throws(PushError) in key })
    }
}
