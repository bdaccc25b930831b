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

    /// Runs a closure while a record's lock is held. Tasks of one store value wait for it in order, and
    /// only the first of them tries the file: a try that fails costs a pause.
    ///
    /// - Throws: What `body` throws; `PushError` with the code `storage` if another process keeps the
    ///   lock for longer than the store's patience.
    func holding<Value>(
        _ key: RecordKey, _ body: (Lock) async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let name = Self.lockName(of: key)
        let end = ContinuousClock.now + patience
        await queues.enter(name)
        do throws(PushError) {
            let value = try await holding(name, until: end, body)
            await queues.leave(name)
            return value
        } catch {
            await queues.leave(name)
            throw error
        }
    }

    private func holding<Value>(
        _ name: String, until end: ContinuousClock.Instant,
        _ body: (Lock) async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let lock = try await Self.lock(name, in: root, disk, until: end, patience)
        defer { disk.unlock(lock.file) }
        return try await body(lock)
    }

    /// Takes a record's lock, beside ``holding(_:_:)`` and as another process would.
    func lock(
        of key: RecordKey, patience: Duration? = nil
    ) async throws(PushError) -> Lock {
        try await Self.lock(Self.lockName(of: key), in: root, disk, patience ?? self.patience)
    }

    private static func lockName(of key: RecordKey) -> String {
        let digest = SHA256.hash(data: Data(Bytes.prefixed(key.collection) + key.name.utf8))
        return lockNames[Int(digest.first { _ in true } ?? 0) & 15]
    }

    /// Waits for a lock, without holding up the thread.
    static func lock(
        _ name: String, in root: String, _ disk: Disk, _ patience: Duration
    ) async throws(PushError) -> Lock {
        try await lock(name, in: root, disk, until: ContinuousClock.now + patience, patience)
    }

    private static func lock(
        _ name: String, in root: String, _ disk: Disk, until end: ContinuousClock.Instant,
        _ patience: Duration
    ) async throws(PushError) -> Lock {
        let path = "\(root)/locks/\(name)"
        let file = try disk.openLock(path)
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

/// Who of one store value comes next at each lock, first come, first served.
///
/// Waiting here ends with the holder's work, which nothing cancels: a write that has begun is finished.
actor LockQueues {
    /// Those who wait for a lock that is held.
    private var waiting: [String: [CheckedContinuation<Void, Never>]] = [:]

    func enter(_ name: String) async {
        guard waiting[name] != nil else {
            waiting[name] = []
            return
        }
        await withCheckedContinuation { waiting[name]?.append($0) }
    }

    func leave(_ name: String) {
        if waiting[name]?.isEmpty == false {
            waiting[name]?.removeFirst().resume()
        } else {
            waiting[name] = nil
        }
    }
}
