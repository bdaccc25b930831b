import Crypto
import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushOneSpan
@testable import PushOneSpanReference

/// Which bytes are a command at all.
struct OOCCommandEnvelopeTests {
    let vectors: Vectors

    init() throws { vectors = try Vectors() }

    private static let commands = [
        "C1", "S1", "C2", "S2", "05", "06", "07", "08", "E1", "E2", "clear", "10", "11", "30",
        "31", "32", "33", "34", "40", "41",
    ]

    private func parses(_ bytes: [UInt8]) -> Bool {
        (try? CommandEnvelope(parsing: bytes)) != nil
    }

    @Test(arguments: commands)
    func `every command of the vectors is read, and written again as it was`(name: String) throws {
        let bytes = try vectors(name)
        #expect(try CommandEnvelope(parsing: bytes).bytes == bytes)
    }

    @Test(arguments: commands)
    func `a command that is cut short or goes on isn't one`(name: String) throws {
        let bytes = try vectors(name)
        for length in 0..<bytes.count { #expect(!parses(Array(bytes.prefix(length)))) }
        #expect(!parses(bytes + [0]))
    }

    @Test(arguments: commands)
    func `each type has its flags and its epoch, and no others`(name: String) throws {
        let bytes = try vectors(name)
        for flags in UInt8.min...UInt8.max where flags != bytes[6] {
            var other = bytes
            other[6] = flags
            #expect(!parses(other), "flags \(flags)")
        }
        for epoch in UInt8.min...UInt8.max where epoch != bytes[7] {
            var other = bytes
            other[7] = epoch
            #expect(parses(other) == (bytes[5] == 0x7F && epoch <= 1), "epoch \(epoch)")
        }
    }

    @Test func `another magic, suite or type isn't a command`() throws {
        let bytes = try vectors("30")
        for index in 0..<5 {
            for bit in 0..<8 {
                var other = bytes
                other[index] ^= 1 << bit
                #expect(!parses(other))
            }
        }
        let known = Set(CommandType.allCases.map(\.rawValue))
        for type in UInt8.min...UInt8.max where !known.contains(type) {
            var other = bytes
            other[5] = type
            #expect(!parses(other))
        }
    }

    @Test func `a key that isn't a point of the curve isn't taken`() throws {
        var bytes = try vectors("S1")
        bytes[116] ^= 1
        #expect(!parses(bytes))
        bytes = try vectors("S1")
        bytes[52] = 2
        #expect(!parses(bytes))
    }

    @Test func `a proof has one of two sizes`() throws {
        let bytes = try vectors("C2")
        for size in 0...200 {
            var other = Array(bytes.prefix(48)) + OOC.integer(UInt32(size))
            other += [UInt8](repeating: 0, count: size + 16)
            #expect(parses(other) == [140, 173].contains(size))
        }
    }

    @Test func `a command has at most 16,384 bytes`() throws {
        func register(_ size: Int) throws -> [UInt8] {
            try Array(vectors("10").prefix(48)) + OOC.integer(UInt32(size))
                + [UInt8](repeating: 0, count: size + 16)
        }
        #expect(parses(try register(16_384 - 68)))
        #expect(!parses(try register(16_384 - 67)))
    }

    @Test(arguments: ["", "4", "4F4", "4G", " 4F", "4F\n", "0x4F", "４F", "4F:4F"])
    func `a command's text is hexadecimal digits, an even number of them`(text: String) {
        #expect(throws: PushError.self) { try OrchestrationCommand(text) }
    }

    @Test func `a command's text may be in either case, and is kept in upper case`() throws {
        #expect(try OrchestrationCommand("4f4F0aBc").hex == "4F4F0ABC")
        #expect(try OrchestrationCommand("4f4F0aBc").bytes == [0x4F, 0x4F, 0x0A, 0xBC])
        #expect(try OrchestrationCommand("4f") == OrchestrationCommand("4F"))
        let longest = String(repeating: "00", count: 16_384)
        #expect(try OrchestrationCommand(longest).bytes.count == 16_384)
        #expect(throws: PushError.self) { try OrchestrationCommand(longest + "00") }
    }

    @Test func `a command isn't printed`() throws {
        let command = try OrchestrationCommand("DEADBEEF")
        var dumped = ""
        dump([command], to: &dumped)
        for text in ["\(command)", String(reflecting: command), "\([command])", dumped] {
            #expect(!text.uppercased().contains("DEADBEEF"))
        }
    }
}
