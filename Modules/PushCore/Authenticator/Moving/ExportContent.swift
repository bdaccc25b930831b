#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The content of an export, before it is sealed: a ``Secret/Record`` that says the format and how
/// many follow, and one for each enrollment. Each is preceded by its length in four bytes, most
/// significant first. The same enrollment is in it once.
struct ExportContent: Sendable {
    /// What of an enrollment has left a device.
    struct Entry: Sendable {
        /// Its public half: active or blocked, and without a device token. Its guard's policy says how
        /// it is guarded where it arrives; its content is open.
        let enrollment: Enrollment

        /// Whether it lives on another device as well.
        let isCopy: Bool

        /// What its provider gave.
        let content: Secret.Record

        /// What is known of its challenges: a push of one that comes again, or late, asks nobody on
        /// the other device.
        let past: PastChallenges
    }

    private(set) var entries: [Entry] = []

    /// In bytes, without the head.
    private var size = 0

    private static let format: Int64 = 1
    private static let most = 10_000

    /// In bytes: less than what a seal takes.
    private static let largest = 32 << 20

    init() {}

    mutating func append(_ entry: Entry) {
        entries.append(entry)
        size += entry.size
    }

    /// Throws `invalidArgument` if another entry has no room, `malformed` if nobody could read it.
    func checkRoom(for entry: Entry) throws(PushError) {
        guard entries.count < Self.most, size + entry.size <= Self.largest else {
            throw PushError(
                .invalidArgument, "One export holds at most 10,000 enrollments and 32 MiB.")
        }
        try entry.checkReadable()
    }

    /// Reads a content: `unsupportedRecord` if it is of a newer version, `malformed` if it isn't
    /// right.
    init(reading content: Secret) throws(PushError) {
        let blocks = try content.withBytes(Self.blocks)
        guard let first = blocks.first else { throw Self.wrong("It is empty.") }
        let head = try Secret.Record(reading: first).fields
        guard try head.required("format", { $0.integer }) == Self.format else {
            throw PushError(.unsupportedRecord, "The export is of a newer version.")
        }
        let count = try head.required("count") { $0.integer }
        guard count == Int64(blocks.count - 1) else {
            throw Self.wrong("An enrollment is missing.")
        }
        var seen: Set<Enrollment.ID> = []
        for block in blocks.dropFirst() {
            let entry = try Entry(reading: try Secret.Record(reading: block))
            guard seen.insert(entry.enrollment.id).inserted else {
                throw Self.wrong("An enrollment is in it twice.")
            }
            append(entry)
        }
    }

    var sealed: Secret {
        let head = Secret.Record(
            fields: ["format": .integer(Self.format), "count": .integer(entries.count)])
        let blocks = [head.sealed] + entries.map(\.record.sealed)
        return Secret(count: blocks.reduce(0) { $0 + 4 + $1.count }) { buffer in
            var writer = RecordWriter(buffer)
            for block in blocks { block.withBytes { writer.putBlock($0) } }
        }
    }

    private static func blocks(
        of bytes: UnsafeRawBufferPointer
    ) throws(PushError) -> [Secret] {
        var blocks: [Secret] = []
        var reader = RecordReader(bytes)
        while !reader.isAtEnd {
            guard blocks.count <= most, let block = reader.block() else {
                throw wrong("It is cut off.")
            }
            blocks.append(Secret(copying: block))
        }
        return blocks
    }

    fileprivate static func wrong(_ reason: String) -> PushError {
        PushError(.malformed, "The export isn't right: \(reason)")
    }
}

extension ExportContent.Entry {
    /// In bytes, with its length.
    fileprivate var size: Int { 4 + record.sealed.count }

    /// Reads what would be written, as the other device will.
    func checkReadable() throws(PushError) {
        _ = try ExportContent.Entry(reading: Secret.Record(reading: record.sealed))
    }

    fileprivate init(reading record: Secret.Record) throws(PushError) {
        let reader = MemberReader(record.fields)
        let id = Enrollment.ID(
            try reader.text("name"),
            of: ProviderID(rawValue: try reader.text("provider")))
        guard !id.name.isEmpty, !id.provider.rawValue.isEmpty else {
            throw ExportContent.wrong("A name is empty.")
        }
        let host = try reader.optionalText("host")
        guard host?.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) != false else {
            throw ExportContent.wrong("A host isn't one.")
        }
        let port = try reader.optional("port") { $0.integer } ?? 443
        guard (1...65535).contains(port) else {
            throw ExportContent.wrong("A port is out of range.")
        }
        let created = try reader.required("created") { $0.integer }
        var enrollment = Enrollment(
            id: id, issuer: try reader.optionalText("issuer"),
            account: try reader.optionalText("account"), host: host, port: Int(port),
            state: try reader.optionalText("blocked").map { .blocked($0) } ?? .active,
            created: Date(timeIntervalSince1970: Double(created) / 1000))
        enrollment.takesDeviceToken = try reader.optional("takesDeviceToken") { $0.bool } ?? true
        enrollment.guardPolicy = try reader.optional("guard") {
            $0.string.flatMap(GuardPolicy.init)
        }
        self.enrollment = enrollment
        switch try reader.text("mode") {
        case "moved": isCopy = false
        case "copied": isCopy = true
        default: throw ExportContent.wrong("A mode is unknown.")
        }
        guard let salt = record.secrets.first, salt.count == 16 else {
            throw ExportContent.wrong("A salt is missing.")
        }
        content = Secret.Record(
            fields: try reader.required("content") { $0.object },
            secrets: Array(record.secrets.dropFirst()))
        past = PastChallenges(
            salt: salt,
            traces: try Self.traces(try reader.optional("challenges") { $0.array } ?? []))
    }

    private static func traces(_ list: [JSON]) throws(PushError) -> [Trace] {
        guard list.count <= Traces.most else {
            throw ExportContent.wrong("It has too many challenges.")
        }
        var traces: [Trace] = []
        for json in list {
            let reader = try MemberReader(json)
            guard let name = SipHash.Digest(hexadecimal: try reader.text("name")),
                let verdict = UInt8(exactly: try reader.required("verdict") { $0.integer }),
                let end = UInt32(exactly: try reader.optional("end") { $0.integer } ?? 0)
            else { throw ExportContent.wrong("A challenge isn't one.") }
            traces.append(
                Trace(
                    name: name, end: CompactDate(rawValue: end),
                    verdict: Trace.Verdict(rawValue: verdict)))
        }
        return traces
    }

    fileprivate var record: Secret.Record {
        let created = enrollment.created.timeIntervalSince1970 * 1000  // milliseconds
        var fields: JSON.Object = [
            "provider": .string(enrollment.id.provider.rawValue),
            "name": .string(enrollment.id.name), "port": .integer(enrollment.port),
            "created": .integer(Int64(exactly: created.rounded()) ?? 0),
            "mode": isCopy ? "copied" : "moved", "content": .object(content.fields),
        ]
        fields["issuer"] = enrollment.issuer.map(JSON.string)
        fields["account"] = enrollment.account.map(JSON.string)
        fields["host"] = enrollment.host.map(JSON.string)
        if case .blocked(let why) = enrollment.state { fields["blocked"] = .string(why) }
        if !enrollment.takesDeviceToken { fields["takesDeviceToken"] = false }
        fields["guard"] = enrollment.guardPolicy.map { .string($0.rawValue) }
        if !past.traces.isEmpty { fields["challenges"] = .array(past.traces.map(Self.json)) }
        return Secret.Record(fields: fields, secrets: [past.salt] + content.secrets)
    }

    private static func json(_ trace: Trace) -> JSON {
        var members: JSON.Object = [
            "name": .string(trace.name.hexadecimal), "verdict": .integer(trace.verdict.rawValue),
        ]
        members["end"] = trace.end.map { .integer($0.rawValue) }
        return .object(members)
    }
}
