/// How a document is laid out in its record: numbers have their most significant byte first, a
/// block has its length in four bytes before it, a list its count.
///
/// - `PE` and a version, 3 bytes; the salt, 16; generation, time passed, alarm, 4 each
/// - the blocks of the head and of the credential
/// - the rows, counted in four bytes: name, 16; flags, 1; a block
/// - the traces, counted in two: name, 16; end, 4; verdict, 1
/// - the times of challenges, counted in two: 4 each
/// - the messages that were told, counted in two: 8 each
extension EnrollmentDocument {
    /// Which form a record has. Another form is neither damaged nor none: it is refused, and stays.
    private static let version: UInt8 = 1

    /// The same with the block of what is behind a guard after the credential's. A version that
    /// knows no guards leaves it as it is.
    private static let guardedVersion: UInt8 = 2

    /// Reads a document, and no row of it: `malformed` if it is damaged, `unsupportedRecord` if a
    /// later version wrote it. Whoever has read its head before needn't read that again.
    init(
        reading sealed: Secret,
        readHead: (Secret) throws(PushError) -> EnrollmentHead = EnrollmentHead.init(reading:)
    ) throws(PushError) {
        self = try sealed.withBytes { (bytes) throws(PushError) in
            var reader = RecordReader(bytes)
            guard reader.number() == UInt8(ascii: "P"), reader.number() == UInt8(ascii: "E"),
                let version = reader.number(UInt8.self)
            else { throw Self.damaged }
            guard version == Self.version || version == Self.guardedVersion else {
                throw PushError(
                    .unsupportedRecord,
                    "Another version wrote an enrollment's record. It is left as it is.")
            }
            let guards = version - Self.version
            guard let document = try EnrollmentDocument(&reader, guards, readHead),
                reader.isAtEnd
            else { throw Self.damaged }
            return document
        }
    }

    private init?(
        _ reader: inout RecordReader, _ guards: UInt8,
        _ readHead: (Secret) throws(PushError) -> EnrollmentHead
    ) throws(PushError) {
        guard let salt = reader.bytes(16), let names = SipHash(key: Secret(copying: salt)),
            let generation = reader.number(UInt32.self), let passed = reader.number(UInt32.self),
            let alarm = reader.number(UInt32.self),
            let head = reader.block(), let credential = reader.block(),
            let guarded = reader.list(guards, { $0.block().map(Secret.init(copying:)) }),
            let rows = reader.list(reader.number(UInt32.self), RowSlot.init),
            let traces = reader.list(reader.number(UInt16.self), Trace.init),
            let times = reader.list(reader.number(UInt16.self), CompactDate.init),
            let told = reader.list(reader.number(UInt16.self), { $0.number(UInt64.self) })
        else { return nil }
        try self.init(
            recorded: names, generation: generation, passed: CompactDate(rawValue: passed),
            head: Secret(copying: head), credential: Secret(copying: credential),
            guarded: guarded.first, rows: DocumentRows(slots: rows), traces: Traces(all: traces),
            bursts: Bursts(times: times, alarm: CompactDate(rawValue: alarm)), told: told,
            readHead: readHead)
    }

    var sealed: Secret {
        let blocks = [sealedHead, credential] + [guarded?.part].compactMap(\.self)
        let size =
            31 + blocks.reduce(0) { $0 + 4 + $1.count }
            + 4 + rows.slots.reduce(0) { $0 + 21 + $1.sealed.count }
            + 2 + 21 * traces.all.count + 2 + 4 * bursts.times.count + 2 + 8 * told.count
        return Secret(count: size) { buffer in
            var writer = RecordWriter(buffer)
            writer.put(UInt8(ascii: "P"))
            writer.put(UInt8(ascii: "E"))
            writer.put(guarded == nil ? Self.version : Self.guardedVersion)
            names.key.withBytes { writer.put($0) }
            writer.put(generation)
            writer.put(passed?.rawValue ?? 0)
            writer.put(bursts.alarm?.rawValue ?? 0)
            for block in blocks { block.withBytes { writer.putBlock($0) } }
            writer.put(UInt32(rows.slots.count))
            for slot in rows.slots {
                slot.name.write(to: &writer)
                writer.put(slot.flags.rawValue)
                slot.sealed.withBytes { writer.putBlock($0) }
            }
            writer.put(UInt16(traces.all.count))
            for trace in traces.all {
                trace.name.write(to: &writer)
                writer.put(trace.end?.rawValue ?? 0)
                writer.put(trace.verdict.rawValue)
            }
            writer.put(UInt16(bursts.times.count))
            for time in bursts.times { writer.put(time.rawValue) }
            writer.put(UInt16(told.count))
            for message in told { writer.put(message) }
        }
    }

    private static let damaged = PushError(.malformed, "An enrollment's record is damaged.")
}

extension SipHash.Digest {
    /// Reads 32 hexadecimal digits; `nil` if it is something else.
    init?(hexadecimal text: String) {
        guard let bytes = Hexadecimal.bytes(text.utf8), bytes.count == 16 else { return nil }
        let digest = bytes.withUnsafeBytes { bytes -> Self? in
            var reader = RecordReader(bytes)
            return Self(&reader)
        }
        guard let digest else { return nil }
        self = digest
    }

    fileprivate init?(_ reader: inout RecordReader) {
        guard let high = reader.number(UInt64.self), let low = reader.number(UInt64.self) else {
            return nil
        }
        self.init(high: high, low: low)
    }

    fileprivate func write(to writer: inout RecordWriter) {
        writer.put(high)
        writer.put(low)
    }
}

extension RowSlot {
    fileprivate init?(_ reader: inout RecordReader) {
        guard let name = SipHash.Digest(&reader),
            let flags = reader.number().flatMap(Flags.init(rawValue:)),
            let sealed = reader.block()
        else { return nil }
        self.init(name, flags, Secret(copying: sealed))
    }
}

extension Trace {
    fileprivate init?(_ reader: inout RecordReader) {
        guard let name = SipHash.Digest(&reader), let end = reader.number(UInt32.self),
            let verdict = reader.number(UInt8.self)
        else { return nil }
        self.init(
            name: name, end: CompactDate(rawValue: end), verdict: Verdict(rawValue: verdict))
    }
}

extension CompactDate {
    /// `nil` for none as well.
    fileprivate init?(_ reader: inout RecordReader) {
        guard let value = reader.number(UInt32.self) else { return nil }
        self.init(rawValue: value)
    }
}
