public import HTTPTypes
public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What an authorization server says to a request for an access token (RFC 6749 section 5).
public enum TokenReply: Sendable {
    /// It gave one.
    case token(AccessToken)
    /// It refused.
    case refused(OAuthRefusal)

    /// The largest reply that is read, in bytes.
    private static let largest = 64 * 1024

    /// The longest code of a refusal, in bytes: all that are registered are shorter.
    private static let longestCode = 64

    /// Reads a reply.
    ///
    /// - Throws: `PushError` with the code `interrupted` or `server` for a reply that has neither of
    ///   the RFC's forms: it may be a gateway's.
    public init(_ response: HTTPResponse, _ body: Data) throws(PushError) {
        let status = response.status.code
        let limits = JSON.Limits(bytes: Self.largest)
        if response.mayHoldJSON, let reply = (try? JSON(parsing: body, limits: limits))?.object {
            if status == 200, let token = try? AccessToken(reply) {
                self = .token(token)
                return
            }
            if 400..<500 ~= status, let error = reply["error"]?.string,
                !error.isEmpty, error.utf8.count <= Self.longestCode,
                error.utf8.allSatisfy({ 0x20...0x7E ~= $0 })
            {
                let nonce = response.headerFields[.dpopNonce]
                self = .refused(OAuthRefusal(status: status, error: error, nonce: nonce))
                return
            }
        }
        throw .unexplained(status: status, "The reply \(status) isn't a token endpoint's.")
    }
}

/// An access token (RFC 6749 section 1.4).
public struct AccessToken: Sendable {
    /// How a request shows it.
    public enum Kind: Hashable, Sendable {
        /// By itself (RFC 6750).
        case bearer
        /// With a proof by the key that it is bound to (RFC 9449).
        case dpop
    }

    /// The token, as ASCII text.
    public let value: Secret

    /// How a request shows it.
    public let kind: Kind

    /// How long it lasts from the moment the server made it, a day at most; `nil` if the server doesn't
    /// say.
    public let lifetime: Duration?

    /// The longest lifetime that counts, in seconds.
    private static let longest: Int64 = 86_400

    /// What a request has in its field `Authorization`, as text that nothing zeroes.
    public var authorization: String {
        switch kind {
        case .bearer: "Bearer \(value.copiedText())"
        case .dpop: "DPoP \(value.copiedText())"
        }
    }

    fileprivate init(_ reply: JSON.Object) throws(PushError) {
        value = try reply.required("access_token") { $0.string.flatMap(Self.token) }
        kind = try reply.required("token_type") { type in
            switch type.string?.asciiWord {
            case "bearer": .bearer
            case "dpop": .dpop
            default: nil
            }
        }
        lifetime = try reply.optional("expires_in") { seconds in
            seconds.integer.flatMap { $0 > 0 ? .seconds(min($0, Self.longest)) : nil }
        }
    }

    /// What RFC 7235 section 2.1 calls token68, so that it changes no field around it.
    private static func token(_ text: String) -> Secret? {
        let marks = Array("-._~+/".utf8)
        let start = text.utf8.prefix { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: marks.contains(byte)
            }
        }
        guard !start.isEmpty, text.utf8[start.endIndex...].allSatisfy({ $0 == 0x3D }) else {
            return nil
        }
        return Secret(copying: text)
    }
}

/// A refusal of an authorization server, in the form of RFC 6749 section 5.2.
///
/// Anybody's gateway can write that form. Act on the codes that the vendor documents.
public struct OAuthRefusal: Hashable, Sendable {
    /// The reply's status.
    public let status: Int

    /// The code, such as `invalid_client`, or `use_dpop_nonce` (RFC 9449 section 8).
    public let error: String

    /// What the next proof must have as ``DPoPProof/nonce``, if the server gave something.
    public let nonce: String?
}
