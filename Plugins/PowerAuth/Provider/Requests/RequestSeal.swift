import HTTPTypes
import PushCore

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
