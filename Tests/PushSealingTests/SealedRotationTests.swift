import Foundation
import PushCore
import PushPlatform
import PushTesting
import Testing

@testable import PushSealing

struct SealedRotationTests {
    private let base = InMemoryStore()
    private let clock = ManualClock(Date(timeIntervalSince1970: 0))

    private func open(
        _ key: UInt8, _ others: [UInt8] = [], over base: (any CredentialStore)? = nil
    ) async throws(PushError) -> SealedStore {
        try await SealedStore.opened(
            over: base ?? self.base, key: key, others: others, headerAge: .seconds(30),
            clock: { [clock] in clock.elapsed })
    }

    private func keyIDs() async throws -> Set<String> {
        var ids: Set<String> = []
        for record in try await base.page(after: nil, limit: 1000).records
        where record.key != SealedHeader.key {
            let bytes = try record.content.get()?.value.withBytes { Array($0) } ?? []
            ids.insert(SealedRecord.keyID(in: bytes) ?? "none")
        }
        return ids
    }

    @Test func `a change of keys loses nothing while two processes write`() async throws {
        let (one, other) = (try await open(0, [1]), try await open(0, [1]))
        for index in 0..<40 {
            let key = RecordKey("row", "\(index % 10)/\(index)")
            try await one.write(
                Secret([0]), for: key, replacing: nil, waits: index.isMultiple(of: 4))
        }
        let counter = RecordKey("counter", "a")
        try await one.write(Secret([0]), for: counter, replacing: nil)
        let raising = [one, other].map { store in
            Task {
                for index in 0..<100 {
                    try await raise(counter, in: store)
                    let key = RecordKey("new", "\(index % 7)")
                    if try await store.read(key) == nil {
                        _ = try? await store.write(Secret([7]), for: key, replacing: nil)
                    }
                    await Task.yield()
                }
            }
        }
        try await one.rotate(to: Sample.key(1)) { () async throws(PushError) in
            for task in raising { _ = await task.result }
        }
        for task in raising { try await task.value }
        #expect(try await keyIDs() == [try await Sample.key(1).keys(for: .records).id])
        // The old key is given up, and nothing is lost.
        #expect(try await refusal { try await open(0) }.code == .storage)
        let after = try await open(1)
        #expect(try await after.names(in: "row").count == 40)
        #expect(try await after.names(in: "row", waiting: true).count == 10)
        #expect(try await after.bytes(counter) == [200])
        #expect(try await after.names(in: "new").count == 7)
    }

    private func raise(_ key: RecordKey, in store: SealedStore) async throws {
        for _ in 0..<10_000 {
            let (value, revision) = try #require(try await store.read(key))
            let next = value.withBytes { $0[0] + 1 }
            let result = await Result { () async throws(PushError) in
                try await store.write(Secret([next]), for: key, replacing: revision)
            }
            switch result {
            case .success: return
            case .failure(let error) where error.code == .conflict: await Task.yield()
            case .failure(let error): throw error
            }
        }
    }

    @Test func `a process that seals with the old key is found out in half a minute`() async throws
    {
        let (one, late) = (try await open(0, [1]), try await open(0, [1]))
        let key = RecordKey("row", "late")
        let clock = clock
        try await one.rotate(to: Sample.key(1)) { () async throws(PushError) in
            // It has not read the header again.
            let revision = try await late.write(Secret([1]), for: key, replacing: nil)
            let old = try await Sample.key(0).keys(for: .records).id
            #expect((try? await keyIDs()) == [old])
            clock.advance(by: .seconds(31))
            try await late.write(Secret([2]), for: key, replacing: revision)
            #expect((try? await keyIDs())?.contains(old) == false)
        }
        #expect(try await late.bytes(key) == [2])
    }

    @Test func `an unknown key makes the header be read again, and then is storage`() async throws {
        let (one, other) = (try await open(0, [1]), try await open(0, [1]))
        let key = RecordKey("row", "a")
        let ignorant = try await open(0)
        try await one.rotate(to: Sample.key(1)) { () async throws(PushError) in }
        try await one.write(Secret([1]), for: key, replacing: nil)
        // It knows only the header from before.
        #expect(try await other.bytes(key) == [1])
        let error = try await refusal { try await ignorant.read(key) }
        #expect(error.code == .storage)
        #expect(error.reason.contains(try await Sample.key(1).keys(for: .records).id))
        #expect(try await refusal { try await ignorant.read(all: [key]) }.code == .storage)
    }

    @Test func `what a key sealed that was given up is refused, not opened`() async throws {
        let one = try await open(0, [1])
        let key = RecordKey("row", "a")
        try await one.write(Secret([1]), for: key, replacing: nil)
        let place = try await one.place(of: key)
        let old = try #require(try await base.bytes(place))
        try await one.rotate(to: Sample.key(1)) { () async throws(PushError) in }
        try await base.force(old, at: place)
        #expect(try await refusal { try await one.read(key) }.code == .storage)
    }

    @Test func `a change that was interrupted is finished by the next call`() async throws {
        let one = try await open(0, [1])
        let keys = (0..<250).map { RecordKey("row", "\($0)") }
        for key in keys { try await one.write(Secret([1]), for: key, replacing: nil) }
        let error = try await refusal {
            try await one.rotate(to: Sample.key(1)) { () async throws(PushError) in
                throw PushError(.cancelled, "Killed.")
            }
        }
        #expect(error.code == .cancelled)
        let other = try await open(1, [0])
        for key in keys { #expect(try await other.bytes(key) == [1]) }
        try await other.rotate(to: Sample.key(1)) { () async throws(PushError) in }
        #expect(try await keyIDs() == [try await Sample.key(1).keys(for: .records).id])
        // Nothing is left to do.
        let before = try await base.read(SealedHeader.key)?.revision
        try await other.rotate(to: Sample.key(1)) { () async throws(PushError) in
            Issue.record("There is nothing to wait for.")
        }
        #expect(try await base.read(SealedHeader.key)?.revision == before)
    }

    @Test func `a header that is lost after a change isn't made again, so nothing looks empty`()
        async throws
    {
        let key = RecordKey("row", "a")
        let one = try await open(0, [1])
        try await one.write(Secret([5]), for: key, replacing: nil)
        try await one.rotate(to: Sample.key(1)) { () async throws(PushError) in }
        let (header, revision) = try #require(try await base.read(SealedHeader.key))
        try await base.write(nil, for: SealedHeader.key, replacing: revision)
        for keys in [(UInt8(1), []), (1, [UInt8(0)]), (2, [])] {
            let error = try await refusal { try await open(keys.0, keys.1) }
            #expect(error.code == .storage && error.reason.contains("is gone"))
        }
        #expect(try await base.read(SealedHeader.key) == nil)
        try await base.write(header, for: SealedHeader.key, replacing: nil)
        #expect(try await open(1).bytes(key) == [5])
    }

    @Test func `a damaged record stays as it is, and stops nothing`() async throws {
        let one = try await open(0, [1])
        let (damaged, whole) = (RecordKey("row", "a"), RecordKey("row", "b"))
        for key in [damaged, whole] { try await one.write(Secret([1]), for: key, replacing: nil) }
        let place = try await one.place(of: damaged)
        var bytes = try #require(try await base.bytes(place))
        bytes[bytes.count - 1] ^= 1
        try await base.force(bytes, at: place)
        try await one.rotate(to: Sample.key(1)) { () async throws(PushError) in }
        #expect(try await base.bytes(place) == bytes)
        #expect(try await one.bytes(whole) == [1])
    }

    @Test func `a store behind that can't list everything changes no keys`() async throws {
        let store = try await open(0, [1], over: CountingStore(InMemoryStore()))
        let error = try await refusal { try await store.rotate(to: Sample.key(1)) }
        #expect(error.code == .unsupported)
    }
}
