import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A remote authentication or transaction that the user must decide: what an engine displays, and
/// the details of a challenge.
public struct OneSpanRequest: Hashable, Sendable {
    /// Which of the two it is, as the command said that led to it.
    public package(set) var kind = RequestKind.authentication

    /// The device it was made for, as its activation named it.
    package let deviceID: String

    /// The server's identifier of the request.
    package let requestID: String

    /// The session across the customer's website and this device; `nil` if the engine can't tell.
    package var sessionID: String?

    /// What the user sees.
    public let content: DisplayContent

    /// Why the user can only reject it: what an approval would stand for can't all be shown, or
    /// isn't understood. `nil` if they may approve it.
    ///
    /// An engine says what it found; the plugin adds what can't be shown, whatever the engine.
    public var problem: DisplayProblem?

    /// How the server wants an approval authenticated.
    public let method: AuthenticationMethod

    /// Whether this device can answer by biometry, if the server asks for it. Otherwise the password
    /// stands in (OneSpan, "Authentication methods").
    public var canUseBiometry = true

    /// When it was made and when it ends, by the server's clock; `nil` if the engine can't tell.
    ///
    /// Its length, measured from arrival, is the user's time: the device's wall clock decides
    /// nothing.
    package let validity: Range<Date>?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - deviceID: The device it was made for, as its activation named it.
    ///   - requestID: The server's identifier of the request: the name of the challenge.
    ///   - content: What the user sees.
    ///   - method: How the server wants an approval authenticated.
    ///   - validity: When it was made and when it ends, by the server's clock; `nil` if the engine
    ///     can't tell. Its length, measured from arrival, is the user's time.
    public init(
        deviceID: String, requestID: String, content: DisplayContent,
        method: AuthenticationMethod, validity: Range<Date>? = nil
    ) {
        self.deviceID = deviceID
        self.requestID = requestID
        self.content = content
        self.method = method
        self.validity = validity
    }
}

/// How the server wants an answer authenticated (OneSpan, "Authentication methods").
public enum AuthenticationMethod: Hashable, Sendable {
    /// No user authentication: the user's decision is enough.
    case none
    /// The password that the user chose at activation.
    case password
    /// A biometric check. The password may stand in for it.
    case biometric
}

/// The remote workflows: what a server asks a user.
public enum RequestKind: Hashable, Sendable {
    /// Remote authentication: two round trips.
    case authentication
    /// Remote transaction: two round trips.
    case transaction
}

/// Why a request is no longer pending: OneSpan's `SessionOutdatedReason`.
///
/// It is the server's own word, so the error of a request that was fetched too late closes the
/// challenge.
public enum SessionOutdatedReason: Hashable, Sendable {
    /// Its time is over.
    case expired
    /// It was accepted, by another device or an earlier answer.
    case accepted
    /// It was refused, by another device or an earlier answer.
    case refused
    /// The server doesn't say.
    case unknown

    /// The same in the core's terms.
    var reason: Withdrawal.Reason {
        switch self {
        case .expired: .expired
        case .accepted, .refused: .elsewhere
        case .unknown: .unknown
        }
    }
}

/// Why a request can only be rejected: what the user approves is what the user saw.
@nonexhaustive
public enum DisplayProblem: Hashable, Sendable {
    /// A transaction, or a text, that shows nothing.
    case missing
    /// Data that aren't what their form says, or a text that isn't one.
    case unreadable
    /// Data of a form that this engine doesn't know.
    case unknownForm
    /// A field without a label.
    case unlabeled
    /// More fields than 16.
    case tooMany
    /// A label, a value or a text that is longer than its form allows, or than is shown.
    case tooLong
    /// A way to authenticate that this engine doesn't know.
    case unknownMethod

    /// Why, for developers.
    package var reason: String {
        switch self {
        case .missing: "It has nothing to show."
        case .unreadable: "Part of what it shows can't be read."
        case .unknownForm: "What it shows has an unknown form."
        case .unlabeled: "A field has no label."
        case .tooMany: "It has more than 16 fields."
        case .tooLong: "It is too long to be shown whole."
        case .unknownMethod: "It asks for an unknown way to authenticate."
        }
    }
}

/// What a remote workflow shows to the user.
///
/// OneSpan's SDK hands over one string, whose form the customer defines; an adapter for it uses
/// ``text(_:)``.
public enum DisplayContent: Hashable, Sendable {
    /// Nothing; the user decides all the same.
    case none
    /// A text of 1 to 4,096 bytes in UTF-8.
    case text(String)
    /// Fields in their order: 1 to 16, the key 1 to 64 bytes and the value up to 256.
    ///
    /// What breaks these limits can't be approved (``OneSpanRequest/problem``).
    case fields([Field])

    /// One field.
    public struct Field: Hashable, Sendable {
        /// Its label.
        public let key: String

        /// Its value; may be empty.
        public let value: String

        /// Creates a field.
        public init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }
    }
}
