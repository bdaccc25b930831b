/// Fields and secrets as one ``Secret``: the layout of records in a store.
///
/// A secret kept this way never passes through a string or a general encoder, which would leave
/// copies that nobody clears. The layout is: the bytes `PR`, a version byte (1), the fields as JSON
/// text, the number of secrets as one byte, and each secret; text and secrets are preceded by their
/// length in bytes, four bytes, most significant first.
public struct SecretRecord: Sendable {
    /// The fields, readable by anyone who opened the record.
    public var fields: JSON.Object

    /// The secrets in the owner's order; at most 255.
    public var secrets: [Secret]

    private static let maximumSecrets = 255

    /// Creates a record.
    public init(fields: JSON.Object, secrets: [Secret] = []) {
        self.fields = fields
        self.secrets =
            secrets.count <= Self.maximumSecrets ? secrets : Array(secrets[..<Self.maximumSecrets])
    }

    /// Reads a record.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if it isn't a whole record in this layout.
    public init(reading sealed: Secret) throws(PushError) {
        self = try sealed.withBytes { (bytes) throws(PushError) -> SecretRecord in
            var secrets: [Secret] = []
            let text = try Self.split(bytes) { secrets.append(Secret(copying: $0)) }
            guard let fields = try JSON(parsing: text, limits: .init(bytes: text.count)).object
            else { throw Self.damaged }
            return SecretRecord(fields: fields, secrets: secrets)
        }
    }

    /// The one secret of a record that is whole and in this layout, without reading its fields; `nil` if
    /// it has none, or more.
    static func onlySecret(of sealed: Secret) throws(PushError) -> Secret? {
        try sealed.withBytes { (bytes) throws(PushError) in
            var first: UnsafeRawBufferPointer?
            var count = 0
            try split(bytes) {
                first = $0
                count += 1
            }
            return count == 1 ? first.map { Secret(copying: $0) } : nil
        }
    }

    /// Gives the fields' text, and each secret to `take`.
    @discardableResult
    private static func split(
        _ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Void
    ) throws(PushError) -> UnsafeRawBufferPointer {
        var reader = Reader(bytes: bytes)
        guard reader.byte() == 0x50, reader.byte() == 0x52, reader.byte() == 1,
            let text = reader.block(), let count = reader.byte()
        else { throw damaged }
        for _ in 0..<count {
            guard let block = reader.block() else { throw damaged }
            take(block)
        }
        guard reader.isAtEnd else { throw damaged }
        return text
    }

    /// The record as one secret.
    public var sealed: Secret {
        let secrets = secrets.prefix(Self.maximumSecrets)
        let size = secrets.reduce(0) { $0 + 4 + $1.count }
        return Self.seal(JSON.object(fields).utf8, secrets.count, size) { writer in
            for secret in secrets { secret.withBytes { writer.putBlock($0) } }
        }
    }

    /// A record of fields and one secret, which is lent and copied nowhere else.
    package static func sealed(fields: JSON.Object, _ secret: UnsafeRawBufferPointer) -> Secret {
        seal(JSON.object(fields).utf8, 1, 4 + secret.count) { $0.putBlock(secret) }
    }

    /// A record of one field, a string, and one secret, as ``sealed(fields:_:)`` makes it.
    package static func sealed(
        field name: String, _ text: String, _ secret: UnsafeRawBufferPointer
    ) -> Secret {
        seal(JSON.utf8(name: name, text: text), 1, 4 + secret.count) { $0.putBlock(secret) }
    }

    private static func seal(
        _ text: [UInt8], _ count: Int, _ size: Int, _ putSecrets: (inout Writer) -> Void
    ) -> Secret {
        Secret(count: 3 + 4 + text.count + 1 + size) { buffer in
            var writer = Writer(buffer: buffer)
            writer.put(0x50)
            writer.put(0x52)
            writer.put(1)
            text.withUnsafeBytes { writer.putBlock($0) }
            writer.put(UInt8(count))
            putSecrets(&writer)
        }
    }

    private struct Writer {
        let buffer: UnsafeMutableRawBufferPointer
        var position = 0

        mutating func put(_ byte: UInt8) {
            buffer[position] = byte
            position += 1
        }

        mutating func putBlock(_ bytes: UnsafeRawBufferPointer) {
            withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { put(all: $0) }
            put(all: bytes)
        }

        private mutating func put(all bytes: UnsafeRawBufferPointer) {
            UnsafeMutableRawBufferPointer(rebasing: buffer[position...]).copyMemory(from: bytes)
            position += bytes.count
        }
    }

    private static let damaged = PushError(.malformed, "A record is damaged.")

    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var position = 0

        var isAtEnd: Bool { position == bytes.count }

        mutating func byte() -> UInt8? {
            guard position < bytes.count else { return nil }
            defer { position += 1 }
            return bytes[position]
        }

        mutating func block() -> UnsafeRawBufferPointer? {
            guard bytes.count - position >= 4 else { return nil }
            let length = Int(
                UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
            position += 4
            guard length <= bytes.count - position else { return nil }
            defer { position += length }
            return UnsafeRawBufferPointer(rebasing: bytes[position..<position + length])
        }
    }
}
