import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPlatform

struct FileStoreRotationTests {
    private let old = StoreFixture.key(0)
    private let new = StoreFixture.key(1)
    private let keys: [RecordKey] = [
        .ada, .bob, .long, RecordKey(String(repeating: "collection", count: 30), "a"),
        RecordKey("empty", ""),
    ]

    /// A store with some records, one of them damaged and set aside, one damaged and not yet found.
    private func fill(_ fixture: StoreFixture) async throws -> [RecordKey: Revision] {
        let store = try await fixture.open()
        var revisions: [RecordKey: Revision] = [:]
        for (index, key) in keys.enumerated() {
            try await store.put([UInt8(index)], key)
            revisions[key] = try await store.read(key)?.revision
        }
        for (key, isFound) in [(RecordKey("x", "found"), true), (RecordKey("x", "hidden"), false)] {
            try await store.put([0], key)
            try fixture.put([0], at: try await fixture.path(of: key))
            if isFound { _ = try await refusal { _ = try await store.read(key) } }
        }
        return revisions
    }

    private func check(
        _ store: FileStore, _ revisions: [RecordKey: Revision]
    ) async throws {
        for (index, key) in keys.enumerated() {
            #expect(try await store.bytes(key) == [UInt8(index)])
            #expect(try await store.read(key)?.revision == revisions[key])
        }
        for name in ["found", "hidden"] {
            #expect(
                try await refusal { _ = try await store.read(RecordKey("x", name)) }.code
                    == .malformed
            )
        }
        #expect(try await Set(store.names(in: "claim/acme")) == Set(keys[..<3].map(\.name)))
        #expect(try await Set(store.names(in: "x")) == ["found", "hidden"])
    }

    @Test func `after a rotation the new key alone opens the store, and all is there`() async throws
    {
        let fixture = try StoreFixture()
        let revisions = try await fill(fixture)
        let store = try await fixture.open()
        try await store.rotate(to: new)
        try await check(store, revisions)
        try await check(try await fixture.open(new), revisions)
        try await store.put([7], .ada)
        let error = try await refusal { _ = try await fixture.open(old) }
        let ids = [try await old.keys().id, try await new.keys().id]
        #expect(error.code == .storage)
        for id in ids { #expect(error.reason.contains(id)) }
        let before = try fixture.everything()
        try await store.rotate(to: new)
        #expect(try fixture.everything() == before)
        try await fixture.open(new).rotate(to: old)
        #expect(try await fixture.open(old).bytes(.ada) == [7])
    }

    @Test func `a store value that knows only the old key gets an error, never an empty store`()
        async throws
    {
        let fixture = try StoreFixture()
        let revisions = try await fill(fixture)
        let stale = try await fixture.open()
        _ = try await stale.read(.ada)
        try await fixture.open().rotate(to: new)
        for error in [
            try await refusal { _ = try await stale.read(.ada) },
            try await refusal { _ = try await stale.names(in: "claim/acme") },
            try await refusal { try await stale.write(nil, for: .ada, replacing: revisions[.ada]) },
            try await refusal { try await stale.discard(RecordKey("x", "found")) },
        ] {
            #expect(error.code == .storage)
            #expect(error.reason.contains(try await new.keys().id))
        }
        let ready = try await fixture.open(new, previous: [old])
        try await check(ready, revisions)
    }

    @Test func `a rotation stopped at any call loses nothing, and is finished by another`()
        async throws
    {
        try await sweep { .stop(at: $0) }
    }

    @Test func `a rotation that fails at any call loses nothing, and is finished by another`()
        async throws
    {
        try await sweep { .fail(at: $0, ENOSPC) }
    }

    private func sweep(_ plan: (Int) -> Faults.Plan) async throws {
        for index in 0..<1000 {
            let fixture = try StoreFixture()
            let revisions = try await fill(fixture)
            let faults = Faults()
            let store = try await fixture.open(faults: faults)
            faults.begin(plan(index))
            let error = await errorIfAny { try await store.rotate(to: new) }
            let count = faults.calls.count
            faults.begin(.none)
            try await check(store, revisions)
            let reopened = try await fixture.open(new, previous: [old])
            try await check(reopened, revisions)
            try await reopened.rotate(to: new)
            let rotated = try await fixture.open(new)
            try await check(rotated, revisions)
            try await rotated.put([7], .ada)
            if error == nil, count <= index { return }
        }
        Issue.record("the rotation never ended")
    }

    @Test func `between the keys, records are read, not written, and both keys are asked for`()
        async throws
    {
        let fixture = try StoreFixture()
        let revisions = try await fill(fixture)
        let faults = Faults()
        let store = try await fixture.open(faults: faults)
        faults.begin(.stop(at: 150))
        #expect(try await refusal { try await store.rotate(to: new) }.code == .storage)
        for (key, missing) in [(old, new), (new, old)] {
            let error = try await refusal { _ = try await fixture.open(key) }
            #expect(error.code == .storage)
            #expect(error.reason.contains(try await missing.keys().id))
        }
        let both = try await fixture.open(old, previous: [new])
        try await check(both, revisions)
        for error in [
            try await refusal { try await both.put([7], .ada) },
            try await refusal { try await both.rotate(to: StoreFixture.key(2)) },
        ] {
            #expect(error.code == .storage && error.reason.contains("finish"))
        }
        try await both.rotate(to: new)
        try await both.put([7], .ada)
    }

    @Test func `a file that can't be told a name stops a rotation before it begins`() async throws {
        let fixture = try StoreFixture()
        let store = try await fixture.open()
        try await store.put([1], .ada)
        try await store.put([1], .long)
        try fixture.put([], at: try await fixture.path(of: .long))
        let header = try fixture.contents(fixture.root + "/header")
        #expect(try await refusal { try await store.rotate(to: new) }.code == .storage)
        #expect(try fixture.contents(fixture.root + "/header") == header)
        try await store.discard(.long)
        try await store.rotate(to: new)
        #expect(try await fixture.open(new).bytes(.ada) == [1])
    }

    @Test func `readers and writers with both keys see a rotation as one step`() async throws {
        let fixture = try StoreFixture()
        let revisions = try await fill(fixture)
        let other = try await fixture.open(old, previous: [new])
        let store = try await fixture.open()
        async let rotation: Void = store.rotate(to: new)
        for _ in 0..<50 { try await check(other, revisions) }
        try await rotation
        try await check(other, revisions)
        try await other.put([7], .ada)
        #expect(try await store.bytes(.ada) == [7])
    }

    @Test func `a header whose lines were swapped or left out is found, not taken for done`()
        async throws
    {
        let fixture = try StoreFixture()
        _ = try await fill(fixture)
        let (one, two) = (try await old.keys(), try await new.keys())
        let both = try StoreHeader(one, next: two)
        let next = try #require(both.next)
        let forged = [StoreHeader(key: next, next: both.key), StoreHeader(key: next)]
        for header in forged {
            try fixture.put(Array(header.text.utf8), at: fixture.root + "/header")
            for (key, other) in [(old, new), (new, old)] {
                let error = try await refusal { _ = try await fixture.open(key, previous: [other]) }
                #expect(error.code == .storage && error.reason.contains("damaged"))
            }
        }
        try fixture.put(Array(both.text.utf8), at: fixture.root + "/header")
        let store = try await fixture.open(new, previous: [old])
        try await store.rotate(to: new)
        #expect(try await store.bytes(.ada) == [0])
    }
}
