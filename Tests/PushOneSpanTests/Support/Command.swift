import Foundation
import PushCore

/// A command as anyone on its way can read it: the header of
/// `docs/vendors/onespan-ooc.md#2-a-command`.
struct Command: Hashable, Sendable {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init?(hex: String) {
        let digits = Array(hex.utf8)
        guard digits.count.isMultiple(of: 2), digits.count >= 104 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[index..<index + 2], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16) else { return nil }
            bytes.append(byte)
        }
        self.bytes = bytes
    }

    var hex: String { Self.hex(bytes) }
    var type: UInt8 { bytes[5] }
    var flags: UInt8 { bytes[6] }
    var epoch: UInt8 { bytes[7] }
    var principal: String { Self.hex(bytes[8..<24]).lowercased() }
    var flow: [UInt8] { Array(bytes[24..<40]) }
    var counter: UInt64 { bytes[40..<48].reduce(0) { $0 << 8 | UInt64($1) } }
    var bodyCount: Int { bytes[48..<52].reduce(0) { $0 << 8 | Int($1) } }

    func turned(bit: Int) -> Command {
        var copy = bytes
        copy[bit / 8] ^= 0x80 >> UInt8(bit % 8)
        return Command(copy)
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }
}

/// Parts of a command, each with a bit of it that can be turned.
enum Part: Int, CaseIterable, Sendable {
    case magic = 7
    case suite = 39
    case type = 47
    case flags = 55
    case epoch = 63
    case principal = 100
    case flow = 250
    case counter = 383
    case highCounter = 321
    case length = 415
    /// The first byte behind the header: clear key or ciphertext.
    case body = 430
}
