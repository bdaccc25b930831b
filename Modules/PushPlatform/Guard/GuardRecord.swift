import PushCore

/// What a guard of this module makes of a part, in bytes:
///
/// ```text
///  0   4  PGRD in ASCII
///  4   2  the version, 1, and its complement
///  6  16  the name of the key, in hexadecimal
/// 22      the part, sealed, and bound to all that stands before it
/// ```
struct GuardRecord {
    /// Names the key that opens it, as ``StoreKeys/id`` does.
    let keyID: String

    private let header: [UInt8]
    private let box: [UInt8]

    private static let magic = Array("PGRD".utf8)
    private static let version: UInt8 = 1
    private static let idCount = 16
    private static let headerCount = 22

    /// Reads one.
    ///
    /// - Throws: `PushError` with the code `unsupportedRecord` if a newer version made it, `malformed`
    ///   if it is anything else.
    init(reading sealed: Secret) throws(PushError) {
        let bytes = sealed.withBytes { Array($0) }
        if let newer = Bytes.newerFormat(than: Self.version, of: Self.magic, in: bytes) {
            throw PushError(.unsupportedRecord, "A newer SDK sealed it, in the format \(newer).")
        }
        guard bytes.count >= Self.headerCount + StoreKeys.overhead,
            let id = String(validUTF8: bytes[6..<Self.headerCount]),
            Hexadecimal.bytes(id.utf8) != nil, bytes.starts(with: Self.header(id))
        else { throw Self.damaged }
        keyID = id
        header = Array(bytes[..<Self.headerCount])
        box = Array(bytes[Self.headerCount...])
    }

    /// Seals a part.
    static func seal(_ part: Secret, with keys: StoreKeys) throws(PushError) -> Secret {
        let header = header(keys.id)
        return Secret(header + (try keys.seal(part, binding: header)))
    }

    /// - Throws: `PushError` with the code `malformed` if the key named ``keyID`` doesn't open it.
    func open(with keys: StoreKeys) throws(PushError) -> Secret {
        guard let part = keys.open(box, binding: header) else { throw Self.damaged }
        return part
    }

    private static func header(_ id: String) -> [UInt8] { magic + [version, ~version] + id.utf8 }

    private static let damaged = PushError(
        .malformed, "What was sealed is damaged, or another guard sealed it.")
}
