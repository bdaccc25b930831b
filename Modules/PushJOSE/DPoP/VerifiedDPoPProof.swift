public import HTTPTypes
public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A proof as its server reads it, such as a simulator (RFC 9449 section 4.3).
///
/// Its signature is right by the key that it carries, and it is for the request. Whose key that is,
/// ``thumbprint`` tells by a token's `cnf.jkt`, or by what the server knows. It may be one that was
/// there before: the server remembers ``id`` for as long as it takes proofs of that age.
public struct VerifiedDPoPProof: Sendable {
    /// The key that it carries and is signed with.
    public let key: JWK

    /// The key's thumbprint, `jkt` (RFC 7638).
    public let thumbprint: String

    /// When it was made by its sender's clock.
    public let issued: Date

    /// Its own name, `jti`: 1 to 256 bytes.
    public let id: String

    /// The server's nonce, if it has one.
    public let nonce: String?

    /// All claims.
    public let claims: JSON.Object

    /// The largest proof that is read, in bytes.
    private static let largest = 16 * 1024

    /// Reads and verifies a proof, by a key of any ``JWSAlgorithm``.
    ///
    /// - Parameters:
    ///   - text: What stands in the request's only field `DPoP`.
    ///   - method: The request's method.
    ///   - endpoint: The request's URL as the server knows it. Its query doesn't count; the rest is
    ///     compared as text.
    ///   - now: The server's time.
    ///   - ages: How old a proof may be; less than zero is ahead of the server's clock.
    ///   - accessToken: The token that came with the request, for whose hash the proof must be; `nil`
    ///     where none is used.
    /// - Throws: `PushError` with the code `malformed` if it is no proof, `untrusted` if it's for
    ///   something else or wrongly signed.
    public init(
        _ text: String, of method: HTTPRequest.Method, _ endpoint: Endpoint, at now: Date,
        ages: ClosedRange<Duration>, accessToken: Secret? = nil
    ) throws(PushError) {
        let limits = JSON.Limits(bytes: Self.largest)
        let unverified = try UnverifiedJWT(carryingKey: text, limits: limits)
        let header = unverified.unverifiedHeader
        guard header.type?.hasSameBytes(as: "dpop+jwt") == true else {
            throw PushError(.untrusted, "The proof's typ isn't dpop+jwt.")
        }
        guard let algorithm = JWSAlgorithm(named: header.algorithm) else {
            throw PushError(.untrusted, "The proof's alg isn't one of a public key here.")
        }
        let key = try JWK(header.parameters.required("jwk") { $0.object })
        claims = try unverified.verified(by: JWSPublicKey(key, for: algorithm)).claims
        self.key = key
        thumbprint = try key.thumbprint()
        id = try claims.required("jti") {
            $0.string.flatMap { 1...256 ~= $0.utf8.count ? $0 : nil }
        }
        nonce = try claims.optional("nonce") { $0.string }
        issued = Date(timeIntervalSince1970: try claims.required("iat") { $0.double })
        try check(method, endpoint, accessToken)
        let age = now.timeIntervalSince(issued)
        guard age >= ages.lowerBound.inSeconds, age <= ages.upperBound.inSeconds else {
            throw PushError(.untrusted, "The proof's iat isn't near enough to now.")
        }
    }

    /// Returns if the proof is for a request and its token.
    private func check(
        _ method: HTTPRequest.Method, _ endpoint: Endpoint, _ accessToken: Secret?
    ) throws(PushError) {
        guard try claims.required("htm", \.string).hasSameBytes(as: method.rawValue) else {
            throw PushError(.untrusted, "The proof's htm is another method.")
        }
        guard try claims.required("htu", \.string).hasSameBytes(as: endpoint.withoutQuery) else {
            throw PushError(.untrusted, "The proof's htu is another URL.")
        }
        guard let accessToken else { return }
        guard
            try claims.required("ath", \.string)
                .hasSameBytes(as: DPoPProof.hash(of: accessToken))
        else { throw PushError(.untrusted, "The proof's ath is another token's.") }
    }
}
