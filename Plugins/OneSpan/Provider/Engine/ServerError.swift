/// An error that the server gave in place of a reply: OneSpan's `OrchestrationServerError`, with
/// the documented contents of `ErrorResponseOC`.
public struct ServerError: Hashable, Sendable {
    /// The server's number; see OneSpan's "Error messages returned by Trusted Device microservice".
    public let returnCode: Int32

    /// A text for developers; `""` if there is none. Never shown to the user unless
    /// ``isAuthenticated``.
    public let readableMessage: String

    /// What the server adds for the app, such as the attempts left; `nil` if nothing.
    public let customPayload: String?

    /// `GENERIC`, `UNKNOWN` or another type the server names; `nil` if none.
    public let errorType: String?

    /// Whether the server proved to have sent it, in answer to the very command. What anyone can
    /// forge ends no flow and changes no state.
    public let isAuthenticated: Bool

    /// Creates an error.
    public init(
        _ returnCode: Int32, _ readableMessage: String = "", customPayload: String? = nil,
        errorType: String? = nil, isAuthenticated: Bool
    ) {
        self.returnCode = returnCode
        self.readableMessage = readableMessage
        self.customPayload = customPayload
        self.errorType = errorType
        self.isAuthenticated = isAuthenticated
    }
}
