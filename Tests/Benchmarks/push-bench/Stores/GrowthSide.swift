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
        let (start, used) = (ContinuousClock.now, processorTime())
        try await atOnce(phones.map { phone in { try await phone.approve() } })
        guard isCounted else { return }
        let each = Double(phones.count)
        processor.append((processorTime() - used) / each)
        times.append((ContinuousClock.now - start) / .milliseconds(1) / each)
    }

    /// The side's line: its times by those of another side in the same turns, the median of the ratios.
    func row(beside first: GrowthSide) -> String {
        let columns = [(times, first.times), (processor, first.processor)].map { own, others in
            let ratio = middle(zip(own, others).map { $0 / $1 })
            return String(format: "%.2f (%.2f ms)", ratio, middle(own))
        }
        return "| \(name) | " + columns.joined(separator: " | ") + " |"
    }
}

/// The middle one of an odd number of values, or the upper one of the two.
func middle(_ numbers: [Double]) -> Double { numbers.sorted()[numbers.count / 2] }

/// What this process has used of the processors, in milliseconds; a server's share isn't in it.
func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
}

/// A folder with a store of files for each tenant, which goes with it.
final class StoreFolder: StoreServer {
    static let name = "FileStore"

    /// Where files are in memory, if there is a file system for that.
    static let memory =
        FileManager.default.fileExists(atPath: "/dev/shm")
        ? URL(fileURLWithPath: "/dev/shm") : FileManager.default.temporaryDirectory

    private let folder: URL

    init(in base: URL = FileManager.default.temporaryDirectory) throws {
        folder = base.appendingPathComponent("push-bench-\(UUID().uuidString)")
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
