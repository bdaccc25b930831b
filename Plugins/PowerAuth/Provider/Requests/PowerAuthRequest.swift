public import HTTPTypes
public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A request of the app's own that is ready to be sent: these bytes, once.
///
/// A repeated request is built again. Servers take each signature, each envelope and each token's
/// header once.
public struct PowerAuthRequest: Sendable {
    /// Method, URL and fields, with the proof among the fields.
    public let head: HTTPRequest

    /// The bytes of the body as they must be sent.
    public let body: Data

    /// What it is proved by.
    let proof: Proof

    /// What opens its reply; `nil` if it isn't encrypted.
    let opener: ResponseOpener?

    enum Proof: Sendable {
        case none
        /// `counterByte` is the counter's once the server took the signature; `nil` if nobody knows it,
        /// as after an import.
        case signature(PowerAuthFactors, counterByte: UInt8?)
        case token(String, AccessToken, time: Date)
    }

    /// Opens what a server answered to an encrypted request. For an app that sends with its own HTTP
    /// client; ``PowerAuthRequestBuilder/reply(_:body:to:)`` does it, too.
    ///
    /// - Parameter body: The body of a reply that says success.
    /// - Returns: The plain bytes.
    /// - Throws: `PushError` with the code `untrusted` if it can't be opened: it is damaged, belongs
    ///   to another request, activation or scope, or isn't an envelope; `invalidArgument` if the
    ///   request wasn't encrypted.
    public func opened(_ body: Data) throws(PushError) -> Secret {
        guard let opener else {
            throw PushError(.invalidArgument, "The request wasn't encrypted.")
        }
        guard body.count <= HTTPReply.maximumSize,
            let envelope = try? JSON(parsing: body, limits: JSON.Limits(bytes: body.count))
        else { throw EnvelopeContext.untrusted }
        return try opener.open(envelope)
    }
}

/// What a server answered to a request of the app's own.
public struct PowerAuthReply: Sendable {
    /// The status and the fields.
    public let response: HTTPResponse

    /// The body as it came.
    public let body: Data

    /// What was in the envelope; `nil` if the request wasn't encrypted, or if the server answered
    /// with an error, which is never encrypted.
    public let opened: Secret?
}

/// What became of a signature whose reply was lost, as the activation's status tells it: the
/// `underlying` error of a `PushError` with the code `interrupted`.
@nonexhaustive
public enum PowerAuthLostReply: Error, Hashable, Sendable, CaseIterable {
    /// The server took the signature, so the request arrived. Ask the bank what it did.
    case signatureTaken
    /// The server hasn't taken it so far. The next signature that it takes makes this one void.
    case signatureNotTaken
    /// That can't be told: the server couldn't be asked, or has taken a later signature.
    case unknown
}

/// Whom a request is encrypted for.
public enum PowerAuthEncryptionScope: Hashable, Sendable, CaseIterable {
    /// The application: every installation seals alike. Before there is an activation, only this is
    /// possible.
    case application
    /// One activation: only its device seals, and only it opens the reply.
    case activation

    /// What the bank's own endpoints share as the purpose of their envelopes; the URL isn't bound.
    var sharedInfo1: String {
        switch self {
        case .application: "/pa/generic/application"
        case .activation: "/pa/generic/activation"
        }
    }
}
