import PushCore

/// Which keys a sealed store has: the record ``key`` of the store behind it.
///
/// ```text
/// push-auth sealed store 1
/// key 0123456789abcdef <name key>     what is written is sealed with this one
/// key fedcba9876543210 <name key>     others that records may still be sealed with
/// sum <SHA-256 of all lines above>
/// ```
///
/// The name key stays when keys change, so that every record keeps its place. Each line has it sealed
/// under that line's key, bound to the tenant and the key's identifier.
struct SealedHeader {
    struct Key {
        let id: String
        let wrapped: [UInt8]
    }

    /// Where the header is. No collection that is concealed is named so.
    static let key = RecordKey("store", "header")

    private static let lines = SummedLines(title: "push-auth sealed store ", format: 1)

    /// The keys, the one to write with first.
    let keys: [Key]

    init(_ keys: [Key]) { self.keys = keys }

    var value: Secret {
        Secret(Self.lines.text(keys.map { ["key", $0.id, Bytes.base64URL($0.wrapped)] }).utf8)
    }

    /// - Throws: `PushError` with the code `storage` if it is damaged or of a newer format.
    init(reading value: Secret) throws(PushError) {
        let damaged = PushError(
            .storage,
            "The header of the sealed store is damaged: put the record "
                + "\(Self.key.collection)/\(Self.key.name) back from a backup.")
        switch Self.lines.read(value.withBytes { Array($0) }) {
        case .damaged: throw damaged
        case .newer(let version):
            throw PushError(
                .storage,
                "The sealed store has format \(version); this version understands "
                    + "\(Self.lines.format). Nothing was changed: use the newer version.")
        case .whole(let lines):
            var keys: [Key] = []
            for words in lines {
                guard words.count == 3, words[0] == "key", words[1].utf8.count == 16,
                    let wrapped = Bytes.base64URL(reading: words[2])
                else { throw damaged }
                keys.append(Key(id: String(words[1]), wrapped: wrapped))
            }
            guard !keys.isEmpty else { throw damaged }
            self.keys = keys
        }
    }

    /// A header line for a key.
    static func line(
        _ keys: StoreKeys, keeping names: Secret, for tenant: String
    ) throws(PushError) -> Key {
        Key(id: keys.id, wrapped: try keys.wrap(names, binding: context(keys.id, tenant)))
    }

    /// The name key in a line; `nil` if this isn't the key, or the tenant is another.
    static func names(in line: Key, _ keys: StoreKeys, for tenant: String) -> Secret? {
        keys.unwrap(line.wrapped, binding: context(line.id, tenant))
    }

    private static func context(_ id: String, _ tenant: String) -> [UInt8] {
        Bytes.prefixed(tenant) + Array(id.utf8)
    }
}
