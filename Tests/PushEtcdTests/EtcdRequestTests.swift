import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushEtcd

/// What is sent, byte for byte: etcd ignores what it doesn't know, so that a misspelt member would be
/// silent.
struct EtcdRequestTests {
    private func bodies(
        _ replies: [ScriptedEtcd.Reply], _ body: (EtcdStore) async throws -> Void
    ) async throws -> [String] {
        let etcd = ScriptedEtcd(replies)
        try await body(try .scripted(etcd))
        #expect(await etcd.left == 0)
        return await etcd.bodies
    }

    @Test func `a read is a linearizable range of one key`() async throws {
        let etcd = ScriptedEtcd([.found([entry([5], modified: 3)])])
        let store = try EtcdStore.scripted(etcd)
        let found = try #require(try await store.read(row))
        #expect(found.value.withBytes { Array($0) } == [5])
        #expect(found.revision == Revision(3))
        let request = try #require(await etcd.requests.first)
        #expect(request.path == "/v3/kv/range")
        #expect(request.member == "127.0.0.1:1")
        #expect(request.token == nil)
        #expect(request.body == #"{"key":"\#(rowKey)"}"#)
    }

    @Test
    func `creating, replacing and deleting compare the record's revision, and carry its mark`()
        async throws
    {
        let sent = try await bodies([.put(4), .put(5), .put(6)]) { store in
            let made = try await store.write(Secret([5]), for: row, replacing: nil, waits: true)
            #expect(made == Revision(4))
            let next = try await store.write(Secret([]), for: row, replacing: made)
            #expect(next == Revision(5))
            #expect(try await store.write(nil, for: row, replacing: next) == nil)
        }
        let failure = #""failure":[{"request_range":{"key":"\#(rowKey)"}}]}"#
        let compare = { (revision: Int) in
            #"{"compare":[{"target":"MOD","result":"EQUAL","key":"\#(rowKey)","#
                + #""mod_revision":"\#(revision)"}],"#
        }
        #expect(
            sent == [
                compare(0) + #""success":[{"request_put":{"key":"\#(rowKey)","#
                    + #""value":"AQEBAQEBAQEF"}},{"request_put":{"key":"\#(rowMark)","#
                    + #""value":""}}],"# + failure,
                compare(4) + #""success":[{"request_put":{"key":"\#(rowKey)","#
                    + #""value":"AQEBAQEBAQE="}},{"request_delete_range":{"key":"\#(rowMark)"}}],"#
                    + failure,
                compare(5) + #""success":[{"request_delete_range":{"key":"\#(rowKey)"}},"#
                    + #"{"request_delete_range":{"key":"\#(rowMark)"}}],"# + failure,
            ])
    }

    @Test func `several records are one transaction of ranges`() async throws {
        let replies: [ScriptedEtcd.Reply] = [
            .status(
                200,
                "{\(ScriptedEtcd.Reply.header),\"succeeded\":true,\"responses\":["
                    + "{\"response_range\":{\"kvs\":[\(entry([5], modified: 3))]}},"
                    + "{\"response_range\":{\"header\":{\"revision\":\"9\"}}}]}")
        ]
        let sent = try await bodies(replies) { store in
            let found = try await store.read(all: [row, RecordKey("row", "b")])
            #expect(try found[0].content.get()?.revision == Revision(3))
            #expect(try found[1].content.get() == nil)
        }
        #expect(
            sent == [
                #"{"success":[{"request_range":{"key":"\#(rowKey)"}},"#
                    + #"{"request_range":{"key":"cGEvMS90LwADcm93Yg=="}}]}"#
            ])
    }

    @Test func `names are a range of the collection's keys, or of its marks`() async throws {
        let replies: [ScriptedEtcd.Reply] = [
            .found([entry(nil, modified: 3)], more: true), .empty,
            .found([entry(nil, modified: 3)]),
            .found([entry(nil, modified: 3, key: rowMark)], more: true), .empty,
        ]
        let sent = try await bodies(replies) { store in
            let page = try await store.names(in: "row", waiting: false, after: nil, limit: 1)
            #expect(page.names == ["a"] && !page.isLast)
            let next = try await store.names(in: "row", waiting: false, after: "a", limit: 9000)
            #expect(next.names.isEmpty && next.isLast)
            #expect(try await store.names(in: "row") == ["a"])
            #expect(try await store.names(in: "row", waiting: true) == ["a"])
        }
        // The head of the collection, and the head with its last byte raised.
        let range = #"{"key":"cGEvMS90LwADcm93","range_end":"cGEvMS90LwADcm94","limit":"#
        let end = #""range_end":"cGEvMS90L///AANyb3g=","limit":"1000","keys_only":true}"#
        #expect(
            sent == [
                range + #""1","keys_only":true}"#,
                #"{"key":"cGEvMS90LwADcm93YQA=","range_end":"cGEvMS90LwADcm94","#
                    + #""limit":"1000","keys_only":true}"#,
                range + #""1000","keys_only":true}"#,
                #"{"key":"cGEvMS90L///AANyb3c=","# + end,
                #"{"key":"cGEvMS90L///AANyb3dhAA==","# + end,
            ])
    }

    @Test func `everything is the range of the tenant up to its marks`() async throws {
        let replies: [ScriptedEtcd.Reply] = [
            .found([entry([5], modified: 3)], more: true), .empty,
        ]
        let sent = try await bodies(replies) { store in
            let page = try await store.page(after: nil, limit: 1)
            #expect(page.records.map(\.key) == [row] && !page.isLast)
            let next = try await store.page(after: row, limit: 9000)
            #expect(next.records.isEmpty && next.isLast)
        }
        #expect(
            sent == [
                #"{"key":"cGEvMS90Lw==","range_end":"cGEvMS90L///","limit":"1"}"#,
                #"{"key":"cGEvMS90LwADcm93YQA=","range_end":"cGEvMS90L///","limit":"250"}"#,
            ])
    }

    @Test func `history is asked for by the store's revision`() {
        #expect(
            EtcdRequest.range(Array("a".utf8), at: 41) == #"{"key":"YQ==","revision":"41"}"#)
    }

    @Test func `a collection whose name is too long isn't asked for`() async throws {
        let etcd = ScriptedEtcd([])
        let store = try EtcdStore.scripted(etcd)
        let long = RecordKey(String(repeating: "a", count: 65_535), "")
        #expect(try await refusal { try await store.read(long) }.code == .invalidArgument)
        #expect(await etcd.requests.isEmpty)
    }

    @Test(arguments: [
        "", "10.0.0.1:2379", "ftp://a", "https://", "https://a:b@c", "https://a/b", "https://a?b",
        "https://:2379", "https://a:", "etcd://a", "https:/a",
    ])
    func `what isn't a member's URL is refused`(url: String) async throws {
        let error = try await refusal {
            try EtcdStore.scripted(ScriptedEtcd([]), members: [url])
        }
        #expect(error.code == .invalidArgument)
    }

    @Test func `a member's port is 2379 unless it says another`() throws {
        let urls = ["https://a", "HTTP://b:1/", "https://[::1]", "https://[::1]:9"]
        let members = try urls.map { try EtcdMember($0) }
        #expect(members.map(\.authority) == ["a:2379", "b:1", "[::1]:2379", "[::1]:9"])
        #expect(members.map(\.scheme) == ["https", "http", "https", "https"])
    }

    @Test(arguments: ["", "a/b", "é", "a b", String(repeating: "a", count: 65)])
    func `what isn't a tenant's name is refused`(tenant: String) async throws {
        let error = try await refusal {
            try EtcdStore(
                .init(members: ["https://a"], tenant: tenant), transport: ScriptedEtcd([]))
        }
        #expect(error.code == .invalidArgument)
        #expect(
            try await refusal {
                try EtcdStore(.init(members: [], tenant: "t"), transport: ScriptedEtcd([]))
            }.code == .invalidArgument)
    }
}
