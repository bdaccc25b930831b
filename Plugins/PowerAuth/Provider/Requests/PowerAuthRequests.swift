public import HTTPTypes
public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The app's own requests to its bank, proved and encrypted with one activation.
///
/// A request is built and sent in the enrollment's turn: a server that took a later signature never
/// takes an earlier one, and counts that as a failed attempt where a PIN or biometry signed.
public struct PowerAuthRequests: Sendable {
    /// The activation.
    public let enrollment: Enrollment.ID

    private let authenticator: PushAuthenticator
    private let channel: PowerAuthChannel

    /// Prepares requests of an activation.
    ///
    /// - Parameters:
    ///   - authenticator: The app's authenticator.
    ///   - provider: The plugin, as the authenticator's registry holds it.
    ///   - enrollment: The activation.
    /// - Throws: `PushError` with the code `invalidArgument` if it's another provider's.
    public init(
        _ authenticator: PushAuthenticator, provider: PowerAuth, enrollment: Enrollment.ID
    ) throws(PushError) {
        guard enrollment.provider == provider.id else {
            throw PushError(
                .invalidArgument, "It is another provider's.", provider: provider.id)
        }
        self.authenticator = authenticator
        channel = provider.channel
        self.enrollment = enrollment
    }

    /// Runs a function in the enrollment's turn, and lends it what builds requests.
    ///
    /// Send each request in it before the next is built, with ``PowerAuthRequestBuilder/send(_:over:)``
    /// or the app's own HTTP client. Keep the builder no longer, and don't call the authenticator
    /// from `body`: it would wait for itself.
    ///
    /// - Throws: What `body` throws.
    public func inTurn<Value: Sendable>(
        _ body: @Sendable (PowerAuthRequestBuilder) async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let builder = PowerAuthRequestBuilder(channel: channel, enrollment: enrollment)
        return try await authenticator.turn(of: enrollment) { () async throws(PushError) -> Value in
            try await body(builder)
        }
    }
}

/// The app's requests that are encrypted before there is an activation, such as for a login.
public struct PowerAuthApplicationRequests: Sendable {
    private let channel: PowerAuthChannel

    /// Prepares requests.
    public init(_ provider: PowerAuth) {
        channel = provider.channel
    }

    /// Encrypts a request in the application's scope, without any other proof.
    ///
    /// - Parameters:
    ///   - head: Method, which must be POST, URL and fields.
    ///   - body: The plain bytes; they may be empty.
    /// - Returns: The request, to send once.
    /// - Throws: `PushError` with the code `invalidArgument` for another method; what asking the
    ///   server for a temporary key throws.
    public func encrypted(
        _ head: HTTPRequest, body: Secret
    ) async throws(PushError) -> PowerAuthRequest {
        let seal = try await RequestSeal(channel, .application, head)
        return try await seal.request(
            head, body, header: channel.applicationScope.header(channel.configuration.version),
            proof: .none)
    }
}

/// What encrypts one request: everything is at hand before a counter moves.
struct RequestSeal: Sendable {
    private let channel: PowerAuthChannel
    private let enrollment: Enrollment.ID?
    private let encryptor: RequestEncryptor

    /// Gets the key to seal for.
    ///
    /// - Parameters:
    ///   - channel: The way to the server.
    ///   - scope: Whom the request is for.
    ///   - head: Method, URL and fields.
    ///   - record: The activation, for its scope.
    /// - Throws: `PushError` with the code `invalidArgument` unless the method is POST; what asking
    ///   for a key throws.
    init(
        _ channel: PowerAuthChannel, _ scope: PowerAuthEncryptionScope, _ head: HTTPRequest,
        record: PowerAuthRecord? = nil
    ) async throws(PushError) {
        guard head.method == .post else {
            throw PushError(.invalidArgument, "Only a POST can be encrypted.")
        }
        self.channel = channel
        let bound: EncryptionScope
        let serverKey: CurvePoint
        switch (scope, record) {
        case (.activation, let record?):
            bound = channel.scope(record)
            serverKey = try record.serverPublicKey
        default:
            bound = channel.applicationScope
            serverKey = channel.configuration.application.masterKey
        }
        enrollment = channel.enrollment(of: bound)
        let key = try await channel.encryptionKey(bound, serverKey).key
        encryptor = try channel.encryptor(key, bound, scope.sharedInfo1)
    }

    /// Encrypts a body.
    ///
    /// - Parameters:
    ///   - head: Method, URL and fields.
    ///   - body: The plain bytes.
    ///   - header: The value of `X-PowerAuth-Encryption`; `nil` where a signature's header says the
    ///     same.
    ///   - proof: What the request is proved by.
    /// - Returns: The request, with what opens its reply.
    /// - Throws: `PushError` with the code `invalidArgument` if the random source yields no key.
    func request(
        _ head: HTTPRequest, _ body: Secret, header: String?, proof: PowerAuthRequest.Proof
    ) async throws(PushError) -> PowerAuthRequest {
        let (envelope, opener) = try encryptor.seal(
            body, timestamp: await channel.now(for: enrollment))
        var head = head
        head.headerFields[.contentType] = "application/json"
        if let header { try head.set(EncryptionScope.headerName, header) }
        return PowerAuthRequest(head: head, body: envelope.data, proof: proof, opener: opener)
    }
}

extension HTTPRequest {
    /// Sets a field whose name is one of the protocol's.
    mutating func set(_ name: String, _ value: String) throws(PushError) {
        guard let name = HTTPField.Name(name) else {
            throw PushError(.invalidArgument, "The header's name can't be used.")
        }
        headerFields[name] = value
    }
}
