import PushCore

/// One record's file: a head that can be read, the sealed names, the sealed value.
///
/// ```text
/// 0   4  "PAFR"
/// 4   1  format, 1
/// 5   1  its complement: a newer format is told from a damaged byte by it
/// 6   8  revision; the first bit is set where no work waits in the record
/// 14  4  length of the sealed names
/// 18     the names sealed: collection's length in 4 bytes, collection, name
///        the value sealed, all of the above bound to it, and collection and name again
/// ```
///
/// Numbers are big-endian. "Sealed" is salt (24), ciphertext, tag (16), as `docs/file-store.md` says.
struct RecordFile {
    let value: Secret
    let revision: Revision

    static let format: UInt8 = 1
    private static let magic = Array("PAFR".utf8)
    static let headCount = 18
    static let restingMark: UInt64 = 1 << 63
    private static let nameScope = "record"

    enum Finding {
        case whole(RecordFile)
        case damaged
        case newer(UInt8)
    }

    func sealed(for key: RecordKey, with keys: StoreKeys) throws(PushError) -> [UInt8] {
        let names = Secret(Bytes.names(of: key))
        let length = UInt32(truncatingIfNeeded: names.count + StoreKeys.overhead)
        var bytes = Self.magic + [Self.format, ~Self.format] + Bytes.of(revision.value)
        bytes += Bytes.of(length)
        bytes += try keys.seal(names, binding: Array(Self.nameScope.utf8) + bytes)
        bytes += try keys.seal(value, binding: bytes + Bytes.names(of: key))
        return bytes
    }

    static func read(_ bytes: [UInt8], for key: RecordKey, with keys: StoreKeys) -> Finding {
        if let newer = newerFormat(bytes) { return .newer(newer) }
        guard let end = endOfNames(bytes),
            let value = keys.open(
                bytes[end...], binding: Array(bytes[..<end]) + Bytes.names(of: key))
        else { return .damaged }
        return .whole(RecordFile(value: value, revision: Revision(Bytes.number(bytes[6..<14]))))
    }

    /// Which record it says it is, whether its value is whole or not; `nil` if it can't say.
    static func key(in bytes: [UInt8], with keys: StoreKeys) -> RecordKey? {
        guard newerFormat(bytes) == nil, let end = endOfNames(bytes) else { return nil }
        let context = Array(nameScope.utf8) + bytes[..<headCount]
        return keys.open(bytes[headCount..<end], binding: context)?.withBytes { names in
            guard names.count >= 4 else { return nil }
            let count = Int(Bytes.number(names[..<4], as: UInt32.self))
            guard 4 + count <= names.count,
                let collection = String(validUTF8: names[4..<4 + count]),
                let name = String(validUTF8: names[(4 + count)...])
            else { return nil }
            return RecordKey(collection, name)
        }
    }

    /// Whether work may wait in a record, by the head of its file; one that is damaged doesn't say.
    static func mayWait(head: [UInt8]) -> Bool {
        endOfNames(head, isWhole: false) == nil
            || Bytes.number(head[6..<14], as: UInt64.self) & restingMark == 0
    }

    private static func newerFormat(_ bytes: [UInt8]) -> UInt8? {
        Bytes.newerFormat(than: format, of: magic, in: bytes)
    }

    /// Where the sealed value begins; `nil` if the head is damaged, or the file ends before.
    private static func endOfNames(_ bytes: [UInt8], isWhole: Bool = true) -> Int? {
        guard bytes.count >= headCount, Array(bytes[..<6]) == magic + [format, ~format] else {
            return nil
        }
        let end = headCount + Int(Bytes.number(bytes[14..<18], as: UInt32.self))
        return end <= bytes.count || !isWhole ? end : nil
    }
}
