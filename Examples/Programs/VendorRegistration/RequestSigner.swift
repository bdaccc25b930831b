public import HTTPTypes
public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How a vendor's enrollments sign requests of the user's own, where it has such signatures.
public struct RequestSigner: Sendable {
    /// What a signature can prove.
    public struct Kind: Hashable, Sendable {
        /// The vendor's name for it.
        public let name: String

        /// What the user has to bring.
        public let factors: [Factor]

        /// Creates a kind.
        public init(_ name: String, factors: [Factor]) {
            self.name = name
            self.factors = factors
        }
    }

    /// Signs in the enrollment's turn. It throws `PushError` if the request can't be signed.
    public typealias Signing =
        @Sendable (SignableRequest, Enrollment.ID, any PushProvider, PushAuthenticator)
        async throws(PushError) -> HTTPFields

    /// What its signatures can prove.
    public let kinds: [Kind]

    private let signing: Signing

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - kinds: What its signatures can prove.
    ///   - signing: Makes the fields that prove a request.
    public init(_ kinds: [Kind], signing: @escaping Signing) {
        self.kinds = kinds
        self.signing = signing
    }

    /// Makes the fields that prove a request, to be sent once and before another is signed.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - enrollment: What signs it.
    ///   - provider: The enrollment's provider.
    ///   - authenticator: The authenticator that has the provider.
    /// - Returns: The fields to add to the request.
    /// - Throws: What the plugin throws.
    public func fields(
        for request: SignableRequest, by enrollment: Enrollment.ID, of provider: any PushProvider,
        in authenticator: PushAuthenticator
    ) async throws(PushError) -> HTTPFields {
        try await signing(request, enrollment, provider, authenticator)
    }
}

/// A request that somebody else sends once it is signed.
public struct SignableRequest: Sendable {
    /// Its method and, of a GET, the query as it will be sent.
    public let head: HTTPRequest

    /// The bytes that will be sent.
    public let body: Data

    /// What the server names the resource.
    public let resource: String

    /// What the signature is to prove.
    public let kind: RequestSigner.Kind

    /// What the user brought.
    public let evidence: [Evidence]

    /// Creates a request.
    public init(
        _ head: HTTPRequest, body: Data, resource: String, kind: RequestSigner.Kind,
        evidence: [Evidence]
    ) {
        self.head = head
        self.body = body
        self.resource = resource
        self.kind = kind
        self.evidence = evidence
    }
}

extension LinkedVendor {
    /// The same vendor, whose enrollments sign requests of the user's own.
    public func signing(by signer: RequestSigner) -> LinkedVendor {
        var vendor = self
        vendor.signer = signer
        return vendor
    }
}
