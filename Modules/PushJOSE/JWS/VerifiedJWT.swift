package import PushCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A JWT whose signature was right.
///
/// Nothing but verification makes one. It proves who signed. `exp`, `nbf`, `aud` and the like are
/// claims as any other: the caller, who knows the time and the protocol, judges them.
package struct VerifiedJWT: Sendable {
    /// The header, which the signature covers.
    package let header: JWSHeader

    /// The claims, which the signature covers.
    package let claims: JSON.Object

    /// The bytes that hold the claims, which the signature covers.
    package let payload: Data

    init(_ jwt: UnverifiedJWT, verifiedBy key: some JWSVerificationKey) throws(PushError) {
        try jwt.check(by: key)
        header = jwt.unverifiedHeader
        claims = jwt.unverifiedClaims
        payload = jwt.payload
    }
}
