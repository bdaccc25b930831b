import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A record as etcd has it.
struct EtcdEntry: Hashable, Sendable {
    let key: [UInt8]
    /// Empty if only the key was asked for.
    let value: [UInt8]
    /// The store's revision that wrote it: the record's own.
    let modified: UInt64
    /// The store's revision that made the record.
    let created: UInt64
}

/// A reply of etcd's JSON gateway, read strictly. Zero, false and empty are left out there, and 64-bit
/// numbers are texts.
struct EtcdReply: Sendable {
    let cluster: UInt64
    /// The store's revision when the request was done.
    let revision: UInt64
    let succeeded: Bool
    /// What a range found.
    let entries: [EtcdEntry]
    let more: Bool
    /// What each operation of a transaction found.
    let responses: [[EtcdEntry]]

    /// - Throws: `PushError` with the code `malformed` if it isn't whole JSON of this form.
    init(reading body: Data) throws(PushError) {
        let json = try JSON(parsing: body, limits: .init(bytes: body.count))
        guard let header = json["header"], let cluster = Self.number(header["cluster_id"]),
            let revision = Self.number(header["revision"])
        else { throw Self.malformed }
        self.cluster = cluster
        self.revision = revision
        succeeded = try Self.flag(json["succeeded"])
        more = try Self.flag(json["more"])
        entries = try Self.entries(json["kvs"])
        var responses: [[EtcdEntry]] = []
        for response in try Self.array(json["responses"]) {
            responses.append(try Self.entries(response["response_range"]?["kvs"]))
        }
        self.responses = responses
    }

    private static func entries(_ json: JSON?) throws(PushError) -> [EtcdEntry] {
        var entries: [EtcdEntry] = []
        for json in try array(json) {
            guard let key = bytes(json["key"]), let modified = number(json["mod_revision"]),
                let created = number(json["create_revision"]),
                let version = number(json["version"]), version > 0,
                // A record's first revision is 2; history is walked down by these.
                created > 0, created <= modified,
                let value = json["value"] == nil ? [] : bytes(json["value"])
            else { throw malformed }
            entries.append(
                EtcdEntry(key: key, value: value, modified: modified, created: created))
        }
        return entries
    }

    private static func array(_ json: JSON?) throws(PushError) -> [JSON] {
        guard let json else { return [] }
        guard let array = json.array else { throw malformed }
        return array
    }

    private static func flag(_ json: JSON?) throws(PushError) -> Bool {
        guard let json else { return false }
        guard let flag = json.bool else { throw malformed }
        return flag
    }

    private static func number(_ json: JSON?) -> UInt64? { json?.string.flatMap { UInt64($0) } }

    private static func bytes(_ json: JSON?) -> [UInt8]? {
        json?.string.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }

    private static let malformed = PushError(.malformed, "It isn't a reply of etcd's JSON gateway.")
}
