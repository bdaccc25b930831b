#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The content of an export, before it is sealed: a ``SecretRecord`` that says the format and how many
/// follow, and one for each enrollment. Each is preceded by its length in four bytes, most significant
/// first. The same enrollment is in it once.
struct ExportContent: Sendable {
    /// What of an enrollment has left a device.
    struct Entry: Sendable {
        /// Its public half: active or blocked, and without a device token.
        let enrollment: Enrollment

        /// Whether it lives on another device as well.
        let isCopy: Bool

        /// What its provider gave.
        let content: SecretRecord

        /// The challenges that the user answered, newest first: a push of one that comes again, or late,
        /// asks nobody on the other device.
        var answered: [Withdrawal] = []

        /// How many of them leave.
        static let mostAnswered = 500
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

    /// Whether another entry has room, and will be read.
    ///
    /// - Throws: ``PushError``: `invalidArgument` if it hasn't, `malformed` if nobody could read it.
    func checkRoom(for entry: Entry) throws(PushError) {
        guard entries.count < Self.most, size + entry.size <= Self.largest else {
            throw PushError(
                .invalidArgument, "One export holds at most 10,000 enrollments and 32 MiB.")
        }
        try entry.checkReadable()
    }

    /// Reads a content.
    ///
    /// - Throws: ``PushError`` with the code `unsupportedRecord` if it is of a newer version,
    ///   `malformed` if it isn't right.
    init(reading content: Secret) throws(PushError) {
        let blocks = try content.withBytes { (bytes) throws(PushError) in try Self.blocks(of: bytes)
        }
        guard let first = blocks.first else { throw Self.wrong("It is empty.") }
        let head = try SecretRecord(reading: first).fields
        guard try head.required("format", { $0.integer }) == Self.format else {
            throw PushError(.unsupportedRecord, "The export is of a newer version.")
        }
        let count = try head.required("count") { $0.integer }
        guard count == Int64(blocks.count - 1) else {
            throw Self.wrong("An enrollment is missing.")
        }
        var seen: Set<Enrollment.ID> = []
        for block in blocks.dropFirst() {
            let entry = try Entry(reading: try SecretRecord(reading: block))
            guard seen.insert(entry.enrollment.id).inserted else {
                throw Self.wrong("An enrollment is in it twice.")
            }
            append(entry)
        }
    }

    var sealed: Secret {
        let head = SecretRecord(
            fields: ["format": .integer(Self.format), "count": .integer(entries.count)])
        let blocks = [head.sealed] + entries.map(\.record.sealed)
        return Secret(count: blocks.reduce(0) { $0 + 4 + $1.count }) { buffer in
            var place = 0
            for block in blocks {
                let length = UInt32(block.count).bigEndian
                buffer.storeBytes(of: length, toByteOffset: place, as: UInt32.self)
                block.withBytes {
                    UnsafeMutableRawBufferPointer(rebasing: buffer[(place + 4)...])
                        .copyMemory(from: $0)
                }
                place += 4 + block.count
            }
        }
    }

    private static func blocks(
        of bytes: UnsafeRawBufferPointer
    ) throws(PushError) -> [Secret] {
        var blocks: [Secret] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard blocks.count <= most, rest.count >= 4 else { throw wrong("It is cut off.") }
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard length <= rest.count else { throw wrong("It is cut off.") }
            blocks.append(Secret(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return blocks
    }

    fileprivate static func wrong(_ reason: String) -> PushError {
        PushError(.malformed, "The export isn't right: \(reason)")
    }
}

extension ExportContent.Entry {
    private static let ports: ClosedRange<Int64> = 1...65535

    /// In bytes, with its length.
    fileprivate var size: Int { 4 + record.sealed.count }

    /// Reads what would be written, as the other device will.
    func checkReadable() throws(PushError) {
        _ = try ExportContent.Entry(reading: SecretRecord(reading: record.sealed))
    }

    fileprivate init(reading record: SecretRecord) throws(PushError) {
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
        guard Self.ports.contains(port) else {
            throw ExportContent.wrong("A port is out of range.")
        }
        let created = Self.date(try reader.required("created") { $0.integer })
        var enrollment = Enrollment(
            id: id, issuer: try reader.optionalText("issuer"),
            account: try reader.optionalText("account"), host: host, port: Int(port),
            state: try reader.optionalText("blocked").map { .blocked($0) } ?? .active,
            created: created)
        enrollment.takesDeviceToken = try reader.optional("takesDeviceToken") { $0.bool } ?? true
        self.enrollment = enrollment
        switch try reader.text("mode") {
        case "moved": isCopy = false
        case "copied": isCopy = true
        default: throw ExportContent.wrong("A mode is unknown.")
        }
        content = SecretRecord(
            fields: try reader.required("content") { $0.object }, secrets: record.secrets)
        answered = try Self.answered(try reader.optional("answered") { $0.array } ?? [], of: id)
    }

    private static func answered(
        _ list: [JSON], of enrollment: Enrollment.ID
    ) throws(PushError) -> [Withdrawal] {
        guard list.count <= mostAnswered else {
            throw ExportContent.wrong("It has too many answered challenges.")
        }
        var answered: [Withdrawal] = []
        for json in list {
            let reader = try MemberReader(json)
            let name = try reader.text("name")
            guard !name.isEmpty else { throw ExportContent.wrong("A name is empty.") }
            let expiry = try reader.optional("expiry") { $0.integer }.map(Self.date)
            answered.append(Withdrawal(.init(name, of: enrollment), .elsewhere, expiry: expiry))
        }
        return answered
    }

    fileprivate var record: SecretRecord {
        var fields: JSON.Object = [
            "provider": .string(enrollment.id.provider.rawValue),
            "name": .string(enrollment.id.name), "port": .integer(enrollment.port),
            "created": Self.json(enrollment.created),
            "mode": isCopy ? "copied" : "moved", "content": .object(content.fields),
        ]
        fields["issuer"] = enrollment.issuer.map(JSON.string)
        fields["account"] = enrollment.account.map(JSON.string)
        fields["host"] = enrollment.host.map(JSON.string)
        if case .blocked(let why) = enrollment.state { fields["blocked"] = .string(why) }
        if !enrollment.takesDeviceToken { fields["takesDeviceToken"] = false }
        if !answered.isEmpty { fields["answered"] = .array(answered.map(Self.json)) }
        return SecretRecord(fields: fields, secrets: content.secrets)
    }

    private static func json(_ answered: Withdrawal) -> JSON {
        var members: JSON.Object = ["name": .string(answered.id.name)]
        members["expiry"] = answered.expiry.map(Self.json)
        return .object(members)
    }

    private static func json(_ date: Date) -> JSON {
        .integer(Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? 0)
    }

    private static func date(_ milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
