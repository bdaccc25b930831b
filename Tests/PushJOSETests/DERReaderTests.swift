import PushCore
import Testing

@testable import PushJOSE

@Suite struct DERReaderTests {
    private func natural(_ bytes: [UInt8]) throws(PushError) -> [UInt8] {
        try Secret(bytes).withBytes { (bytes) throws(PushError) in
            var reader = DERReader(bytes)
            let octets = try reader.natural()
            try reader.end()
            return Array(octets)
        }
    }

    @Test(
        arguments: [
            ([0x02, 0x01, 0x00], [0x00]), ([0x02, 0x01, 0x7F], [0x7F]),
            ([0x02, 0x02, 0x00, 0x80], [0x80]),
            ([0x02, 0x03, 0x01, 0x00, 0x01], [0x01, 0x00, 0x01]),
        ] as [([UInt8], [UInt8])])
    func `a number is read without its sign octet`(
        encoded: [UInt8], number: [UInt8]
    ) throws {
        #expect(try natural(encoded) == number)
    }

    @Test(
        arguments: [
            ("nothing", []), ("no length", [0x02]), ("no octets", [0x02, 0x00]),
            ("a negative number", [0x02, 0x01, 0x80]),
            ("a surplus zero", [0x02, 0x02, 0x00, 0x7F]), ("another type", [0x04, 0x01, 0x01]),
            ("too few octets", [0x02, 0x02, 0x01]), ("trailing octets", [0x02, 0x01, 0x01, 0x00]),
            ("an indefinite length", [0x02, 0x80, 0x01, 0x00, 0x00]),
            ("a length longer than needed", [0x02, 0x81, 0x01, 0x01]),
            ("a length of two octets that one could hold", [0x02, 0x82, 0x00, 0x01, 0x01]),
            ("a length of three octets", [0x02, 0x83, 0x00, 0x00, 0x01, 0x01]),
            ("a length that ends early", [0x02, 0x82, 0x01]),
        ] as [(String, [UInt8])])
    func `what isn't the one encoding of a number is refused`(
        what: String, encoded: [UInt8]
    ) {
        #expect(throws: PushError.self, "\(what)") { try natural(encoded) }
    }

    @Test func `long lengths are read`() throws {
        let short = [UInt8](repeating: 1, count: 0x80)
        #expect(try natural([0x02, 0x81, 0x80] + short) == short)
        let long = [UInt8](repeating: 1, count: 0x0100)
        #expect(try natural([0x02, 0x82, 0x01, 0x00] + long) == long)
        #expect(throws: PushError.self) { try natural([0x02, 0x81, 0x81] + short) }
    }

    @Test func `a sequence ends where it says`() throws {
        try Secret([0x30, 0x03, 0x02, 0x01, 0x05] as [UInt8]).withBytes {
            (bytes) throws(PushError) in
            var outer = DERReader(bytes)
            var inner = try outer.sequence()
            try outer.end()
            #expect(try inner.natural().elementsEqual([5]))
            try inner.end()
            #expect(throws: PushError.self) { try inner.natural() }
        }
    }
}
