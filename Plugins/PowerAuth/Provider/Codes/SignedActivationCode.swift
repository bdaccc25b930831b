import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
        if characters.starts(with: recoveryMark.utf8) { characters.removeFirst(2) }
        let code = characters.prefix { $0 != separator }
        guard code.count == 23 else { return false }
        return code.enumerated().allSatisfy { place, character in
            place % 6 == 5 ? character == UInt8(ascii: "-") : isLetterOrDigit(character)
        }
    }

    /// Reads a scanned text.
    ///
    /// - Throws: `PushError` with the code `invalidInvitation` if it isn't a code with a signature,
    ///   `unsupported` for a recovery code.
    init(scanned text: String) throws(PushError) {
        guard !text.utf8.starts(with: Self.recoveryMark.utf8) else {
            throw PushError(.unsupported, "This is a recovery code, not an activation code.")
        }
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
            application.masterKey.signingKey.isValidSignature(
                signature, for: Data(code.text.utf8))
        else {
            throw PushError(.untrusted, "The activation code isn't signed by the server.")
        }
    }

    private static let separator = UInt8(ascii: "#")
    private static let recoveryMark = "R:"

    private static func isLetterOrDigit(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
