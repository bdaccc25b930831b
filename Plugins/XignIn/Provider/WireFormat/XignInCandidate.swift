public import PushCore

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
