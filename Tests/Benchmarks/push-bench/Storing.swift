import Foundation
import Harness
import PushCore
import PushPlatform

/// What a record costs in a store of few and of many: it should be the same.
func storing() async throws -> [Comparison] {
    var stores: [(count: Int, store: Filled)] = []
    for count in [10, 10_000] { stores.append((count, try await Filled(count))) }
    var reading = Comparison("FileStore: read a record")
    var writing = Comparison("FileStore: read and replace a record")
    for (count, filled) in stores {
        reading.add("of \(count) enrollments") {
            keep(try await filled.store.read(filled.key))
        }
        writing.add("of \(count) enrollments") {
            let revision = try await filled.store.read(filled.key)?.revision
            try await filled.store.write(filled.value, for: filled.key, replacing: revision)
        }
    }
    return [reading, writing]
}

/// A store of enrollments in a directory of its own, which goes with it.
///
/// In memory where there is a file system for that: what a disk takes to sync isn't the store's.
private final class Filled: Sendable {
    let store: FileStore
    let key = RecordKey("enrollment", "7")
    let value = Secret([UInt8](repeating: 0x5A, count: 4800))
    private let directory: URL

    init(_ count: Int) async throws {
        let memory = URL(fileURLWithPath: "/dev/shm")
        let base =
            FileManager.default.fileExists(atPath: memory.path)
            ? memory : FileManager.default.temporaryDirectory
        directory = base.appendingPathComponent("push-bench-\(UUID().uuidString)")
        let sealing = Secret([UInt8](repeating: 7, count: 32))
        store = try await FileStore(
            at: directory.path, key: FileStore.KeySource { () async throws(PushError) in sealing })
        for number in 0..<count {
            try await store.write(
                value, for: RecordKey("enrollment", "\(number)"), replacing: nil)
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }
}
