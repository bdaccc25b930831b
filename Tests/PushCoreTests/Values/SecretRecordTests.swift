import Foundation
import PushCore
import Testing

struct SecretRecordTests {
    private let record = Secret.Record(
        fields: ["a": 1, "b": ["c": "é"]], secrets: [secret("one"), Secret([]), secret("three")])

    private func bytes(_ record: Secret.Record) -> [UInt8] { record.sealed.withBytes { Array($0) } }

    @Test(arguments: ["7f", "", "a\"b\\c\n", "é", String(repeating: "x", count: 300)])
    func `one field and one lent secret are sealed as any record is`(text: String) {
        let whole = Secret.Record(fields: ["messageId": .string(text)], secrets: [Secret([1, 2])])
        let lent = [UInt8]([1, 2]).withUnsafeBytes { secret in
            Secret.Record.sealed(field: "messageId", text, secret)
        }
        #expect(lent.withBytes { Array($0) } == bytes(whole))
    }

    @Test func `a record is read as it was written`() throws {
        let read = try Secret.Record(reading: record.sealed)
        #expect(read.fields == record.fields)
        #expect(read.secrets.count == 3)
        for (one, other) in zip(read.secrets, record.secrets) {
            #expect(one.isEqualInConstantTime(to: other))
        }
    }

    @Test func `an empty record is written as documented`() throws {
        let sealed = bytes(Secret.Record(fields: [:], secrets: [Secret([9])]))
        #expect(sealed == [0x50, 0x52, 1, 0, 0, 0, 2, 0x7B, 0x7D, 1, 0, 0, 0, 1, 9])
    }

    @Test func `every truncation and every appended byte is refused`() {
        let sealed = bytes(record)
        for count in 0..<sealed.count {
            #expect(code { try Secret.Record(reading: Secret(sealed.prefix(count))) } == .malformed)
        }
        #expect(code { try Secret.Record(reading: Secret(sealed + [0])) } == .malformed)
    }

    @Test func `a corrupted byte gives a record or a refusal, never a trap`() {
        let sealed = bytes(record)
        var refused = 0
        for position in sealed.indices {
            for flip in UInt8(1)...255 {
                var corrupt = sealed
                corrupt[position] ^= flip
                if code({ try Secret.Record(reading: Secret(corrupt)) }) == .malformed {
                    refused += 1
                }
            }
        }
        #expect(refused >= 3 * 255)
    }

    @Test func `fields that are no object are refused`() {
        let sealed: [UInt8] = [0x50, 0x52, 1, 0, 0, 0, 2, 0x5B, 0x5D, 0]
        #expect(code { try Secret.Record(reading: Secret(sealed)) } == .malformed)
    }

    @Test func `no more than 255 secrets are kept`() throws {
        var record = Secret.Record(fields: [:], secrets: Array(repeating: Secret([]), count: 300))
        #expect(record.secrets.count == 255)
        record.secrets = Array(repeating: Secret([]), count: 300)
        #expect(try Secret.Record(reading: record.sealed).secrets.count == 255)
    }
}
