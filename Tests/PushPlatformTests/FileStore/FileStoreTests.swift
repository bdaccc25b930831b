import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPlatform

struct FileStoreTests {
    @Test func `the store of files conforms, and is left as it was`() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.open()
        try await store.put([1], .ada)
        #expect(await CredentialStoreConformance(store).check() == [])
        #expect(try await store.bytes(.ada) == [1])
        #expect(try await fixture.open().names(in: "claim/acme") == ["ada"])
    }

    @Test func `of two stores on one directory that compare and set at once one wins`() async throws
    {
        let fixture = try StoreFixture()
        let stores = [try await fixture.open(), try await fixture.open()]
        try await stores[0].put([0], .ada)
        for round in UInt8(1)...50 {
            let revision = try await stores[0].read(.ada)?.revision
            let winners: [Int] = await withTaskGroup(of: Int?.self) { group in
                for (index, store) in stores.enumerated() {
                    group.addTask {
                        let value = Secret([round, UInt8(index)])
                        let error = await errorIfAny {
                            try await store.write(value, for: .ada, replacing: revision)
                        }
                        return error == nil ? index : nil
                    }
                }
                return await group.reduce(into: []) { winners, index in
                    if let index { winners.append(index) }
                }
            }
            #expect(winners.count == 1)
            #expect(try await stores[1].bytes(.ada) == winners.first.map { [round, UInt8($0)] })
        }
    }

    @Test func `two spellings of a collection are two collections`() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.open()
        let keys = ["caf\u{E9}", "cafe\u{301}"].map { RecordKey($0, "ada") }
        try await store.put([0], keys[0])
        #expect(try await store.read(keys[1]) == nil)
        try await store.put([1], keys[1])
        for store in [store, try await fixture.open()] {
            for (index, key) in keys.enumerated() {
                #expect(try await store.bytes(key) == [UInt8(index)])
                #expect(try await store.names(in: key.collection) == ["ada"])
            }
        }
    }

    @Test func `no name and no value is in the directory in clear`() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.open()
        let marks = ["claim/acme", "adalovelace", "attack at dawn", "verylongname"]
        let names = [marks[1], String(repeating: marks[3], count: 50)]
        for name in names { try await store.put(Array(marks[2].utf8), RecordKey(marks[0], name)) }
        let found = try fixture.everything()
        #expect(found.count > 2)
        for (path, data) in found {
            for mark in marks {
                #expect(!path.contains(mark) && data.range(of: Data(mark.utf8)) == nil)
            }
        }
        #expect(try await Set(fixture.open().names(in: marks[0])) == Set(names))
    }

    @Test func `the directory and its files are their owner's alone`() async throws {
        let fixture = try StoreFixture()
        try await fixture.open().put([1], .ada)
        #expect(try fixture.mode(fixture.root) == 0o700)
        for path in try fixture.everything().keys {
            let mode = try fixture.mode("\(fixture.root)/\(path)")
            #expect(mode == 0o600 || mode == 0o700)
        }
        #expect(try fixture.mode(try await fixture.path(of: .ada)) == 0o600)
    }

    @Test func `writers of one store try a lock once each, however many want it`() async throws {
        let fixture = try StoreFixture()
        let faults = Faults()
        let store = try await fixture.open(faults: faults)
        faults.begin(.none)
        // Some dozen of them for each of the locks.
        let count = 400
        try await withThrowingTaskGroup { group in
            for number in 0..<count {
                group.addTask {
                    try await store.put([1], RecordKey("claim/acme", "\(number)"))
                }
            }
            try await group.waitForAll()
        }
        #expect(faults.calls.filter { $0.call == .flock }.count == count)
        #expect(try await store.names(in: "claim/acme").count == count)
    }

    @Test func `a value larger than 64 MiB is refused`() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.open()
        let value = Secret(count: 1 << 26 + 1) { _ in }
        #expect(
            try await refusal { try await store.write(value, for: .ada, replacing: nil) }.code
                == .invalidArgument)
        #expect(try await store.names(in: "claim/acme") == [])
    }

    @Test func `a store whose directory goes isn't taken for an empty one`() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.open()
        try await store.put([1], .ada)
        try FileManager.default.removeItem(atPath: fixture.root)
        #expect(try await refusal { _ = try await store.read(.ada) }.code == .storage)
        #expect(
            try await refusal { _ = try await store.names(in: "claim/acme") }.code == .storage)
        #expect(try await refusal { try await store.put([2], .ada) }.code == .storage)
    }

    @Test func `a writer that waits too long for another is told whom to look for`() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.open(patience: .milliseconds(20))
        let held = try await store.lock(of: .ada)
        let error = try await refusal { try await store.put([1], .ada) }
        #expect(error.code == .storage)
        #expect(error.reason.contains("\(fixture.root)/locks/\(held.name)"))
        #expect(try await store.read(.ada) == nil)
        store.disk.unlock(held.file)
        try await store.put([1], .ada)
    }

    @Test func `a lock that was given back is free, though a process just started has a copy`()
        async throws
    {
        let fixture = try StoreFixture()
        let store = try await fixture.open()
        let held = try await store.lock(of: .ada)
        // What fork(2) makes: another descriptor of the same open file.
        let copy = dup(held.file)
        defer { store.disk.shut(copy) }
        store.disk.unlock(held.file)
        let again = try await store.lock(of: .ada, patience: .zero)
        store.disk.unlock(again.file)
    }

    @Test func `a read and a write cost the same number of calls with many records`() async throws {
        let fixture = try StoreFixture()
        let faults = Faults()
        let store = try await fixture.open(faults: faults)
        func cost() async throws -> [Disk.Call] {
            faults.begin(.none)
            _ = try await store.read(.ada)
            try await store.put([1], .ada)
            return faults.calls.map(\.call)
        }
        try await store.put([1], .ada)
        let few = try await cost()
        for index in 0..<200 { try await store.put([1], RecordKey("claim/acme", "\(index)")) }
        #expect(try await cost() == few)
        faults.begin(.none)
        _ = try await store.read(.ada)
        #expect(faults.calls.map(\.call) == [.stat, .open, .stat, .read])
    }

    @Test func `a write reaches the disk before its name does, and the name before it returns`()
        async throws
    {
        let fixture = try StoreFixture()
        let faults = Faults()
        let store = try await fixture.open(faults: faults)
        try await store.put([1], .ada)
        faults.begin(.none)
        try await store.put([2], .ada)
        let calls = faults.calls.map(\.call).filter { [.write, .fsync, .rename].contains($0) }
        #expect(calls == [.write, .fsync, .rename, .fsync])
        #expect(faults.calls.last?.call == .fsync)
    }
}
