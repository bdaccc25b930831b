extension Secret {
    /// Fields and secrets as one ``Secret``: the layout of records in a store.
    ///
    /// A secret kept this way never passes through a string or a general encoder, which would leave
    /// copies that nobody clears. The layout is: the bytes `PR`, a version byte (1), the fields as
    /// JSON text, the number of secrets as one byte, and each secret; text and secrets are preceded
    /// by their length in bytes, four bytes, most significant first.
    public struct Record: Sendable {
        /// The fields, readable by anyone who opened the record.
        public var fields: JSON.Object

        /// The secrets in the owner's order; at most 255.
        public var secrets: [Secret]

        private static let maximumSecrets = 255

        private static let version: UInt8 = 1

        /// Creates a record.
        public init(fields: JSON.Object, secrets: [Secret] = []) {
            self.fields = fields
            self.secrets =
                secrets.count <= Self.maximumSecrets
                ? secrets : Array(secrets[..<Self.maximumSecrets])
        }

        /// Reads a record.
        ///
        /// - Throws: ``PushError`` with the code `malformed` if it isn't a whole record in this
        ///   layout.
        public init(reading sealed: Secret) throws(PushError) {
            self = try sealed.withBytes { (bytes) throws(PushError) -> Secret.Record in
                var secrets: [Secret] = []
                let text = try Self.split(bytes) { secrets.append(Secret(copying: $0)) }
                guard let fields = try JSON(parsing: text, limits: .init(bytes: text.count)).object
                else { throw Self.damaged }
                return Secret.Record(fields: fields, secrets: secrets)
            }
        }

        /// Gives the fields' text, and each secret to `take`.
        @discardableResult
        private static func split(
            _ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Void
        ) throws(PushError) -> UnsafeRawBufferPointer {
            var reader = RecordReader(bytes)
            guard reader.number() == UInt8(ascii: "P"), reader.number() == UInt8(ascii: "R"),
                reader.number() == Self.version, let text = reader.block(),
                let count = reader.number(UInt8.self)
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
        package static func sealed(fields: JSON.Object, _ secret: UnsafeRawBufferPointer) -> Secret
        {
            seal(JSON.object(fields).utf8, 1, 4 + secret.count) { $0.putBlock(secret) }
        }

        /// A record of one field, a string, and one secret, as ``sealed(fields:_:)`` makes it.
        package static func sealed(
            field name: String, _ text: String, _ secret: UnsafeRawBufferPointer
        ) -> Secret {
            seal(JSON.utf8(name: name, text: text), 1, 4 + secret.count) { $0.putBlock(secret) }
        }

        private static func seal(
            _ text: [UInt8], _ count: Int, _ size: Int, _ putSecrets: (inout RecordWriter) -> Void
        ) -> Secret {
            Secret(count: 3 + 4 + text.count + 1 + size) { buffer in
                var writer = RecordWriter(buffer)
                writer.put(UInt8(ascii: "P"))
                writer.put(UInt8(ascii: "R"))
                writer.put(version)
                text.withUnsafeBytes { writer.putBlock($0) }
                writer.put(UInt8(count))
                putSecrets(&writer)
            }
        }

        private static let damaged = PushError(.malformed, "A record is damaged.")
    }
}
