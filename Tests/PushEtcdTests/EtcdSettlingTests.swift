import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushEtcd

/// What becomes of a write whose reply was lost. The mark of each value is the same here, so that a value
/// says whose it is.
struct EtcdSettlingTests {
    private func write(
        _ value: Secret? = Secret([5]), replacing revision: Revision? = Revision(3),
        replies: [ScriptedEtcd.Reply]
    ) async throws -> (result: Result<Revision?, PushError>, etcd: ScriptedEtcd) {
        let etcd = ScriptedEtcd([.failure(.interrupted)] + replies)
        let store = try EtcdStore.scripted(etcd, members: ["http://a:1", "http://b:1"])
        let result = await Result { () async throws(PushError) in
            try await store.write(value, for: row, replacing: revision)
        }
        #expect(await etcd.left == 0)
        return (result, etcd)
    }

    @Test func `the same bytes are sent again, to the next member`() async throws {
        let (result, etcd) = try await write(replies: [.put(10)])
        #expect(try result.get() == Revision(10))
        let bodies = await etcd.bodies
        #expect(bodies.count == 2 && bodies[0] == bodies[1])
        #expect(await etcd.membersAsked == ["a:1", "b:1"])
    }

    @Test func `a repeat that fails as the first copy won is a success`() async throws {
        let (result, etcd) = try await write(replies: [
            .refused([entry([5], modified: 7)]), .found([entry([4], modified: 3)]),
            .found([entry([5], modified: 7)]),
        ])
        #expect(try result.get() == Revision(7))
        #expect(await etcd.bodies[2] == #"{"key":"\#(rowKey)","revision":"6"}"#)
    }

    @Test func `a win that was overwritten since is found in the history`() async throws {
        let (result, etcd) = try await write(replies: [
            .refused([entry([9], modified: 9)]), .found([entry([8], modified: 8)]),
            .found([entry([5], modified: 6)]), .found([entry([4], modified: 3)]),
            .found([entry([5], modified: 6)]),
        ])
        #expect(try result.get() == Revision(6))
        #expect(
            await etcd.bodies.dropFirst(2).map { $0.dropFirst(rowKey.utf8.count + 9) } == [
                #","revision":"8"}"#, #","revision":"7"}"#, #","revision":"5"}"#,
                #","revision":"6"}"#,
            ])
    }

    @Test func `another's write that came first is a conflict, though the value is there now`()
        async throws
    {
        // What is there now has the very bytes; the first after revision 3 was another's.
        let (result, _) = try await write(replies: [
            .refused([entry([5], modified: 9)]), .found([entry([8], modified: 6)]),
            .found([entry([4], modified: 3)]), .found([entry([8], modified: 6)]),
        ])
        guard case .failure(let error) = result else { throw NothingThrown() }
        #expect(error.code == .conflict && error.found?.revision == Revision(9))
    }

    @Test func `a record that was made is looked for where it was made`() async throws {
        let (won, etcd) = try await write(
            replacing: nil,
            replies: [
                .refused([entry([9], modified: 9, created: 6, version: 2)]),
                .found([entry([5], modified: 6, created: 6)]),
            ])
        #expect(try won.get() == Revision(6))
        #expect(await etcd.bodies[2] == #"{"key":"\#(rowKey)","revision":"6"}"#)
        let (lost, _) = try await write(
            replacing: nil,
            replies: [
                .refused([entry([9], modified: 9, created: 6, version: 2)]),
                .found([entry([8], modified: 6, created: 6)]),
                // At each of the revisions 1 to 5 there was none, or another's.
                .refused([nil, entry([8], modified: 2), nil, nil, nil]),
            ])
        guard case .failure(let error) = lost else { throw NothingThrown() }
        #expect(error.code == .conflict)
    }

    @Test(arguments: [true, false])
    func `a record that was made, deleted, and made again by another is unknown, not lost`(
        isNear: Bool
    ) async throws {
        let created = isNear ? 6 : 600
        let again = entry([8], modified: created, created: created)
        let between: [ScriptedEtcd.Reply] =
            isNear ? [.refused([nil, nil, entry([5], modified: 3), nil, nil])] : []
        let (result, etcd) = try await write(
            replacing: nil, replies: [.refused([again]), .found([again])] + between)
        guard case .failure(let error) = result else { throw NothingThrown() }
        #expect(error.code == .storageUnknown)
        if isNear {
            let ranges = (1...5).map {
                #"{"request_range":{"key":"\#(rowKey)","revision":"\#($0)"}}"#
            }
            #expect(
                await etcd.bodies.last == #"{"success":[\#(ranges.joined(separator: ","))]}"#)
        }
    }

    @Test func `a record that was there before the creation was sent needs no look between`()
        async throws
    {
        let there = entry([8], modified: 7, created: 6)
        let etcd = ScriptedEtcd([
            .empty, .failure(.interrupted), .refused([there]), .found([there]),
        ])
        let store = try EtcdStore.scripted(etcd)
        _ = try await store.read(row)
        let error = try await refusal {
            try await store.write(Secret([5]), for: row, replacing: nil)
        }
        #expect(error.code == .conflict)
        #expect(await etcd.left == 0)
    }

    @Test func `what history can't tell stays unknown`() async throws {
        let cases: [[ScriptedEtcd.Reply]] = [
            // The record is gone.
            [.refused([nil])],
            // It was made again.
            [.refused([entry([9], modified: 9, created: 8)])],
            // The history doesn't go back, as a server that lies would have it.
            [.refused([entry([9], modified: 9)]), .found([entry([8], modified: 9)])],
            // The history is gone.
            [
                .refused([entry([9], modified: 9)]),
                .error(400, 11, "etcdserver: mvcc: required revision has been compacted"),
            ],
        ]
        for replies in cases {
            let (result, _) = try await write(replies: replies)
            guard case .failure(let error) = result else { throw NothingThrown() }
            #expect(error.code == .storageUnknown)
        }
    }

    @Test func `a deletion is unknown once the record is gone, and lost if it was replaced`()
        async throws
    {
        let (gone, _) = try await write(nil, replies: [.refused([nil])])
        guard case .failure(let error) = gone else { throw NothingThrown() }
        #expect(error.code == .storageUnknown)
        let (replaced, _) = try await write(
            nil,
            replies: [
                .refused([entry([9], modified: 9)]), .found([entry([4], modified: 3)]),
                .found([entry([9], modified: 9)]),
            ])
        guard case .failure(let conflict) = replaced else { throw NothingThrown() }
        #expect(conflict.code == .conflict)
    }

    @Test func `a database that is full meanwhile doesn't hide a win`() async throws {
        let full = ScriptedEtcd.Reply.error(429, 8, "etcdserver: mvcc: database space exceeded")
        let (won, _) = try await write(replies: [
            full, .found([entry([5], modified: 7)]), .found([entry([4], modified: 3)]),
            .found([entry([5], modified: 7)]),
        ])
        #expect(try won.get() == Revision(7))
        // A copy on its way may still come.
        let (open, _) = try await write(replies: [full, .found([entry([4], modified: 3)])])
        guard case .failure(let error) = open else { throw NothingThrown() }
        #expect(error.code == .storageUnknown)
    }

    @Test(
        arguments: [
            ([entry([4], modified: 3)], PushError.Code.storage), ([entry([5], modified: 7)], nil),
            ([], .storageUnknown),
        ] as [([String], PushError.Code?)])
    func `a full database may have made the first copy all the same`(
        there: [String], code: PushError.Code?
    ) async throws {
        let etcd = ScriptedEtcd([
            .error(429, 8, "etcdserver: mvcc: database space exceeded"), .found(there),
            .found([entry([4], modified: 3)]), .found([entry([5], modified: 7)]),
        ])
        let store = try EtcdStore.scripted(etcd)
        let result = await Result { () async throws(PushError) in
            try await store.write(Secret([5]), for: row, replacing: Revision(3))
        }
        switch result {
        case .success(let revision): #expect(code == nil && revision == Revision(7))
        case .failure(let error): #expect(error.code == code)
        }
    }

    @Test func `a conflict that is too large to read is asked for without values`() async throws {
        let etcd = ScriptedEtcd([
            .failure(.oversizedReply), .refused([entry(nil, modified: 9)]),
            .found([entry([4], modified: 3)]), .found([entry([8], modified: 9)]),
        ])
        let store = try EtcdStore.scripted(etcd)
        let error = try await refusal {
            try await store.write(Secret([5]), for: row, replacing: Revision(3))
        }
        #expect(error.code == .conflict && error.found == nil)
        #expect(
            await etcd.bodies.dropFirst().first?
                .contains(#"{"key":"\#(rowKey)","keys_only":true}"#) == true)
    }

    @Test func `records that are too large together are read in parts`() async throws {
        let reply: ScriptedEtcd.Reply = .status(
            200,
            "{\(ScriptedEtcd.Reply.header),\"succeeded\":true,\"responses\":["
                + "{\"response_range\":{\"kvs\":[\(entry([5], modified: 3))]}}]}")
        let etcd = ScriptedEtcd([.failure(.oversizedReply), reply, reply])
        let store = try EtcdStore.scripted(etcd)
        #expect(try await store.read(all: [row, row]).count == 2)
        let pages = ScriptedEtcd([
            .failure(.oversizedReply), .failure(.oversizedReply),
            .found([entry([5], modified: 3)], more: true),
        ])
        let page = try await EtcdStore.scripted(pages).page(after: nil, limit: 5)
        #expect(page.records.count == 1 && !page.isLast)
        #expect(await pages.bodies.last?.contains(#""limit":"1""#) == true)
        let single = ScriptedEtcd([.failure(.oversizedReply)])
        let error = try await refusal { try await EtcdStore.scripted(single).read(row) }
        #expect(error.code == .storage && error.reason.contains("maximumBodySize"))
    }

    @Test func `nothing cancels a write that has begun`() async throws {
        let etcd = ScriptedEtcd([.failure(.interrupted), .put(10)])
        let store = try EtcdStore.scripted(etcd)
        let writing = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.write(Secret([5]), for: row, replacing: nil)
        }
        #expect(try await writing.value == Revision(10))
    }
}
