public import PushCore

/// A push that its manager has signed, in no format's terms.
public struct XignInMessage: Sendable {
    /// The process, and what the push says of it.
    package let notice: Notice

    /// What the manager wants.
    package let type: XignPushMessageType

    /// Why the process is over; of a cancel.
    package let reason: Withdrawal.Reason

    /// The version of the protocol it takes to act on it, as the manager wrote it.
    package let minimumAPI: String

    /// What the format needs to open the process.
    package let context: Secret

    /// Creates a message.
    ///
    /// - Parameters:
    ///   - notice: The process, when the push was made and when the process ends, and for a question
    ///     what to show. A format always knows the end.
    ///   - type: What the manager wants.
    ///   - reason: Why the process is over; of a cancel alone.
    ///   - minimumAPI: The version of the protocol it takes to act on it, as the manager wrote it.
    ///   - context: What the format needs to open the process; kept in the ledger, never printed.
    public init(
        _ notice: Notice, type: XignPushMessageType, reason: Withdrawal.Reason = .cancelled,
        minimumAPI: String, context: Secret = Secret([])
    ) {
        self.notice = notice
        self.type = type
        self.reason = reason
        self.minimumAPI = minimumAPI
        self.context = context
    }
}

/// What a wire format read of a message by its shape alone: nothing of it is proved.
public struct XignInCandidate: Sendable {
    private let verify: @Sendable (XignInAccess) async throws(PushError) -> XignInMessage

    /// Creates a candidate.
    ///
    /// - Parameters:
    ///   - content: What the format read, as a value of its own.
    ///   - verify: Verifies that value with the keys of the activation it names
    ///     (``XignInAccess/account(at:)``), then reads it. It throws `PushError`:
    ///     `unknownEnrollment` if the manager isn't personalized here, `untrusted` if the signature
    ///     doesn't hold, `malformed` if anything else is wrong.
    public init<Content: Sendable>(
        _ content: Content,
        verifiedBy verify:
            @escaping @Sendable (Content, XignInAccess) async throws(PushError) -> XignInMessage
    ) {
        self.verify = { (access) async throws(PushError) -> XignInMessage in
            try await verify(content, access)
        }
    }

    /// Verifies what was read with the keys of the activation it names, then reads it.
    ///
    /// - Throws: `PushError`: `unknownEnrollment` if its manager isn't personalized here, `untrusted`
    ///   if its signature doesn't hold, `malformed` if anything else is wrong.
    package func message(using access: XignInAccess) async throws(PushError) -> XignInMessage {
        try await verify(access)
    }
}
