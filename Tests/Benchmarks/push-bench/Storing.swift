import Foundation
import Harness
import PushCore

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
    let store: any CredentialStore
    let key = RecordKey("enrollment", "7")
    let value = Secret([UInt8](repeating: 0x5A, count: 4800))
    private let folder: StoreFolder

    init(_ count: Int) async throws {
        folder = try StoreFolder(in: StoreFolder.memory)
        store = try await folder.newStore("filled")
        for number in 0..<count {
            try await store.write(
                value, for: RecordKey("enrollment", "\(number)"), replacing: nil)
        }
    }
}
