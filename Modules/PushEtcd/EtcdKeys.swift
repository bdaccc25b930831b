import PushCore
import PushPlatform

/// How records are named in etcd: `pa/1/`, the tenant, a slash, the collection's length in two
/// bytes, the collection, the name. A collection is one range of keys. The mark of a record in
/// which work waits has two bytes 0xFF, which are no collection's length, behind the slash: marks
/// come after all records.
struct EtcdKeys: Sendable {
    /// What all keys of the tenant begin with.
    let place: String

    init(tenant: String) throws(PushError) {
        let allowed = tenant.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_.".utf8.contains(byte)
            }
        }
        guard allowed, (1...64).contains(tenant.utf8.count) else {
            throw PushError(
                .invalidArgument,
                "A tenant's name in etcd has 1 to 64 letters, digits, hyphens, underscores and dots."
            )
        }
        place = "pa/1/\(tenant)/"
    }

    func head(of collection: String) throws(PushError) -> [UInt8] {
        Array(place.utf8) + (try rest(of: collection))
    }

    /// What the marks of a collection's records begin with.
    func markHead(of collection: String) throws(PushError) -> [UInt8] {
        marks + (try rest(of: collection))
    }

    private func rest(of collection: String) throws(PushError) -> [UInt8] {
        guard let count = UInt16(exactly: collection.utf8.count), count < .max else {
            throw PushError(.invalidArgument, "A collection's name has 65,534 bytes at the most.")
        }
        return Bytes.of(count) + Array(collection.utf8)
    }

    func bytes(of key: RecordKey) throws(PushError) -> [UInt8] {
        try head(of: key.collection) + Array(key.name.utf8)
    }

    func mark(of key: RecordKey) throws(PushError) -> [UInt8] {
        try markHead(of: key.collection) + Array(key.name.utf8)
    }

    /// What all marks begin with: where the records end.
    var marks: [UInt8] { Array(place.utf8) + [0xFF, 0xFF] }

    /// `nil` if it is no record's, or nothing here named it so.
    func key(_ bytes: [UInt8]) -> RecordKey? {
        guard bytes.starts(with: place.utf8), !bytes.starts(with: marks) else { return nil }
        let rest = bytes.dropFirst(place.utf8.count)
        guard rest.count >= 2 else { return nil }
        let count = Int(Bytes.number(rest.prefix(2), as: UInt16.self))
        let texts = rest.dropFirst(2)
        guard texts.count >= count,
            let collection = String(validUTF8: texts.prefix(count)),
            let name = String(validUTF8: texts.dropFirst(count))
        else { return nil }
        return RecordKey(collection, name)
    }

    /// The key after all that begin with some bytes, the first of which is never 0xFF.
    static func end(of head: [UInt8]) -> [UInt8] {
        var end = head
        while end.last == 0xFF { end.removeLast() }
        if let last = end.last { end[end.count - 1] = last + 1 }
        return end
    }
}

/// How values are kept in etcd: after 8 random bytes, so that no two writes put the same.
enum EtcdValue {
    private static let markCount = 8

    static func bytes(of value: Secret, _ random: any RandomSource) -> [UInt8] {
        random.bytes(markCount).withBytes { Array($0) } + value.withBytes { Array($0) }
    }

    static func isDamaged(_ entry: EtcdEntry) -> Bool { entry.value.count < markCount }

    /// - Throws: `PushError` with the code `malformed` if something else wrote it.
    static func content(
        of entry: EtcdEntry?
    ) throws(PushError) -> (value: Secret, revision: Revision)? {
        guard let entry else { return nil }
        guard !isDamaged(entry) else {
            throw PushError(
                .malformed, "A record in etcd wasn't written by a store; discard it.")
        }
        return (Secret(entry.value.dropFirst(markCount)), Revision(entry.modified))
    }

    static func record(_ key: RecordKey, _ entry: EtcdEntry?) -> StoredRecord {
        do throws(PushError) {
            return StoredRecord(key, .success(try content(of: entry)))
        } catch {
            return StoredRecord(key, .failure(error))
        }
    }
}
