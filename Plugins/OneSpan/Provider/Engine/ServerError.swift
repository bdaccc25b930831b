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

/// What a server error is about, with the range of numbers of each (OneSpan, "Error messages
/// returned by Trusted Device microservice").
package enum ServerErrorCategory: String, Hashable, Sendable, CaseIterable {
    /// −1099 to −1000: the platform itself, or input that it couldn't read.
    case system
    /// −1199 to −1100: locked, disabled, or unknown users.
    case user
    /// −1299 to −1200: activation codes, passwords and registrations.
    case provisioning
    /// −1399 to −1300: the authenticator, its keys and its counters.
    case authenticator
    /// −1499 to −1400: the request isn't known.
    case session
    /// −1599 to −1500: the risk component.
    case risk
    /// −1699 to −1600: the response of an authentication was wrong.
    case authentication
    /// −1799 to −1700: the signature of a transaction was wrong.
    case transaction

    /// The category's numbers.
    package var codes: ClosedRange<Int32> {
        switch self {
        case .system: -1099 ... -1000
        case .user: -1199 ... -1100
        case .provisioning: -1299 ... -1200
        case .authenticator: -1399 ... -1300
        case .session: -1499 ... -1400
        case .risk: -1599 ... -1500
        case .authentication: -1699 ... -1600
        case .transaction: -1799 ... -1700
        }
    }

    /// The category of a number; `nil` if none has it.
    package init?(code: Int32) {
        guard let found = Self.allCases.first(where: { $0.codes.contains(code) }) else {
            return nil
        }
        self = found
    }
}
