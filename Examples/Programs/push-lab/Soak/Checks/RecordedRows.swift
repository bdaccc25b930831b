import Foundation
import PushCore

/// The rows in an enrollment's record, by a reader of the harness's own: neither it nor the SDK's
/// can hide the other's mistake.
///
/// Before them are 31 bytes, which begin with `PE` and a version, and two blocks. Then comes how
/// many rows there are, and of each 17 bytes and a block; then how many traces. A block has its
/// length before it. Such a number has four bytes, that of the traces two, the most significant
/// first.
struct RecordedRows {
    /// Where the enrollments' records are.
    static let collection = "enrollment"

    private(set) var rows: [Secret.Record] = []

    /// How many challenges are known by a trace alone.
    private(set) var traces = 0

    private var rest: Data

    /// - Throws: `PushError` with the code `malformed` if it is no such record.
    init(in record: Data) throws(PushError) {
        rest = record
        guard try bytes(31).starts(with: "PE\u{1}".utf8) else { throw Self.malformed }
        for _ in 0..<2 { _ = try block() }
        for _ in 0..<(try number(4)) {
            _ = try bytes(17)
            rows.append(try Secret.Record(reading: Secret(block())))
        }
        traces = try number(2)
    }

    private mutating func bytes(_ count: Int) throws(PushError) -> Data {
        guard rest.count >= count else { throw Self.malformed }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private mutating func number(_ count: Int) throws(PushError) -> Int {
        try bytes(count).reduce(0) { $0 << 8 | Int($1) }
    }

    private mutating func block() throws(PushError) -> Data { try bytes(number(4)) }

    private static let malformed = PushError(
        .malformed, "Expected an enrollment's record with rows, not something else.")
}
