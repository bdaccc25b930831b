import PushCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A compact JWS whose signature was right.
///
/// Nothing but verification makes one. It proves who signed; not that it's fresh, meant for this
/// device, or of the expected kind.
package struct VerifiedJWS: Sendable {
    /// The header, which the signature covers.
    package let header: JWSHeader

    /// The payload, which the signature covers.
    package let payload: Data

    init(_ jws: UnverifiedJWS, verifiedBy key: some JWSVerificationKey) throws(PushError) {
        try jws.check(by: key)
        header = jws.unverifiedHeader
        payload = jws.unverifiedPayload
    }
}
