public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A push that its manager has signed, in no format's terms.
public struct XignInMessage: Sendable {
    /// What a manager wants with a push.
    public enum Kind: Hashable, Sendable {
        /// The user is asked to sign in.
        case authentication
        /// The process is over, and why.
        case cancel(XignCancelReason)
        /// Something newer than this version, under the manager's name for it.
        case unknown(String)
    }

    /// The process.
    public var id: Challenge.ID

    /// What the manager wants.
    public var kind: Kind

    /// Whether the app may drop it silently if it can't act on it now.
    public var isIgnorable: Bool

    /// The version of the protocol it takes to act on it, as the manager wrote it.
    public var minimumAPI: String

    /// When the manager sent it.
    public var issued: Date

    /// When the process ends.
    public var expiry: Date

    /// A title to show.
    public var title: String?

    /// A text to show.
    public var text: String?

    /// How urgent it is, for display alone.
    public var priority: Notice.Priority

    /// What the format needs to open the process; kept in the ledger, never printed.
    public var context: Secret

    /// Creates a message without texts.
    public init(
        id: Challenge.ID, kind: Kind, minimumAPI: String, validity: (issued: Date, expiry: Date)
    ) {
        self.id = id
        self.kind = kind
        self.minimumAPI = minimumAPI
        issued = validity.issued
        expiry = validity.expiry
        isIgnorable = false
        priority = .unspecified
        context = Secret([])
    }

    /// The manager's name for ``kind``.
    var kindName: String {
        switch kind {
        case .authentication: "authentication"
        case .cancel: "cancel"
        case .unknown(let name): name
        }
    }
}

/// What a wire format found in a message by its shape alone: nothing of it is proved.
public struct XignInCandidate: Sendable {
    private let verify: @Sendable (XignInAccess) async throws(PushError) -> XignInMessage

    /// Creates a candidate.
    ///
    /// - Parameters:
    ///   - found: What the format read, as a value of its own.
    ///   - verify: Verifies that value. It throws what ``message(using:)`` may throw.
    public init<Found: Sendable>(
        _ found: Found,
        verifiedBy verify:
            @escaping @Sendable (Found, XignInAccess) async throws(PushError) -> XignInMessage
    ) {
        self.verify = { (access) async throws(PushError) -> XignInMessage in
            try await verify(found, access)
        }
    }

    /// Verifies what was found with the keys of the activation it names, then reads it.
    ///
    /// - Throws: `PushError`: `unknownEnrollment` if its manager isn't personalized here, `untrusted`
    ///   if its signature doesn't hold, `malformed` if anything else is wrong.
    public func message(using access: XignInAccess) async throws(PushError) -> XignInMessage {
        try await verify(access)
    }
}
