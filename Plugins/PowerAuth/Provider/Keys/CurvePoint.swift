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

    /// The point as it was given: 33 bytes, or 65.
    private let given: Data

    /// The key, for signatures, of a point that often verifies some.
    private var verifier: P256.Signing.PublicKey?

    /// Reads a point.
    ///
    /// - Parameter bytes: 33 bytes, compressed, or 65 bytes (SEC 1 section 2.3.4).
    /// - Throws: `PushError` with the code `malformed` if they aren't a point of the curve.
    init(_ bytes: Data) throws(PushError) {
        given = Data(bytes)
        do {
            switch bytes.count {
            case Self.compressedCount:
                agreementKey = try P256.KeyAgreement.PublicKey(compressedRepresentation: given)
            case Self.uncompressedCount:
                agreementKey = try P256.KeyAgreement.PublicKey(x963Representation: given)
            default: throw CryptoKitError.incorrectKeySize
            }
        } catch {
            throw Self.noPoint(error)
        }
    }

    /// The point of a key.
    init(_ key: P256.KeyAgreement.PublicKey) {
        agreementKey = key
        given = key.compressedRepresentation
    }

    /// The same point, whose ``signingKey`` is ready.
    ///
    /// - Throws: `PushError` with the code `malformed`, which no point of the curve gives cause for.
    func readyToVerify() throws(PushError) -> CurvePoint {
        var point = self
        point.verifier = try signingKey
        return point
    }

    /// The point in 33 bytes: 02 or 03, x (SEC 1 section 2.3.3).
    var compressed: Data {
        given.count == Self.compressedCount ? given : agreementKey.compressedRepresentation
    }

    /// The point in 65 bytes: 04, x, y.
    var uncompressed: Data {
        given.count == Self.uncompressedCount ? given : agreementKey.x963Representation
    }

    /// The same key, for signatures.
    ///
    /// It is made each time, but for ``readyToVerify()``: most points only agree on keys, and another form
    /// of a point takes longer to compute than much of what is done with it.
    ///
    /// - Throws: `PushError` with the code `malformed`, which no point of the curve gives cause for.
    var signingKey: P256.Signing.PublicKey {
        get throws(PushError) {
            if let verifier { return verifier }
            do {
                return try P256.Signing.PublicKey(x963Representation: uncompressed)
            } catch {
                throw Self.noPoint(error)
            }
        }
    }

    /// The coordinate x without leading zero bytes, as fingerprints take it; both forms have it after
    /// their first byte.
    var minimalX: [UInt8] { Array(given.dropFirst().prefix(32).drop { $0 == 0 }) }

    private static let compressedCount = 33
    private static let uncompressedCount = 65

    private static func noPoint(_ error: any Error) -> PushError {
        PushError(
            .malformed, "A public key isn't a point of the curve P-256.", underlying: error)
    }
}

extension CurvePoint: Equatable {
    static func == (one: CurvePoint, other: CurvePoint) -> Bool {
        one.compressed == other.compressed
    }
}
