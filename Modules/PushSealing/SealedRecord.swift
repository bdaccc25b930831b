import PushCore
import PushPlatform

/// A value as ``SealedStore`` hands it to the store behind it.
///
/// ```text
/// 0   4  "PASR"
/// 4   1  format, 1
/// 5   1  its complement: a newer format is told from a damaged byte by it
/// 6   8  the key's identifier
/// 14  4  length of the sealed names
/// 18     the names sealed: collection's length in 4 bytes, collection, name
///        the value sealed, the tenant and all of the above bound to it, and collection and name again
/// ```
///
/// Numbers are big-endian. "Sealed" is salt (24), ciphertext, tag (16), as `docs/sealed-store.md` says.
enum SealedRecord {
    static let format: UInt8 = 1
    private static let magic = Array("PASR".utf8)
    private static let headCount = 18

    enum Finding {
        case whole(Secret)
        /// Why it can't be opened, as the end of a sentence.
        case damaged(String)
        case newer(UInt8)
    }

    static func seal(
        _ value: Secret, for key: RecordKey, of tenant: String, with keys: StoreKeys
    ) throws(PushError) -> Secret {
        let names = Bytes.names(of: key)
        var bytes = magic + [format, ~format] + (Hexadecimal.bytes(keys.id.utf8) ?? [])
        bytes += Bytes.of(UInt32(truncatingIfNeeded: names.count + StoreKeys.overhead))
        bytes += try keys.seal(Secret(names), binding: Bytes.prefixed(tenant) + bytes)
        bytes += try keys.seal(value, binding: Bytes.prefixed(tenant) + bytes + names)
        return Secret(bytes)
    }

    static func open(
        _ bytes: [UInt8], for key: RecordKey, of tenant: String, with keys: StoreKeys
    ) -> Finding {
        if let newer = newerFormat(bytes) { return .newer(newer) }
        guard let end = endOfNames(bytes) else { return .damaged("is damaged") }
        let names = Bytes.names(of: key)
        let context = Bytes.prefixed(tenant) + bytes[..<end] + names
        if let value = keys.open(bytes[end...], binding: context) { return .whole(value) }
        let head = Bytes.prefixed(tenant) + bytes[..<headCount]
        guard let sealed = keys.open(bytes[headCount..<end], binding: head),
            sealed.withBytes({ !$0.elementsEqual(names) })
        else { return .damaged("is damaged, or another tenant's") }
        return .damaged("holds the value of another record")
    }

    /// The identifier of the key that a value is sealed with; `nil` if it can't say.
    static func keyID(in bytes: [UInt8]) -> String? {
        endOfNames(bytes).map { _ in Hexadecimal.text(Array(bytes[6..<14])) }
    }

    static func newerFormat(_ bytes: [UInt8]) -> UInt8? {
        Bytes.newerFormat(than: format, of: magic, in: bytes)
    }

    /// Where the sealed value begins; `nil` if the head is damaged, or the bytes end before.
    private static func endOfNames(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= headCount, Array(bytes[..<6]) == magic + [format, ~format] else {
            return nil
        }
        let end = headCount + Int(Bytes.number(bytes[14..<18], as: UInt32.self))
        return end <= bytes.count ? end : nil
    }
}
