import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushEtcd

/// What each of etcd's replies becomes, to a read and to a write.
struct EtcdErrorTests {
    private struct Row: Sendable, CustomTestStringConvertible {
        let reply: ScriptedEtcd.Reply
        let reading: PushError.Code
        let writing: PushError.Code
        /// What the reason must say.
        let words: String
        var testDescription: String { "\(reply)" }
    }

    private static let rows = [
        // Nothing was sent.
        Row(
            reply: .failure(.unreachable), reading: .storage, writing: .storage,
            words: "more than half"),
        Row(
            reply: .failure(.untrustedServer), reading: .storage, writing: .storage,
            words: "give the transport etcd's authority"),
        Row(
            reply: .failure(.insecureRequest), reading: .storage, writing: .storage,
            words: "plain HTTP"),
        // It may have been done.
        Row(
            reply: .failure(.interrupted), reading: .storage, writing: .storageUnknown,
            words: "client certificates"),
        Row(
            reply: .error(500, 2, "context deadline exceeded"), reading: .storage,
            writing: .storageUnknown, words: "500"),
        Row(
            reply: .error(503, 14, "etcdserver: request timed out"), reading: .storage,
            writing: .storageUnknown, words: "503"),
        Row(
            reply: .status(503, "<html>"), reading: .storage, writing: .storageUnknown,
            words: "a balancer stands there"),
        Row(
            reply: .error(408, 1, "context canceled"), reading: .storage,
            writing: .storageUnknown, words: "408"),
        Row(
            reply: .error(409, 10, "aborted"), reading: .storage, writing: .storageUnknown,
            words: "409"),
        Row(
            reply: .status(203, "<html>"), reading: .storage, writing: .storageUnknown,
            words: "a balancer stands there"),
        Row(
            reply: .status(200, "<html>"), reading: .storage, writing: .storageUnknown,
            words: "JSON gateway"),
        Row(
            reply: .status(200, #"{"header":{"cluster_id":"7","revision":"9"#), reading: .storage,
            writing: .storageUnknown, words: "JSON gateway"),
        // It was refused.
        Row(
            reply: .error(400, 3, "etcdserver: request is too large"), reading: .invalidArgument,
            writing: .invalidArgument, words: "--max-request-bytes"),
        Row(
            reply: .error(429, 8, "grpc: received message larger than max (4600008 vs. 2097152)"),
            reading: .invalidArgument, writing: .invalidArgument, words: "larger"),
        Row(
            // A write may be made all the same, and here nothing that is there can be read.
            reply: .error(429, 8, "etcdserver: mvcc: database space exceeded"), reading: .storage,
            writing: .storageUnknown, words: "--quota-backend-bytes"),
        Row(
            reply: .error(429, 8, "etcdserver: too many requests"), reading: .storage,
            writing: .storage, words: "too many requests"),
        Row(
            reply: .error(401, 16, "etcdserver: invalid auth token"), reading: .storage,
            writing: .storage, words: "token"),
        Row(
            reply: .error(400, 3, "etcdserver: user name is empty"), reading: .storage,
            writing: .storage, words: "give the store a user"),
        Row(
            reply: .error(403, 7, "etcdserver: permission denied"), reading: .storage,
            writing: .storage, words: "READWRITE on that prefix"),
        Row(
            reply: .status(
                400,
                "CommonName of client sending a request against gateway will be ignored and not "
                    + "used as expected"), reading: .storage, writing: .storage,
            words: "CommonName: make one without"),
        Row(
            reply: .error(400, 3, "etcdserver: too many operations in txn request"),
            reading: .storage, writing: .storage, words: "--max-txn-ops"),
        Row(
            reply: .status(404, "Not Found\n"), reading: .storage, writing: .storage,
            words: "--enable-grpc-gateway"),
        Row(
            reply: .error(400, 3, "something else"), reading: .storage, writing: .storage,
            words: "400, code 3"),
        Row(reply: .status(302, ""), reading: .storage, writing: .storage, words: "302"),
        // The history is gone; only who asks for it can meet that.
        Row(
            reply: .error(400, 11, "etcdserver: mvcc: required revision has been compacted"),
            reading: .storageUnknown, writing: .storage, words: ""),
    ]

    @Test(arguments: rows) private func `a reply becomes what it means`(row: Row) async throws {
        for isWrite in [false, true] {
            let etcd = ScriptedEtcd(Array(repeating: row.reply, count: 1000))
            let store = try EtcdStore.scripted(etcd, patience: .milliseconds(60))
            let error = try await refusal {
                if isWrite {
                    try await store.write(Secret([1]), for: PushEtcdTests.row, replacing: nil)
                } else {
                    _ = try await store.read(PushEtcdTests.row)
                }
            }
            #expect(error.code == (isWrite ? row.writing : row.reading))
            #expect(row.words.isEmpty || error.reason.contains(row.words), "\(error.reason)")
        }
    }

    @Test func `a failed condition is a conflict, with the record that is there`() async throws {
        let etcd = ScriptedEtcd([.refused([entry([5], modified: 8)]), .refused([nil])])
        let store = try EtcdStore.scripted(etcd)
        let error = try await refusal {
            try await store.write(Secret([1]), for: row, replacing: Revision(3))
        }
        #expect(error.code == .conflict && error.found?.revision == Revision(8))
        let gone = try await refusal {
            try await store.write(Secret([1]), for: row, replacing: Revision(3))
        }
        #expect(gone.code == .conflict && gone.found == nil)
    }

    @Test func `what something else wrote is malformed, to a reader and a writer`() async throws {
        let foreign =
            #"{"key":"\#(rowKey)","create_revision":"2","mod_revision":"2","version":"1","#
            + #""value":"b25l"}"#
        let etcd = ScriptedEtcd([
            .found([foreign]), .refused([foreign]), .found([foreign]), .put(10),
        ])
        let store = try EtcdStore.scripted(etcd)
        #expect(try await refusal { try await store.read(row) }.code == .malformed)
        let error = try await refusal {
            try await store.write(Secret([1]), for: row, replacing: nil)
        }
        #expect(error.code == .malformed)
        try await store.discard(row)
        #expect(await etcd.left == 0)
    }

    @Test(arguments: [
        #"{"key":"YQ==","create_revision":"2","mod_revision":"2","version":"1"}"#,
        #"{"key":"\#(rowKey)","create_revision":"2","mod_revision":2,"version":"1"}"#,
        #"{"key":"\#(rowKey)","create_revision":"2","version":"1"}"#,
        #"{"key":"!","create_revision":"2","mod_revision":"2","version":"1"}"#,
        #"{"key":"\#(rowKey)","create_revision":"0","mod_revision":"0","version":"1"}"#,
        #"{"key":"\#(rowKey)","create_revision":"3","mod_revision":"2","version":"1"}"#,
        #"{"key":"\#(rowKey)","create_revision":"2","mod_revision":"2","version":"0"}"#,
        #"{"key":"\#(rowKey)","create_revision":"-2","mod_revision":"2","version":"1"}"#,
        #"{"key":"\#(rowKey)","create_revision":"2","mod_revision":"2","version":"1","value":7}"#,
        "7",
    ])
    func `a reply with another record, or in another form, is never taken`(
        entry: String
    ) async throws {
        let etcd = ScriptedEtcd(Array(repeating: .found([entry]), count: 1000))
        let store = try EtcdStore.scripted(etcd, patience: .milliseconds(60))
        #expect(try await refusal { try await store.read(row) }.code == .storage)
        #expect(
            try await refusal { try await store.page(after: nil, limit: 1) }.code == .storage)
    }

    @Test func `no reason holds what etcd said`() async throws {
        for status in [400, 403, 404, 409, 429, 500] {
            let etcd = ScriptedEtcd(
                Array(repeating: .error(status, 3, "the password is swordfish"), count: 1000))
            let store = try EtcdStore.scripted(etcd, patience: .milliseconds(60))
            let error = try await refusal { try await store.read(row) }
            #expect(!error.reason.contains("swordfish"))
        }
    }
}
