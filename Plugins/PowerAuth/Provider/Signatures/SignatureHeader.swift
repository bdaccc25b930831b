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
    let nonce: [UInt8]

    /// What the signature proves.
    let factors: SignatureFactors

    /// What ``RequestSignature/online(keys:counter:over:)`` made.
    let signature: String

    /// What is enough for names, version and factors.
    private static let ownRoom = 192

    /// The header's value.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if the activation's identifier, which the
    ///   server chose, has a character that no header can carry.
    func text() throws(PushError) -> String {
        let room =
            Self.ownRoom + activationID.utf8.count + applicationKey.utf8.count
            + Base64Text.count(ofBytes: nonce.count) + signature.utf8.count
        let (text, isPlain) = HeaderText.write(room: room) { header in
            header.put("pa_version", version.rawValue)
            header.put("pa_activation_id", checked: activationID)
            header.put("pa_application_key", applicationKey)
            nonce.withUnsafeBytes { header.put("pa_nonce", base64: $0) }
            header.put("pa_signature_type", factors.rawValue)
            header.put("pa_signature", signature)
        }
        guard isPlain else { throw HeaderText.forbidden }
        return text
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
struct HeaderText {
    private static let scheme: StaticString = "PowerAuth"

    /// What a value is refused with that no header of the protocol holds.
    static let forbidden = PushError(
        .invalidArgument, "A header field has a forbidden character.")

    private var writer: ByteWriter
    private var isPlain = true
    private var isFirst = true

    private init(_ output: UnsafeMutableBufferPointer<UInt8>) {
        writer = ByteWriter(UnsafeMutableRawBufferPointer(output))
        writer.put(ascii: Self.scheme)
    }

    /// Writes a header.
    ///
    /// - Parameters:
    ///   - room: As many bytes as the text may have at most, without the scheme.
    ///   - fields: Puts the fields.
    /// - Returns: The header's value, and whether it is whole, with all values that were checked of
    ///   visible ASCII without quote and backslash, as every value of the protocol is.
    @inline(__always)
    static func write(
        room: Int, _ fields: (inout HeaderText) -> Void
    ) -> (text: String, isPlain: Bool) {
        var isPlain = false
        let text = String(unsafeUninitializedCapacity: scheme.utf8CodeUnitCount + room) { output in
            var header = HeaderText(output)
            fields(&header)
            isPlain = header.isPlain
            return header.writer.position
        }
        return (text, isPlain)
    }

    /// Writes a header.
    ///
    /// - Parameter pairs: Keys and values, in the order to write them.
    /// - Returns: The header's value.
    /// - Throws: `PushError` with the code `invalidArgument` if a value holds a quote, a backslash or
    ///   anything but visible ASCII.
    static func write(
        _ pairs: [(key: StaticString, value: String)]
    ) throws(PushError) -> String {
        let room = pairs.reduce(0) {
            $0 + $1.key.utf8CodeUnitCount + $1.value.utf8.count + frameCount
        }
        let (text, isPlain) = write(room: room) { header in
            for (key, value) in pairs { header.put(key, checked: value) }
        }
        guard isPlain else { throw forbidden }
        return text
    }

    /// Puts a field whose value is known to be plain: a text of the protocol's own, or Base64.
    mutating func put(_ key: StaticString, _ value: String) {
        var value = value
        value.withUTF8 { bytes in
            guard begin(key, bytes.count) else { return }
            writer.put(UnsafeRawBufferPointer(bytes))
            writer.put(ascii: "\"")
        }
    }

    /// Puts a field whose value somebody else chose.
    mutating func put(_ key: StaticString, checked value: String) {
        var value = value
        isPlain = isPlain && value.withUTF8(\.isPlain)
        put(key, value)
    }

    /// Puts a field whose value is bytes in Base64.
    mutating func put(_ key: StaticString, base64 bytes: UnsafeRawBufferPointer) {
        guard begin(key, Base64Text.count(ofBytes: bytes.count)) else { return }
        writer.put(base64: bytes)
        writer.put(ascii: "\"")
    }

    /// Comma, blank, equals sign and quotes.
    private static let frameCount = 5

    /// Puts all before a value; nothing is ever written past the end.
    @inline(__always)
    private mutating func begin(_ key: StaticString, _ valueCount: Int) -> Bool {
        guard writer.room >= key.utf8CodeUnitCount + valueCount + Self.frameCount else {
            isPlain = false
            return false
        }
        writer.put(ascii: isFirst ? " " : ", ")
        isFirst = false
        writer.put(ascii: key)
        writer.put(ascii: "=\"")
        return true
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether all is visible ASCII but quotes and backslashes, found without a branch for each byte.
    fileprivate var isPlain: Bool {
        var forbidden: UInt8 = 0
        for byte in self {
            forbidden |= byte &- 0x21 > 0x7E - 0x21 ? 1 : 0
            forbidden |= byte == UInt8(ascii: "\"") ? 1 : 0
            forbidden |= byte == UInt8(ascii: "\\") ? 1 : 0
        }
        return forbidden == 0
    }
}
