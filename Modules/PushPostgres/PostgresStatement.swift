import PushCore

/// One statement and its values.
struct PostgresStatement: Sendable {
    /// What a value is on the wire, in PostgreSQL's binary form.
    enum Value: Sendable {
        case bytes(String)
        case secret(Secret)
        case number(UInt64)
        case flag(Bool)
        /// An array of `bytea`.
        case list([String])
    }

    /// By which a connection prepares it once.
    let name: String
    let text: String
    let values: [Value]

    init(_ name: String, _ text: String, _ values: [Value] = []) {
        self.name = name
        self.text = text
        self.values = values
    }

    /// The values, one behind the other in memory that is cleared, and where each ends.
    var encoded: (memory: Secret, ends: [Int]) {
        let parts = values.map(Self.encode)
        var ends: [Int] = []
        for part in parts { ends.append((ends.last ?? 0) + part.count) }
        let memory = Secret(count: ends.last ?? 0) { memory in
            var rest = memory[...]
            for part in parts {
                part.withBytes {
                    UnsafeMutableRawBufferPointer(rebasing: rest).copyMemory(from: $0)
                }
                rest = rest.dropFirst(part.count)
            }
        }
        return (memory, ends)
    }

    private static func encode(_ value: Value) -> Secret {
        switch value {
        case .bytes(let text): return Secret(copying: text)
        case .secret(let secret): return secret
        case .number(let number): return Secret(number.bigEndianBytes)
        case .flag(let flag): return Secret([flag ? 1 : 0])
        case .list(let texts):
            // Dimensions, whether there are nulls, the type of `bytea`; then count and first index.
            var bytes: [UInt8] = []
            for word in [1, 0, 17, UInt32(texts.count), 1] { bytes += word.bigEndianBytes }
            for text in texts { bytes += UInt32(text.utf8.count).bigEndianBytes + text.utf8 }
            return Secret(bytes)
        }
    }
}

/// A row of a reply, one element per column; `nil` is NULL.
struct PostgresRow: Sendable {
    let columns: [Secret?]

    func secret(_ column: Int) -> Secret? {
        columns.indices.contains(column) ? columns[column] : nil
    }

    func text(_ column: Int) -> String? {
        secret(column)?.withBytes { String(validUTF8: $0) }
    }

    typealias Content = (value: Secret, revision: Revision)

    /// A record's value, and its revision in the column behind; `nil` if there is no record.
    func content(at column: Int) -> Content? {
        guard let value = secret(column), let revision = revision(column + 1) else { return nil }
        return (value, revision)
    }

    func revision(_ column: Int) -> Revision? {
        secret(column)?.withBytes { bytes in
            bytes.count == 8 ? Revision(bytes.reduce(0) { $0 << 8 | UInt64($1) }) : nil
        }
    }

    /// An array of numbers; `[]` if it is none.
    func revisions(_ column: Int) -> [Revision] {
        secret(column)?.withBytes { bytes in
            // Behind a head of five words, each has its length in front.
            guard bytes.count > 20 else { return [] }
            return stride(from: 20, to: bytes.count - 11, by: 12).map { start in
                Revision(bytes[(start + 4)..<(start + 12)].reduce(0) { $0 << 8 | UInt64($1) })
            }
        } ?? []
    }
}

extension FixedWidthInteger {
    fileprivate var bigEndianBytes: [UInt8] {
        withUnsafeBytes(of: bigEndian) { Array($0) }
    }
}
