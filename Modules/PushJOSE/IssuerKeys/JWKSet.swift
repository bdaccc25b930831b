public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The public keys that an issuer publishes as a JWK set (RFC 7517 section 5), by their `kid`.
public struct JWKSet: Sendable {
    private struct Entry {
        let name: String
        let key: JWSPublicKey
    }

    private let entries: [Entry]

    /// Whether no key of it verifies anything here.
    var isEmpty: Bool { entries.isEmpty }

    /// A set of a hundred keys with certificates is smaller.
    private static let largest = 256 * 1024

    /// Reads a set from JSON text, up to 256 KiB.
    ///
    /// Keys that can't verify a ``JWSAlgorithm`` here are left out, as the RFC asks: such as those for
    /// encryption, of other types, without `kid`, with private members, or damaged.
    ///
    /// - Throws: `PushError` with the code `malformed` if it isn't a JWK set.
    public init(parsing data: Data) throws(PushError) {
        let set = try JSON(parsing: data, limits: JSON.Limits(bytes: Self.largest))
        guard let keys = set["keys"]?.array else {
            throw PushError(.malformed, "The JWK set has no list of keys.")
        }
        entries = keys.compactMap { key in
            guard let jwk = key.object.flatMap({ try? JWK($0) }), let name = jwk.keyID,
                let algorithm = jwk.verificationAlgorithm,
                let key = try? JWSPublicKey(jwk, for: algorithm)
            else { return nil }
            return Entry(name: name, key: key)
        }
    }

    /// The key that a token claims to be signed with, by `kid` and `alg`.
    ///
    /// - Throws: `PushError` with the code `untrusted` if the header has no `kid`, or the set has no
    ///   such key, or two.
    public func key(for header: JWSHeader) throws(PushError) -> JWSPublicKey {
        guard let name = header.keyID else {
            throw PushError(.untrusted, "The JWS header has no kid.")
        }
        let found = entries.filter {
            $0.name.hasSameBytes(as: name)
                && $0.key.algorithm.hasSameBytes(as: header.algorithm)
        }
        guard let entry = found.first, found.count == 1 else {
            throw PushError(.untrusted, "The JWK set hasn't one key of the header's kid and alg.")
        }
        return entry.key
    }
}
