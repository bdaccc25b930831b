import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPlatform

/// Whether work waits in a record is told by the first bytes of its file.
struct FileStoreWaitingTests {
    private let collection = "enrollment"

    private func key(_ number: Int) -> RecordKey { RecordKey(collection, "row \(number)") }

    private func fill(_ store: FileStore, resting: Int, waiting: Int) async throws {
        for number in 0..<resting + waiting {
            try await store.write(
                Secret([1]), for: key(number), replacing: nil, waits: number >= resting)
        }
    }

    @Test func `whoever looks for what waits reads heads, and no name of the others`()
        async throws
    {
        let fixture = try StoreFixture()
        let faults = Faults()
        let store = try await fixture.open(faults: faults)
        try await fill(store, resting: 200, waiting: 3)
        faults.begin(.none)
        let names = try await store.names(in: collection, waiting: true)
        #expect(Set(names) == Set((200..<203).map { key($0).name }))
        // One small read for each file, and the header's status.
        #expect(faults.calls.filter { $0.call == .read }.count == 203)
        #expect(faults.calls.filter { $0.call == .fsync || $0.call == .flock }.isEmpty)
        #expect(try await store.names(in: collection).count == 203)
        // Another process, which has written none of them, is told the same.
        #expect(try await fixture.open().names(in: collection, waiting: true).count == 3)
    }

    @Test func `a record in which work waits costs a write what any other does`() async throws {
        let fixture = try StoreFixture()
        let faults = Faults()
        let store = try await fixture.open(faults: faults)
        try await fill(store, resting: 0, waiting: 2)
        var calls: [[Disk.Call]] = []
        for waits in [false, true] {
            let key = key(waits ? 1 : 0)
            let revision = try await store.read(key)?.revision
            faults.begin(.none)
            try await store.write(Secret([2]), for: key, replacing: revision, waits: waits)
            calls.append(faults.calls.map(\.call))
        }
        #expect(calls[0] == calls[1])
    }

    @Test func `killed at any call of a write, work waits in a record as its value says`()
        async throws
    {
        var number = 0
        while true {
            let fixture = try StoreFixture()
            let faults = Faults()
            let store = try await fixture.open(faults: faults)
            try await fill(store, resting: 0, waiting: 1)
            let revision = try await store.read(key(0))?.revision
            faults.begin(.stop(at: number))
            _ = try? await store.write(
                Secret([2]), for: key(0), replacing: revision, waits: false)
            let wasKilled = faults.calls.count > number
            let next = try await fixture.open()
            let isNew = try await next.bytes(key(0)) == [2]
            let names = try await next.names(in: collection, waiting: true)
            #expect(names.isEmpty == isNew, "Killed at call \(number).")
            guard wasKilled else { break }
            number += 1
        }
        #expect(number >= 5)
    }

    @Test func `in a file whose head can't be read work may wait`() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.open()
        try await fill(store, resting: 4, waiting: 0)
        let paths = [
            try await fixture.path(of: key(0)), try await fixture.path(of: key(1)),
            try await fixture.path(of: key(2)),
        ]
        try fixture.put([], at: paths[0])
        try fixture.put(Array(try fixture.contents(paths[1]).prefix(17)), at: paths[1])
        var newer = try fixture.contents(paths[2])
        newer[4] = 2
        newer[5] = ~2
        try fixture.put(newer, at: paths[2])
        let names = try await store.names(in: collection, waiting: true)
        #expect(Set(names) == Set((0..<3).map { key($0).name }))
        // One that was set aside as damaged as well.
        _ = try await refusal { _ = try await store.read(key(0)) }
        #expect(try await store.names(in: collection, waiting: true).count == 3)
    }

    @Test func `a rotation keeps in what work waits, and the revisions`() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.open()
        try await fill(store, resting: 2, waiting: 1)
        let revision = try await store.read(key(0))?.revision
        try await store.rotate(to: StoreFixture.key(1))
        #expect(try await store.names(in: collection, waiting: true) == [key(2).name])
        #expect(try await store.read(key(0))?.revision == revision)
        try await store.write(Secret([3]), for: key(0), replacing: revision, waits: true)
        #expect(try await store.names(in: collection, waiting: true).count == 2)
    }
}
