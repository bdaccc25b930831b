import Foundation
import PushTesting
import Testing

@testable import PushCore

/// A document's bytes.
struct DocumentRecordTests {
    private let moment = EnrollmentDocument.moment

    /// A document that has all there can be.
    private func full() throws -> EnrollmentDocument {
        var document = try EnrollmentDocument.ada(passed: moment - 60)
        for name in ["open", "decided", "answered", "over"] { try document.announce(name) }
        for name in ["decided", "answered"] { try document.decide(name) }
        for name in ["trace", "undated"] {
            try document.withdraw(name, expiry: moment, at: moment, Retention(rows: 0))
        }
        try document.settle("answered")
        try document.withdraw("over")
        try document.change("mentioned") { row in _ = row.mention() }
        _ = document.tell(["message", "other"])
        _ = document.bursts.count(at: moment, beyond: 3, within: .seconds(600))
        document.bursts.raiseAlarm(at: moment)
        document.reenroll(document.head.enrollment, secret("provider's"))
        return document
    }

    @Test func `it is laid out as documented`() throws {
        let enrollment = Enrollment(id: .ada, state: .active, created: moment)
        var document = try EnrollmentDocument(
            salt: Secret(Array(0..<16)), EnrollmentHead(enrollment), Secret([0xC]))
        document.passed = CompactDate(rawValue: 0x0102_0304)
        document.bursts = Bursts(
            times: [CompactDate(rawValue: 0x0A0B_0C0D)].compactMap(\.self),
            alarm: CompactDate(rawValue: 0x0506_0708))
        document.reenroll(enrollment, Secret([0xC]))
        try document.withdraw("1", expiry: Date(timeIntervalSince1970: 1_577_836_801), at: moment)
        try document.withdraw("2", at: moment, Retention(rows: 1))
        let told = document.tell(["m"])
        #expect(told == [true])
        let name = { (text: String) -> [UInt8] in
            let digest = document.names.digest(of: text.utf8)
            return [digest.high, digest.low].flatMap { word in
                withUnsafeBytes(of: word.bigEndian) { Array($0) }
            }
        }
        func block(_ sealed: Secret) -> [UInt8] {
            [0, 0, UInt8(sealed.count >> 8), UInt8(sealed.count & 0xFF)]
                + sealed.withBytes { Array($0) }
        }
        // The end passed long ago, and so the trace is gone.
        #expect(try document.row("1") == nil && document.traces.all.isEmpty)
        try document.withdraw("3", expiry: moment + 1e9, at: moment, Retention(rows: 1))
        try document.withdraw("4", at: moment, Retention(rows: 1))
        let row = try #require(try document.row("4"))
        let end = withUnsafeBytes(of: UInt32(1_182_163_200).bigEndian) { Array($0) }
        let undated = withUnsafeBytes(of: UInt32(0x0102_0304 + 30 * 86_400).bigEndian) { Array($0) }
        let parts: [[UInt8]] = [
            [0x50, 0x45, 1], Array(0..<16), [0, 0, 0, 1], [1, 2, 3, 4], [5, 6, 7, 8],
            block(EnrollmentHead(enrollment).sealed), [0, 0, 0, 1, 0xC],
            [0, 0, 0, 1], name("4"), [2], block(row.sealed),
            [0, 2], name("2"), undated, [1], name("3"), end, [1],
            [0, 1, 0xA, 0xB, 0xC, 0xD], [0, 1], Array(name("m").prefix(8)),
        ]
        #expect(document.bytes == parts.flatMap(\.self))
    }

    @Test func `it is read as it was written, and no row of it`() throws {
        let document = try full()
        let again = try document.again
        #expect(again.bytes == document.bytes)
        #expect(!again.hasChanged && again.generation == 1)
        #expect(again.traces == document.traces && again.traces.all.count == 2)
        #expect(again.told == document.told && again.passed == document.passed)
        #expect(try again.rowNames() == document.rowNames())
        // Rows that nobody could read go through as well.
        let slots = again.rows.slots.map { RowSlot($0.name, $0.flags, secret("no row")) }
        let unread = try EnrollmentDocument(
            recorded: again.names, generation: 9, passed: nil, head: again.sealedHead,
            credential: again.credential, guarded: nil, rows: DocumentRows(slots: slots),
            traces: again.traces, bursts: again.bursts, told: again.told)
        #expect(try unread.again.bytes == unread.bytes)
        #expect(try unread.again.waits)
    }

    @Test func `every cut and every appended byte is refused`() throws {
        let bytes = try full().bytes
        for count in bytes.indices {
            let cut = Secret(bytes.prefix(count))
            #expect(code { try EnrollmentDocument(reading: cut) } == .malformed)
        }
        #expect(code { try EnrollmentDocument(reading: Secret(bytes + [0])) } == .malformed)
    }

    @Test func `a spoiled byte gives a document or a refusal, and a document works`() throws {
        let bytes = try full().bytes
        let random = SeededRandom(seed: 7)
        var (refused, later, read) = (0, 0, 0)
        for position in bytes.indices {
            for flip in [1, 0x80, UInt8(truncatingIfNeeded: random.next() % 255 + 1)] {
                var spoiled = bytes
                spoiled[position] ^= flip
                switch code({ try checkSpoiled(spoiled) }) {
                case nil: read += 1
                case .malformed?: refused += 1
                case .unsupportedRecord? where position == 2: later += 1
                case let other?: Issue.record("\(other) at \(position)")
                }
            }
        }
        #expect(later == 3)
        #expect(refused > 100 && read > 2 * bytes.count, "\(refused), \(read) of \(bytes.count)")
    }

    /// Reads a spoiled document, and if that can be read, whatever can be read of it.
    private func checkSpoiled(_ bytes: [UInt8]) throws {
        var document = try EnrollmentDocument(reading: Secret(bytes))
        #expect(document.bytes == bytes)
        // Each challenge costs itself at the most.
        for name in ["open", "decided", "trace", "never"] {
            let error = code { try document.known(.ada(name)) }
            #expect(error == nil || error == .unsupportedRecord)
        }
        try document.withdraw("new", at: moment, Retention(count: 0, rows: 0))
        #expect(try document.again.bytes == document.bytes)
    }

    @Test func `a spoiled flag makes no trace of a decision`() throws {
        var document = try EnrollmentDocument.ada(passed: moment)
        try document.announce("1", expiry: moment - 1e8)
        try document.decide("1")
        let slots = document.rows.slots.map { RowSlot($0.name, .ended, $0.sealed) }
        document = try document.with(slots)
        #expect(!document.waits)
        try document.withdraw("2", at: moment, Retention(rows: 0))
        #expect(try document.again.row("1")?.state == .decided(.approve))
        #expect(document.waits)
    }

    // MARK: Sizes

    /// The bytes of a document with blocks of these sizes.
    private func size(
        head: Int, credential: Int, rows: [Int], traces: Int, times: Int, told: Int
    ) throws -> Int {
        let names = EnrollmentDocumentNames.all(rows.count + traces)
        let blank = { (count: Int) in Secret(count: count) { _ in } }
        var enrollment = Enrollment(id: .ada, account: "", state: .active, created: moment)
        let rest = head - EnrollmentHead(enrollment).sealed.count
        enrollment.account = String(repeating: "x", count: rest)
        return try EnrollmentDocument(
            recorded: try #require(SipHash(key: blank(16))), generation: 0, passed: nil,
            head: EnrollmentHead(enrollment).sealed,
            credential: blank(credential), guarded: nil,
            rows: DocumentRows(slots: zip(names, rows).map { RowSlot($0, .ended, blank($1)) }),
            traces: Traces(all: names.suffix(traces).map { Trace(name: $0, verdict: .over) }),
            bursts: Bursts(
                times: Array(repeating: CompactDate(.now), count: times).compactMap(\.self)),
            told: Array(repeating: 0, count: told)
        ).sealed.count
    }

    @Test func `each part has its size, and all bounds together are below half a megabyte`() throws
    {
        let empty = 31 + 4 + 4 + 4 + 2 + 2 + 2
        #expect(
            try size(head: 350, credential: 0, rows: [], traces: 0, times: 0, told: 0)
                == empty + 350)
        let phone = Array(repeating: 800, count: 16) + [900]
        #expect(
            try size(head: 350, credential: 900, rows: phone, traces: 14, times: 1, told: 0)
                == empty + 350 + 900 + 17 * 21 + 16 * 800 + 900 + 14 * 21 + 4)
        let rows = Array(repeating: 4096, count: 64 + 16)
        let bounds = try size(
            head: 4096, credential: 65_536, rows: rows, traces: 2000, times: 103, told: 500)
        #expect(bounds == empty + 4096 + 65_536 + 80 * (21 + 4096) + 2000 * 21 + 103 * 4 + 4000)
        #expect((430_000..<450_000).contains(bounds))
    }
}

/// Names that nobody has hashed.
private enum EnrollmentDocumentNames {
    static func all(_ count: Int) -> [SipHash.Digest] {
        (0..<count).map { SipHash.Digest(high: 0, low: UInt64($0)) }
    }
}
