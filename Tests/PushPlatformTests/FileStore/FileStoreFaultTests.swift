import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPlatform

/// What is left after a call of the system fails, or is the last before the process is killed.
struct FileStoreFaultTests {
    /// One change of a record, and what may be found after it failed.
    enum Change: CaseIterable {
        case create, replace, delete, createInNewCollection

        var key: RecordKey { self == .createInNewCollection ? RecordKey("new", "a") : .ada }
        var before: [UInt8]? { self == .replace || self == .delete ? [1] : nil }
        var after: [UInt8]? { self == .delete ? nil : Array(repeating: 2, count: 1000) }
    }

    /// Runs a change with a fault at each of its calls in turn.
    private func sweep(
        _ change: Change, _ plan: (Int) -> Faults.Plan,
        _ check: (StoreFixture, FileStore, PushError) async throws -> Void
    ) async throws {
        for index in 0..<100 {
            let fixture = try StoreFixture()
            let faults = Faults()
            let store = try await fixture.open(faults: faults)
            try await store.put([9], .bob)
            if let before = change.before { try await store.put(before, change.key) }
            let revision = try await store.read(change.key)?.revision
            faults.begin(plan(index))
            let error = await errorIfAny {
                try await store.write(
                    change.after.map { Secret($0) }, for: change.key, replacing: revision)
            }
            let count = faults.calls.count
            faults.begin(.none)
            guard let error else {
                // A fault may hit a call whose failure changes nothing, such as clearing up.
                if count <= index { return }
                #expect(try await fixture.open().bytes(change.key) == change.after)
                continue
            }
            try await check(fixture, store, error)
        }
        Issue.record("the change never ended")
    }

    @Test(arguments: Change.allCases, [ENOSPC, EIO, EACCES, EROFS, EMFILE])
    func `a failed call leaves the old or the new value, and the store usable`(
        change: Change, code: Int32
    ) async throws {
        try await sweep(change, { .fail(at: $0, code) }) { _, store, error in
            #expect(error.reason.contains(SystemError(code: code).cause))
            let found = try await store.bytes(change.key)
            switch error.code {
            case .storageUnknown: #expect(found == change.after)
            case .storage: #expect(found == change.before)
            default: Issue.record("\(error)")
            }
            #expect(try await store.bytes(.bob) == [9])
            try await store.put([3], change.key)
            #expect(try await store.bytes(change.key) == [3])
        }
    }

    @Test(arguments: Change.allCases)
    func `a disk that fills up in the middle of a write keeps the old value`(
        change: Change
    ) async throws {
        try await sweep(change, { .short(at: $0, ENOSPC) }) {
            (fixture, store, error) async throws in
            #expect(error.code == .storage || error.code == .storageUnknown)
            if error.code == .storage {
                #expect(try await store.bytes(change.key) == change.before)
                #expect(try fixture.temporaries().isEmpty)
            }
        }
    }

    @Test(arguments: Change.allCases)
    func `killed at any call, the old or the new value is wholly there`(
        change: Change
    ) async throws {
        try await sweep(change, { .stop(at: $0) }) { fixture, _, _ in
            let store = try await fixture.open()
            let found = try await store.bytes(change.key)
            #expect(found == change.before || found == change.after)
            #expect(try await store.names(in: change.key.collection).count <= 2)
            #expect(try await store.bytes(.bob) == [9])
            #expect(try fixture.temporaries().isEmpty)
            try await store.put([3], change.key)
            #expect(try await store.bytes(change.key) == [3])
        }
    }

    @Test func `a folder that another process made and left unsynced is synced by a write`()
        async throws
    {
        let fixture = try StoreFixture()
        let faults = Faults()
        let (one, other) = (try await fixture.open(faults: faults), try await fixture.open())
        // The folder is there, and its maker is killed before that is durable.
        faults.begin(.every(.fsync, EIO))
        #expect(try await refusal { try await one.put([1], .ada) }.code == .storage)
        let folder = (try await fixture.path(of: .ada) as NSString).deletingLastPathComponent
        #expect(try fixture.mode(folder) == 0o700)
        #expect(try await other.bytes(.ada) == nil)

        let calls = Faults()
        let third = try await fixture.open(faults: calls)
        calls.begin(.none)
        try await third.put([2], .ada)
        let order = calls.calls.filter { $0.call == .fsync || $0.call == .rename }
        #expect(order.first?.call == .fsync && order.first?.path == fixture.root)
        #expect(order.contains { $0.call == .rename })
        // Once is enough for a process.
        calls.begin(.none)
        try await third.put([3], .ada)
        #expect(!calls.calls.contains { $0.call == .fsync && $0.path == fixture.root })
        #expect(try await other.bytes(.ada) == [3])
    }

    @Test func `of two that make the store at once, each syncs the directory that holds it`()
        async throws
    {
        let fixture = try StoreFixture()
        // One was killed as soon as the directory was there.
        let killed = Faults()
        killed.begin(.every(.fsync, EIO))
        #expect(try await refusal { _ = try await fixture.open(faults: killed) }.code == .storage)
        #expect(try fixture.mode(fixture.root) == 0o700)
        let calls = Faults()
        _ = try await fixture.open(faults: calls)
        #expect(calls.calls.contains { $0.call == .fsync && $0.path == fixture.base })
        // A parent that this user may not read is another's doing.
        let closed = try StoreFixture()
        try FileManager.default.createDirectory(
            atPath: closed.root, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        let disk = Disk { call, path in
            call == .open && path == closed.base ? .errno(EACCES) : nil
        }
        _ = try await FileStore(at: closed.root, key: StoreFixture.key, disk: disk)
    }

    @Test func `a read that fails tells so, at each of its calls, and sets nothing aside`()
        async throws
    {
        let fixture = try StoreFixture()
        let faults = Faults()
        let store = try await fixture.open(faults: faults)
        try await store.put([1], .ada)
        let before = try fixture.everything()
        for code in [EIO, EACCES, EMFILE] {
            for index in 0..<4 {
                faults.begin(.fail(at: index, code))
                let error = try await refusal { _ = try await store.read(.ada) }
                #expect(error.code == .storage)
                #expect(error.reason.contains(SystemError(code: code).cause))
            }
            faults.begin(.fail(at: 4, code))
            #expect(try await store.bytes(.ada) == [1])
            faults.begin(.every(.list, code))
            #expect(
                try await refusal { _ = try await store.names(in: "claim/acme") }.code
                    == .storage
            )
        }
        #expect(try fixture.everything() == before)
    }

    @Test func `killed at any call of discarding, the record is damaged or gone`() async throws {
        for index in 0..<100 {
            let fixture = try StoreFixture()
            let faults = Faults()
            let store = try await fixture.open(faults: faults)
            try await store.put([1], .ada)
            try fixture.put([], at: try await fixture.path(of: .ada))
            faults.begin(.stop(at: index))
            let error = await errorIfAny { try await store.discard(.ada) }
            let reopened = try await fixture.open()
            do throws(PushError) {
                let found = try await reopened.read(.ada)
                #expect(found == nil)
            } catch {
                #expect(error.code == .malformed)
            }
            try await reopened.discard(.ada)
            try await reopened.write(Secret([2]), for: .ada, replacing: nil)
            guard error != nil else { return }
        }
        Issue.record("discarding never ended")
    }

    @Test func `what the system refuses is told in words, with what to do`() {
        for code in [
            ENOSPC, EDQUOT, EROFS, EMFILE, ENFILE, EFBIG, ENOENT, ENOTDIR, EISDIR, EPIPE, EBADF,
            EACCES, EIO, EBUSY, 9999,
        ] {
            let error = SystemError(code: code)
            #expect(error.advice.hasSuffix("."))
            for text in [error.cause, error.advice] {
                // No name such as ENOSPC, and no bare number.
                #expect(text.firstRange(of: /\bE[A-Z]{2,}\b|errno/) == nil, "\(text)")
            }
        }
        #expect("\(SystemError(code: ENOSPC))" == "the disk is full")
    }
}
