import Foundation
import HTTPTypes
import PushCore

@testable import PushEtcd

extension Inner {
    private static let keys = try? EtcdKeys(tenant: "acme")

    /// Reads a text as a reply of etcd's JSON gateway, under the statuses that it may have, and as
    /// a record's key.
    public static func etcdReply(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        let body = Data(bytes)
        for status in [200, 201, 400, 401, 403, 404, 408, 429, 503] {
            let response = HTTPResponse(status: .init(code: status))
            let answer = EtcdAnswer(response, body, from: "etcd-1:2379", for: "pa/1/acme/")
            if let broken = checked(answer, status, body) { return broken }
        }
        if let reply = try? EtcdReply(reading: body), let broken = checked(reply, body) {
            return broken
        }
        return checkedKey(Array(bytes)) ?? checkedKey(Array("pa/1/acme/".utf8) + bytes)
    }

    private static func checked(
        _ answer: EtcdAnswer, _ status: Int, _ body: Data
    ) -> StaticString? {
        switch answer {
        case .reply: return status == 200 ? nil : "only a success is a reply"
        case .compacted: return status == 400 ? nil : "only what was refused is compacted"
        case .unknown(let error):
            return checked(error, [200, 201, 408, 503].contains(status))
        case .refused(let error): return checked(error, status >= 400)
        case .busy(let error), .full(let error): return checked(error, status == 429)
        case .unauthenticated(let error): return checked(error, status == 400 || status == 401)
        case .unsent, .foreign: return "what came from a member was sent, and is its own"
        }
    }

    /// What errors say is the SDK's: the host, a status and a number are all that came.
    private static func checked(_ error: PushError, _ fits: Bool) -> StaticString? {
        guard fits else { return "a status means what it says" }
        return error.reason.utf8.count < 200 ? nil : "an error says nothing of the reply's"
    }

    private static func checked(_ reply: EtcdReply, _ body: Data) -> StaticString? {
        guard let told = (try? JSONSerialization.jsonObject(with: body)) as? [String: Any],
            let header = told["header"] as? [String: Any]
        else { return "others read an object with a header" }
        guard (header["revision"] as? String).flatMap(UInt64.init) == reply.revision,
            (header["cluster_id"] as? String).flatMap(UInt64.init) == reply.cluster,
            (told["kvs"] as? [Any])?.count ?? 0 == reply.entries.count,
            (told["responses"] as? [Any])?.count ?? 0 == reply.responses.count
        else { return "others read the same cluster, and as many records" }
        let entries = reply.entries + reply.responses.joined()
        guard entries.allSatisfy({ 0 < $0.created && $0.created <= $0.modified })
        else { return "a record was made before it was written" }
        for entry in entries {
            let content = try? EtcdValue.content(of: entry)
            guard (content == nil) == EtcdValue.isDamaged(entry),
                content?.value.count ?? 0 == max(0, entry.value.count - 8)
            else { return "a value has what was put, behind its mark" }
        }
        let written = JSON.object([
            "header": [
                "cluster_id": .string("\(reply.cluster)"), "revision": .string("\(reply.revision)"),
            ],
            "succeeded": .bool(reply.succeeded), "more": .bool(reply.more),
            "kvs": .array(reply.entries.map(json)),
            "responses": .array(
                reply.responses.map { ["response_range": ["kvs": .array($0.map(json))]] }),
        ])
        let again = try? EtcdReply(reading: written.data)
        return again?.entries == reply.entries && again?.responses == reply.responses
            ? nil : "what is written as etcd does is read the same"
    }

    private static func json(_ entry: EtcdEntry) -> JSON {
        [
            "key": .string(Data(entry.key).base64EncodedString()),
            "value": .string(Data(entry.value).base64EncodedString()),
            "mod_revision": .string("\(entry.modified)"),
            "create_revision": .string("\(entry.created)"), "version": "1",
        ]
    }

    private static func checkedKey(_ bytes: [UInt8]) -> StaticString? {
        guard let keys, let key = keys.key(bytes) else { return nil }
        guard (try? keys.bytes(of: key)) == bytes else { return "a key is what its name makes" }
        guard let head = try? keys.head(of: key.collection), bytes.starts(with: head),
            bytes.lexicographicallyPrecedes(EtcdKeys.end(of: head))
        else { return "a key is within its collection" }
        return nil
    }
}
