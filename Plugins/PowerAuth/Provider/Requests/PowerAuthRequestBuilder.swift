public import HTTPTypes
public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Builds the app's own requests, one method for each purpose.
///
/// It is lent by ``PowerAuthRequests/inTurn(_:)``, for as long as that function runs.
public struct PowerAuthRequestBuilder: Sendable {
    let channel: PowerAuthChannel
    let account: Account

    /// Signs a request.
    ///
    /// Of a POST, PUT, PATCH or DELETE the body's bytes are signed; of a GET its query's parameters.
    /// The URL is signed in no case: `resource` stands for it. The counter has moved once this
    /// returns, and before there was a signature.
    ///
    /// - Parameters:
    ///   - head: Method, URL and fields; the URL's query as it will be sent.
    ///   - body: The bytes that will be sent; none for a GET.
    ///   - resource: What the server names the resource, with every `${…}` filled in, such as
    ///     `/secured/account/7`. It is no URL: the server's owner tells it.
    ///   - factors: What the signature proves.
    /// - Returns: The request, to send once and before another is signed.
    /// - Throws: `PushError` with the code `invalidArgument` for another method, a GET with a body, a
    ///   query that the server can't read as it's meant, or a resource that isn't filled in;
    ///   `blocked` or `unknownEnrollment` if the activation isn't active, `verificationFailed` if
    ///   biometry isn't set up, `unreachable` if the server's counter can't be made to follow,
    ///   `storage` if the counter can't be kept.
    public func signed(
        _ head: HTTPRequest, body: Data = Data(), resource: String, factors: PowerAuthFactors
    ) async throws(PushError) -> PowerAuthRequest {
        let data = try SignedData(head, body, resource)
        try await channel.prepareToSign(account)
        let (head, proof) = try await sign(head, data, factors)
        return PowerAuthRequest(head: head, body: body, proof: proof, opener: nil)
    }

    /// Signs a request, then encrypts it, as servers of the vendor's framework expect it of the
    /// bank's own endpoints: the signature covers the plain bytes.
    ///
    /// - Parameters:
    ///   - head: Method, which must be POST, URL and fields.
    ///   - body: The plain bytes.
    ///   - resource: As for ``signed(_:body:resource:factors:)``.
    ///   - factors: What the signature proves.
    ///   - scope: Whom it's encrypted for.
    /// - Returns: The request, to send once and before another is signed.
    /// - Throws: `PushError` with the codes of ``signed(_:body:resource:factors:)``; what asking the
    ///   server for a temporary key throws, and then no counter has moved.
    public func signedThenEncrypted(
        _ head: HTTPRequest, body: Secret, resource: String, factors: PowerAuthFactors,
        scope: PowerAuthEncryptionScope = .activation
    ) async throws(PushError) -> PowerAuthRequest {
        let plain = body.withBytes { Data($0) }
        let data = try SignedData(head, plain, resource)
        try await channel.prepareToSign(account)
        let seal = try await seal(head, scope)
        let (signedHead, proof) = try await sign(head, data, factors)
        return try await seal.request(signedHead, body, header: nil, proof: proof)
    }

    /// Encrypts a request that isn't signed: it proves nothing but that this device, or in the
    /// application's scope any installation, sealed it.
    ///
    /// - Parameters:
    ///   - head: Method, which must be POST, URL and fields.
    ///   - body: The plain bytes; they may be empty.
    ///   - scope: Whom it's encrypted for.
    /// - Returns: The request, to send once.
    /// - Throws: `PushError` with the code `invalidArgument` for another method, `blocked` or
    ///   `unknownEnrollment` if the activation isn't active; what asking the server for a temporary
    ///   key throws.
    public func encrypted(
        _ head: HTTPRequest, body: Secret, scope: PowerAuthEncryptionScope = .activation
    ) async throws(PushError) -> PowerAuthRequest {
        try await encrypted(head, body, scope, proof: .none)
    }

    /// Has the next request sealed for a new temporary key, and the server's time asked for again.
    ///
    /// A server that can't open an envelope answers as if there were none, in the bank's own words;
    /// only the app understands them.
    public func forgetEncryptionKeys() async {
        await channel.forgetTemporaryKeys()
    }

    func encrypted(
        _ head: HTTPRequest, _ body: Secret, _ scope: PowerAuthEncryptionScope,
        proof: PowerAuthRequest.Proof
    ) async throws(PushError) -> PowerAuthRequest {
        let record = try await channel.active(account)
        let bound = scope == .activation ? channel.scope(record) : channel.applicationScope
        return try await seal(head, scope).request(
            head, body, header: bound.header(channel.configuration.version), proof: proof)
    }

    private func seal(
        _ head: HTTPRequest, _ scope: PowerAuthEncryptionScope
    ) async throws(PushError) -> RequestSeal {
        try await RequestSeal(
            channel, scope, head, record: try await channel.active(account))
    }

    private func sign(
        _ head: HTTPRequest, _ data: SignedData, _ factors: PowerAuthFactors
    ) async throws(PushError) -> (HTTPRequest, PowerAuthRequest.Proof) {
        let (header, byte) = try await channel.signature(of: data, for: account, factors)
        var head = head
        try head.set(SignatureHeader.name, header)
        return (head, .signature(factors, counterByte: byte))
    }
}

extension SignedData {
    /// What a signature covers of a request of the app's own.
    ///
    /// - Throws: `PushError` with the code `invalidArgument`, as
    ///   ``PowerAuthRequestBuilder/signed(_:body:resource:factors:)`` says.
    init(_ head: HTTPRequest, _ body: Data, _ resource: String) throws(PushError) {
        guard !resource.isEmpty, !resource.contains("${") else {
            throw PushError(
                .invalidArgument, "The resource is empty, or has a ${…} that isn't filled in.")
        }
        switch head.method {
        case .get:
            guard body.isEmpty else {
                throw PushError(.invalidArgument, "A GET has no body that could be signed.")
            }
            let query = try CanonicalQuery(ofPath: head.path ?? "")
            self.init(method: "GET", uriID: resource, body: Data(query.text.utf8))
        case .post, .put, .patch, .delete:
            self.init(method: head.method.rawValue, uriID: resource, body: body)
        default:
            throw PushError(
                .invalidArgument, "Only GET, POST, PUT, PATCH and DELETE can be signed.")
        }
    }
}
