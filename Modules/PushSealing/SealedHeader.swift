import PushCore
import PushPlatform

/// Which keys a sealed store has: the record ``key`` of the store behind it.
///
/// ```text
/// push-auth sealed store 1
/// generation 2
/// key 0123456789abcdef <name key>     what is written is sealed with this one
/// key fedcba9876543210 <name key>     others that records may still be sealed with
/// mac 0123456789abcdef <MAC of the tenant and all lines above the first MAC, by this key>
/// mac fedcba9876543210 <the same by the other>
/// sum <SHA-256 of all lines above>
/// ```
///
/// The name key stays when keys change, so that every record keeps its place. Each line has it sealed
/// under that line's key, bound to the tenant and the key's identifier.
struct SealedHeader {
    private struct Line {
        let id: String
        let bytes: [UInt8]
    }

    /// Where the header is. No collection that is concealed is named so.
    static let key = RecordKey("store", "header")

    private static let lines = SummedLines(title: "push-auth sealed store ", format: 1)
    private static let maximumCount = 1 << 16

    /// How many times it was changed, and once for its making.
    let generation: UInt64
    /// The identifiers of the keys, of the one to write with first.
    let ids: [String]
    private let names: [Line]
    private let macs: [Line]

    /// A header that names keys, with the name key under each.
    init(
        generation: UInt64, _ keys: [StoreKeys], keeping names: Secret, for tenant: String
    ) throws(PushError) {
        var lines: [Line] = []
        for keys in keys {
            let wrapped = try keys.wrap(names, binding: Self.context(keys.id, tenant))
            lines.append(Line(id: keys.id, bytes: wrapped))
        }
        let signed = Self.signed(generation, lines, tenant)
        self.init(
            generation: generation, names: lines,
            macs: keys.map { Line(id: $0.id, bytes: $0.vouch(for: signed)) })
    }

    private init(generation: UInt64, names: [Line], macs: [Line]) {
        self.generation = generation
        self.names = names
        self.macs = macs
        ids = names.map(\.id)
    }

    var value: Secret {
        let text = Self.lines.text(
            Self.head(generation, names) + macs.map { Self.words("mac", $0) })
        return Secret(text.utf8)
    }

    /// - Throws: `PushError` with the code `storage` if it is damaged or of a newer format.
    init(reading value: Secret) throws(PushError) {
        let damaged = PushError(
            .storage,
            "The header of the sealed store is damaged: put the record "
                + "\(Self.key.collection)/\(Self.key.name) back from a backup.")
        guard value.count <= Self.maximumCount else { throw damaged }
        switch Self.lines.read(value.withBytes { Array($0) }) {
        case .damaged: throw damaged
        case .newer(let version):
            throw PushError(
                .storage,
                "The sealed store has format \(version); this version understands "
                    + "\(Self.lines.format). Nothing was changed: use the newer version.")
        case .whole(let lines):
            let count = (lines.count - 1) / 2
            guard count > 0, lines.count == 1 + 2 * count, lines[0].count == 2,
                lines[0][0] == "generation", let generation = UInt64(lines[0][1]),
                (1..<UInt64.max).contains(generation), lines[0][1] == "\(generation)",
                let names = Self.read("key", lines[1...count]),
                let macs = Self.read("mac", lines[(1 + count)...]),
                names.map(\.id) == macs.map(\.id), Set(names.map(\.id)).count == count
            else { throw damaged }
            self.init(generation: generation, names: names, macs: macs)
        }
    }

    /// The name key; `nil` if it isn't there under this key, this key doesn't vouch for the header, or
    /// the tenant is another.
    func names(by keys: StoreKeys, for tenant: String) -> Secret? {
        guard let line = names.first(where: { $0.id == keys.id }),
            let mac = macs.first(where: { $0.id == keys.id }),
            keys.vouches(mac.bytes, for: Self.signed(generation, names, tenant))
        else { return nil }
        return keys.unwrap(line.bytes, binding: Self.context(line.id, tenant))
    }

    // MARK: Lines

    private static func head(_ generation: UInt64, _ names: [Line]) -> [[String]] {
        [["generation", "\(generation)"]] + names.map { words("key", $0) }
    }

    private static func signed(
        _ generation: UInt64, _ names: [Line], _ tenant: String
    ) -> [UInt8] {
        Bytes.prefixed(tenant) + Array(lines.head(head(generation, names)).utf8)
    }

    private static func words(_ word: String, _ line: Line) -> [String] {
        [word, line.id, Bytes.base64URL(line.bytes)]
    }

    private static func read(_ word: String, _ lines: ArraySlice<[Substring]>) -> [Line]? {
        var found: [Line] = []
        for words in lines {
            guard words.count == 3, words[0] == word, words[1].utf8.count == 16,
                let bytes = Bytes.base64URL(reading: words[2])
            else { return nil }
            found.append(Line(id: String(words[1]), bytes: bytes))
        }
        return found
    }

    private static func context(_ id: String, _ tenant: String) -> [UInt8] {
        Bytes.prefixed(tenant) + Array(id.utf8)
    }
}
