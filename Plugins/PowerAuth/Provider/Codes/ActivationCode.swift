public import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A code that the user scans or types to activate a device, such as `W65WE-3T7VI-7FBS2-A4OYA`.
///
/// Ten random bytes and their CRC-16/ARC in Base32 (RFC 4648 section 6), in groups of five
/// characters (vendor: powerauth-crypto, `docs/Activation-Code.md`).
public struct ActivationCode: Sendable, Equatable {
    /// The code as it is written: four groups of five characters with hyphens between, 23 in all.
    public let text: String

    /// Reads a code exactly as it is written.
    ///
    /// - Throws: `PushError` with the code `invalidInvitation` if it isn't one, its checksum is wrong
    ///   or the four bits that no byte uses aren't zero.
    public init(_ text: String) throws(PushError) {
        let groups = text.utf8.split(
            separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard groups.count == 4, groups.allSatisfy({ $0.count == 5 }) else { throw Self.invalid }
        let characters = Array(groups.joined())
        guard characters.allSatisfy(Self.isBase32),
            let bytes = try? Base32.data(from: String(decoding: characters, as: UTF8.self)),
            CRC16.checksum(bytes.prefix(10)) == Self.checksum(bytes.suffix(2))
        else { throw Self.invalid }
        self.text = text
    }

    /// Reads a code as people type it, with the corrections of the vendor's own input fields.
    ///
    /// Lower case counts as upper case, `0` as `O` and `1` as `I`. The hyphens may be left out, all
    /// of them (that is this SDK's addition). Anything else is refused, blanks included.
    ///
    /// - Throws: `PushError` with the code `invalidInvitation` if no code comes of it.
    public static func typed(_ text: String) throws(PushError) -> ActivationCode {
        var characters = text.utf8.map(corrected)
        if characters.count == 20 {
            for place in [15, 10, 5] { characters.insert(UInt8(ascii: "-"), at: place) }
        }
        guard characters.allSatisfy({ $0 < 0x80 }) else { throw invalid }
        return try ActivationCode(String(decoding: characters, as: UTF8.self))
    }

    /// Makes a code, as back offices do.
    public init(random: any RandomSource) {
        self.init(payload: random.bytes(10).withBytes { Array($0) })
    }

    /// Makes the code of ten bytes.
    init(payload: [UInt8]) {
        let checksum = CRC16.checksum(payload)
        let bytes = payload + [UInt8(checksum >> 8), UInt8(truncatingIfNeeded: checksum)]
        let characters = Base32.encode(bytes).utf8.filter { $0 != UInt8(ascii: "=") }
        text = stride(from: 0, to: characters.count, by: 5)
            .map { String(decoding: characters[$0..<min($0 + 5, characters.count)], as: UTF8.self) }
            .joined(separator: "-")
    }

    private static let invalid = PushError(
        .invalidInvitation, "The activation code isn't one, or it was mistyped.")

    private static func checksum(_ bytes: Data) -> UInt16 {
        bytes.reduce(0) { $0 << 8 | UInt16($1) }
    }

    private static func isBase32(_ character: UInt8) -> Bool {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= character
            || UInt8(ascii: "2")...UInt8(ascii: "7") ~= character
    }

    private static func corrected(_ character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - 0x20
        case UInt8(ascii: "0"): UInt8(ascii: "O")
        case UInt8(ascii: "1"): UInt8(ascii: "I")
        default: character
        }
    }
}
