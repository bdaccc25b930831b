import Crypto
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
        let written = Array(text.utf8)
        guard written.count == 23,
            [5, 11, 17].allSatisfy({ written[$0] == UInt8(ascii: "-") })
        else { throw Self.invalid }
        let characters = [0, 6, 12, 18].flatMap { written[$0..<$0 + 5] }
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
        .invalidInvitation, "This is no activation code, or it was mistyped.")

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

/// An activation code as it is scanned, `CODE#SIGNATURE`, before and after its signature is checked.
///
/// The signature is ECDSA with SHA-256 by the application's master key, DER in Base64, over the code
/// with its hyphens. A code that was typed has none; one that was scanned must.
struct SignedActivationCode: Sendable {
    /// The code.
    let code: ActivationCode

    /// The signature in DER.
    private let signature: Data

    /// Whether a text looks like a code, signed or not, well or badly; and not like a text of some
    /// other kind that an app may be handed.
    static func hasShape(of text: String) -> Bool {
        var characters = text.utf8[...]
        if hasRecoveryMark(text) { characters.removeFirst(2) }
        let code = characters.prefix { $0 != separator }
        guard code.count == 23 else { return false }
        return code.enumerated().allSatisfy { place, character in
            place % 6 == 5 ? character == UInt8(ascii: "-") : isLetterOrDigit(character)
        }
    }

    /// Refuses a recovery code, scanned or typed.
    ///
    /// - Throws: `PushError` with the code `unsupported`.
    static func refuseRecovery(_ text: String) throws(PushError) {
        guard !hasRecoveryMark(text) || !hasShape(of: text) else {
            throw PushError(
                .unsupported,
                "This is a recovery code, not an activation code. The vendor has given them up, as "
                    + "they are open to social engineering: ask for an activation code.")
        }
    }

    /// Reads a scanned text.
    ///
    /// - Throws: `PushError` with the code `invalidInvitation` if it isn't a code with a signature,
    ///   `unsupported` for a recovery code.
    init(scanned text: String) throws(PushError) {
        try Self.refuseRecovery(text)
        // By bytes: a hash and a combining mark would be one other `Character`.
        let parts = text.utf8.split(separator: Self.separator, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw PushError(.invalidInvitation, "A scanned activation code must be signed.")
        }
        code = try ActivationCode(String(decoding: parts[0], as: UTF8.self))
        do {
            signature = try StrictBase64.decode(String(decoding: parts[1], as: UTF8.self))
        } catch {
            throw PushError(.invalidInvitation, "The activation code's signature is unreadable.")
        }
    }

    /// Checks the signature.
    ///
    /// - Throws: `PushError` with the code `untrusted` if the application's server didn't sign it.
    func verify(by application: PowerAuthApplication) throws(PushError) {
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature),
            let key = try? application.masterKey.signingKey,
            key.isValidSignature(signature, for: Data(code.text.utf8))
        else {
            throw PushError(.untrusted, "The activation code isn't signed by the server.")
        }
    }

    private static let separator = UInt8(ascii: "#")

    /// `R:`, as a user may type it.
    private static func hasRecoveryMark(_ text: String) -> Bool {
        text.utf8.starts(with: "R:".utf8) || text.utf8.starts(with: "r:".utf8)
    }

    private static func isLetterOrDigit(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

/// CRC-16/ARC: the polynomial 0xA001 reflected, from 0, with no final step.
enum CRC16 {
    /// The checksum of the bytes.
    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        var remainder: UInt16 = 0
        for byte in bytes {
            remainder ^= UInt16(byte)
            for _ in 0..<8 {
                remainder = remainder & 1 == 0 ? remainder >> 1 : remainder >> 1 ^ 0xA001
            }
        }
        return remainder
    }
}
