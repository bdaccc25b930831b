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

/// Which factors a signature proves, with their names in the header. Three others are documented, and
/// no call here needs them.
enum SignatureFactors: String, Sendable, CaseIterable {
    case possession
    case possessionKnowledge = "possession_knowledge"
    case possessionBiometry = "possession_biometry"
}
