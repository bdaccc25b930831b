public import HTTPTypes
public import PushCore

/// The app's own requests to its bank, proved and encrypted with one activation.
///
/// A request is built and sent in the enrollment's turn: a server that took a later signature never
/// takes an earlier one, and counts that as a failed attempt where a PIN or biometry signed.
public struct PowerAuthRequests: Sendable {
    let turn: ActivationTurn

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
        try await turn { (channel, account) async throws(PushError) -> Value in
            try await body(PowerAuthRequestBuilder(channel: channel, account: account))
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
