import Foundation
import PushCore

/// A command as anyone on its way can read it: the header of
/// `docs/vendors/onespan-ooc.md#2-a-command`.
struct Command: Hashable, Sendable {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init?(hex: String) {
        guard hex.utf8.count.isMultiple(of: 2), hex.utf8.count >= 104,
            hex.allSatisfy(\.isHexDigit)
        else { return nil }
        bytes = OOC.bytes(hex)
    }

    var hex: String { OOC.hex(bytes) }
    var type: UInt8 { bytes[5] }
    var flags: UInt8 { bytes[6] }
    var epoch: UInt8 { bytes[7] }
    var principal: String { OOC.hex(bytes[8..<24]).lowercased() }
    var flow: [UInt8] { Array(bytes[24..<40]) }
    var counter: UInt64 { bytes[40..<48].reduce(0) { $0 << 8 | UInt64($1) } }
    var bodyCount: Int { bytes[48..<52].reduce(0) { $0 << 8 | Int($1) } }

    func turned(bit: Int) -> Command {
        var copy = bytes
        copy[bit / 8] ^= 0x80 >> UInt8(bit % 8)
        return Command(copy)
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
