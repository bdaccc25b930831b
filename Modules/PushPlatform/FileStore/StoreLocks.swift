import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension FileStore {
    /// An open lock file; `Disk.unlock` gives it back, as does the end of the process.
    struct Lock: Sendable {
        let name: String
        let file: Int32
    }

    /// One record in 16 shares a lock. None depends on a key, so that a rotation doesn't change it.
    static let lockNames = (0..<16).map { String($0, radix: 16) }
    /// Held while the store is made, or its keys are rotated.
    static let storeLock = "store"

    func lock(
        of key: RecordKey, patience: Duration? = nil
    ) async throws(PushError) -> Lock {
        let digest = SHA256.hash(data: Data(Bytes.prefixed(key.collection) + key.name.utf8))
        let name = Self.lockNames[Int(digest.first { _ in true } ?? 0) & 15]
        return try await Self.lock(name, in: root, disk, patience ?? self.patience)
    }

    /// Waits for a lock, without holding up the thread.
    static func lock(
        _ name: String, in root: String, _ disk: Disk, _ patience: Duration
    ) async throws(PushError) -> Lock {
        let path = "\(root)/locks/\(name)"
        let file = try disk.openLock(path)
        let end = ContinuousClock.now + patience
        var pause = 1.0
        do throws(PushError) {
            while try !disk.tryLock(file, path) {
                guard ContinuousClock.now < end else {
                    throw PushError(
                        .storage,
                        "Another process has held the lock \(path) for \(patience). "
                            + "`lsof \(path)` says which; it may have been stopped.")
                }
                let duration = Duration.milliseconds(Double.random(in: pause / 2...pause))
                // A task of its own: in a cancelled one, a sleep returns at once.
                await Task { try? await Task.sleep(for: duration) }.value
                pause = min(pause * 2, 16)
            }
        } catch {
            disk.shut(file)
            throw error
        }
        return Lock(name: name, file: file)
    }
}
