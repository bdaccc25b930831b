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
        let (text, isPlain) = HeaderText.write { header in
            header.put("pa_version", version.rawValue)
            header.put("pa_activation_id", activationID)
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
    private static let scheme = "PowerAuth"

    /// What a value is refused with that no header of the protocol holds.
    static let forbidden = PushError(
        .invalidArgument, "A header field has a forbidden character.")

    /// Where the text is written; `nil` while its length is reckoned.
    private var writer: ByteWriter?
    private var count = scheme.utf8.count
    private var isPlain = true
    private var isFirst = true

    private init(_ output: UnsafeMutableRawBufferPointer?) {
        writer = output.map(ByteWriter.init)
        writer?.put(Self.scheme)
    }

    /// Writes a header.
    ///
    /// - Parameter fields: Puts the fields; it runs twice, and must put the same each time.
    /// - Returns: The header's value, and whether all values were of visible ASCII without quote and
    ///   backslash, as every value of the protocol is.
    static func write(
        _ fields: (inout HeaderText) -> Void
    ) -> (text: String, isPlain: Bool) {
        var measured = HeaderText(nil)
        fields(&measured)
        let text = String(unsafeUninitializedCapacity: measured.count) { output in
            var header = HeaderText(UnsafeMutableRawBufferPointer(output))
            fields(&header)
            return header.writer?.position ?? 0
        }
        return (text, measured.isPlain)
    }

    /// Writes a header.
    ///
    /// - Parameter pairs: Keys and values, in the order to write them.
    /// - Returns: The header's value.
    /// - Throws: `PushError` with the code `invalidArgument` if a value holds a quote, a backslash or
    ///   anything but visible ASCII.
    static func write(_ pairs: [(key: String, value: String)]) throws(PushError) -> String {
        let (text, isPlain) = write { header in
            for (key, value) in pairs { header.put(key, value) }
        }
        guard isPlain else { throw forbidden }
        return text
    }

    /// Puts a field.
    mutating func put(_ key: String, _ value: String) {
        var value = value
        value.withUTF8 { bytes in
            begin(key, bytes.count)
            guard writer == nil else {
                writer?.put(UnsafeRawBufferPointer(bytes))
                return
            }
            isPlain = isPlain && bytes.isPlain
        }
        end()
    }

    /// Puts a field whose value is bytes in Base64.
    mutating func put(_ key: String, base64 bytes: UnsafeRawBufferPointer) {
        begin(key, Base64Text.count(ofBytes: bytes.count))
        writer?.put(base64: bytes)
        end()
    }

    private mutating func begin(_ key: String, _ valueCount: Int) {
        count += (isFirst ? 1 : 2) + key.utf8.count + valueCount + 3
        if !isFirst { writer?.put(ascii: ",") }
        isFirst = false
        writer?.put(ascii: " ")
        writer?.put(key)
        writer?.put(ascii: "=")
        writer?.put(ascii: "\"")
    }

    private mutating func end() { writer?.put(ascii: "\"") }
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
