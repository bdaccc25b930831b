import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The header by which a request proves its factors, `X-PowerAuth-Authorization`.
struct SignatureHeader {
    /// The header's name.
    static let name = "X-PowerAuth-Authorization"

    /// How many random bytes each signature has.
    static let nonceCount = 16

    /// The version that the client speaks.
    let version: PowerAuthVersion

    /// The activation that signs, in the server's exact case.
    let activationID: String

    /// The application's key, as text.
    let applicationKey: String

    /// The nonce that was signed, 16 bytes.
    let nonce: Data

    /// What the signature proves.
    let factors: SignatureFactors

    /// What ``RequestSignature/online(keys:counter:over:)`` made.
    let signature: String

    /// The header's value.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if the activation's identifier, which the
    ///   server chose, has a character that no header can carry.
    func text() throws(PushError) -> String {
        try HeaderText.write([
            ("pa_version", version.rawValue),
            ("pa_activation_id", activationID),
            ("pa_application_key", applicationKey),
            ("pa_nonce", nonce.withUnsafeBytes { Base64Text.string($0) }),
            ("pa_signature_type", factors.rawValue),
            ("pa_signature", signature),
        ])
    }
}

/// Which factors a signature proves, with their names in the header.
enum SignatureFactors: String, Sendable, CaseIterable {
    case possession
    case knowledge
    case biometry
    case possessionKnowledge = "possession_knowledge"
    case possessionBiometry = "possession_biometry"
    case possessionKnowledgeBiometry = "possession_knowledge_biometry"

    var hasPossession: Bool { self != .knowledge && self != .biometry }

    var hasKnowledge: Bool {
        switch self {
        case .knowledge, .possessionKnowledge, .possessionKnowledgeBiometry: true
        case .possession, .biometry, .possessionBiometry: false
        }
    }
}

/// The form of the protocol's headers: `PowerAuth key="value", key="value"`.
enum HeaderText {
    private static let scheme = "PowerAuth"

    /// Writes a header.
    ///
    /// - Parameter pairs: Keys and values, in the order to write them.
    /// - Returns: The header's value.
    /// - Throws: `PushError` with the code `invalidArgument` if a value holds a quote, a backslash or
    ///   anything but visible ASCII, which no value of the protocol does.
    static func write(_ pairs: [(key: String, value: String)]) throws(PushError) -> String {
        for (key, value) in pairs where !value.utf8.allSatisfy(isPlain) {
            throw PushError(.invalidArgument, "The header field \(key) has a forbidden character.")
        }
        let count = pairs.reduce(scheme.utf8.count) {
            $0 + $1.key.utf8.count + $1.value.utf8.count + 5
        }
        return String(unsafeUninitializedCapacity: count) { output in
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(output))
            writer.put(scheme)
            for (index, (key, value)) in pairs.enumerated() {
                if index > 0 { writer.put(ascii: ",") }
                writer.put(ascii: " ")
                writer.put(key)
                writer.put(ascii: "=")
                writer.put(ascii: "\"")
                writer.put(value)
                writer.put(ascii: "\"")
            }
            return writer.position
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        0x21...0x7E ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
}
