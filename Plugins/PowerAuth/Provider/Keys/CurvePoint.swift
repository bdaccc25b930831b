import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A public key: a point of the curve P-256 that was checked to be on it.
///
/// The protocol uses one server key both to agree on keys and to verify signatures, which are two
/// types of key in CryptoKit.
struct CurvePoint: Sendable {
    /// The key, for agreement.
    let agreementKey: P256.KeyAgreement.PublicKey

    /// The same key, for signatures.
    let signingKey: P256.Signing.PublicKey

    /// The point in 65 bytes: 04, x, y (SEC 1 section 2.3.3).
    let uncompressed: Data

    /// Reads a point.
    ///
    /// - Parameter bytes: 33 bytes, compressed, or 65 bytes (SEC 1 section 2.3.4).
    /// - Throws: `PushError` with the code `malformed` if they aren't a point of the curve.
    init(_ bytes: Data) throws(PushError) {
        do {
            switch bytes.count {
            case 33:
                agreementKey = try P256.KeyAgreement.PublicKey(
                    compressedRepresentation: Data(bytes))
            case 65:
                agreementKey = try P256.KeyAgreement.PublicKey(x963Representation: Data(bytes))
            default: throw CryptoKitError.incorrectKeySize
            }
            uncompressed = agreementKey.x963Representation
            signingKey = try P256.Signing.PublicKey(x963Representation: uncompressed)
        } catch {
            throw PushError(
                .malformed, "A public key isn't a point of the curve P-256.", underlying: error)
        }
    }

    /// The point of a key.
    init(_ key: P256.KeyAgreement.PublicKey) throws(PushError) {
        try self.init(key.x963Representation)
    }

    /// The coordinate x without leading zero bytes, as fingerprints take it.
    var minimalX: [UInt8] { Array(uncompressed.dropFirst().prefix(32).drop { $0 == 0 }) }
}

extension CurvePoint: Equatable {
    static func == (one: CurvePoint, other: CurvePoint) -> Bool {
        one.uncompressed == other.uncompressed
    }
}
