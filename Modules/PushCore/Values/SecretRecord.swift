/// Fields, and secrets beside them, as one ``Secret``: how records are laid out in a store.
///
/// A secret kept this way never passes through a string or a general encoder, which would leave
/// copies that nobody clears. The layout is: the bytes `PR`, a version byte (1), the fields as JSON
/// text, the number of secrets as one byte, and each secret; text and secrets are preceded by their
/// length in bytes, four bytes, most significant first.
public struct SecretRecord: Sendable {
    /// What may be read by anyone who opened the record.
    public var fields: JSON.Object

    /// The secrets, in an order the owner defines; at most 255.
    public var secrets: [Secret]

    /// Creates a record.
    public init(fields: JSON.Object, secrets: [Secret] = []) {
        self.fields = fields
        self.secrets = Array(secrets.prefix(255))
    }

    /// Reads a record.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if it isn't whole and in this layout.
    public init(reading sealed: Secret) throws(PushError) {
        self = try sealed.withBytes { (bytes) throws(PushError) -> SecretRecord in
            let (text, secrets) = try Self.split(bytes)
            guard let fields = try JSON(parsing: text, limits: .init(bytes: text.count)).object
            else { throw Self.damaged }
            return SecretRecord(fields: fields, secrets: secrets)
        }
    }

    /// The secrets of a record that is whole and in this layout, without reading its fields.
    static func secrets(of sealed: Secret) throws(PushError) -> [Secret] {
        try sealed.withBytes { (bytes) throws(PushError) in try split(bytes).secrets }
    }

    private static func split(
        _ bytes: UnsafeRawBufferPointer
    ) throws(PushError) -> (text: UnsafeRawBufferPointer, secrets: [Secret]) {
        var reader = Reader(bytes: bytes)
        guard reader.byte() == 0x50, reader.byte() == 0x52, reader.byte() == 1,
            let text = reader.block(), let count = reader.byte()
        else { throw damaged }
        var secrets: [Secret] = []
        for _ in 0..<count {
            guard let block = reader.block() else { throw damaged }
            secrets.append(Secret(block))
        }
        guard reader.isAtEnd else { throw damaged }
        return (text, secrets)
    }

    /// The record as one secret.
    public var sealed: Secret {
        let secrets = secrets.prefix(255)
        let text = JSON.object(fields).utf8
        let size = 3 + 4 + text.count + 1 + secrets.reduce(0) { $0 + 4 + $1.count }
        return Secret(count: size) { buffer in
            var writer = Writer(buffer: buffer)
            writer.put(0x50)
            writer.put(0x52)
            writer.put(1)
            text.withUnsafeBytes { writer.putBlock($0) }
            writer.put(UInt8(secrets.count))
            for secret in secrets { secret.withBytes { writer.putBlock($0) } }
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
