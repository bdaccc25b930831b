import Crypto
public import HTTPTypes
public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A proof that a request's sender holds a key (RFC 9449 section 4.2), to make.
///
/// ```swift
/// let proof = DPoPProof(
///     of: .post, endpoint, at: clock.now, id: random.uuid(), accessToken: token.value)
/// headers[.dpop] = try proof.signed(by: key, publicKey: key.publicKey.jwk())
/// ```
public struct DPoPProof: Sendable {
    private let method: HTTPRequest.Method
    private let url: String
    private let issued: Date
    private let id: String
    private let accessToken: Secret?

    /// What the server gave to put into the next proof, `nonce` (RFC 9449 section 8).
    public var nonce: String?

    /// Claims of the server's own. None replaces one of the RFC's.
    public var additional: JSON.Object = [:]

    /// Creates a proof, of no nonce.
    ///
    /// - Parameters:
    ///   - method: The request's method, `htm`.
    ///   - endpoint: Where it goes, `htu`, in the text that the server knows itself by. The query is
    ///     left out.
    ///   - issued: Now, by the server's clock; `iat` has its whole seconds.
    ///   - id: The proof's own name, `jti`. It has at least 96 random bits, and no other proof has it.
    ///   - accessToken: The token that goes with the request, of which the proof has the hash, `ath`;
    ///     `nil` where one is asked for.
    public init(
        of method: HTTPRequest.Method, _ endpoint: Endpoint, at issued: Date, id: String,
        accessToken: Secret? = nil
    ) {
        self.method = method
        url = endpoint.withoutQuery
        self.issued = issued
        self.id = id
        self.accessToken = accessToken
    }

    /// Makes the proof's text, for the request's field `DPoP`.
    ///
    /// - Parameters:
    ///   - key: Signs it, by a ``JWSAlgorithm``.
    ///   - publicKey: The key's public half, which the proof carries. Beside the key's own members it
    ///     may have such as `alg`, `use` and `kid`, and then carries these, too.
    /// - Returns: A compact JWS.
    /// - Throws: `PushError` with the code `invalidArgument` if the key is a shared one, the JWK is of
    ///   another algorithm or has a private member, or the time has no whole number; else what the key
    ///   throws.
    public func signed(
        by key: some JWSSigningKey, publicKey: JWK
    ) throws(PushError) -> String {
        guard let algorithm = JWSAlgorithm(named: key.algorithm) else {
            throw PushError(.invalidArgument, "The key of a proof has no JWSAlgorithm.")
        }
        do throws(PushError) {
            _ = try JWSPublicKey(publicKey, for: algorithm)
        } catch {
            throw PushError(.invalidArgument, error.reason, underlying: error)
        }
        guard let issued = Int64(exactly: issued.timeIntervalSince1970.rounded(.down)) else {
            throw PushError(.invalidArgument, "The time of the proof has no whole number.")
        }
        var claims: [(String, JSON)] = [
            ("htm", .string(method.rawValue)), ("htu", .string(url)), ("iat", .integer(issued)),
            ("jti", .string(id)),
        ]
        if let accessToken { claims.append(("ath", .string(Self.hash(of: accessToken)))) }
        if let nonce { claims.append(("nonce", .string(nonce))) }
        // Of two claims with one name the last wins.
        let payload = JSON.Object(claims + additional.members + claims)
        return try key.compactJWS(
            of: JSON.object(payload).data,
            header: ["typ": "dpop+jwt", "jwk": .object(publicKey.members)], carryingKey: true)
    }

    /// What `ath` is of a token: the hash of its ASCII text (RFC 9449 section 4.2).
    static func hash(of accessToken: Secret) -> String {
        accessToken.withBytes { Base64.encode(SHA256.digest(of: $0), as: .url) }
    }
}

extension Endpoint {
    /// The URL that proofs have: no query, and no fragment, as endpoints have none.
    var withoutQuery: String {
        "\(scheme)://\(authority)\(path.start(before: "?"))"
    }
}

extension HTTPField.Name {
    /// The field of a proof, `DPoP` (RFC 9449 section 4.1).
    public static let dpop = HTTPField.Name("DPoP") ?? .authorization

    /// The field in which a server gives the nonce of the next proof, `DPoP-Nonce` (RFC 9449 section
    /// 8).
    public static let dpopNonce = HTTPField.Name("DPoP-Nonce") ?? .authorization
}
