/// What a vendor can do that no method of its provider shows.
public struct Capabilities: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// Creates a set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The vendor lists what waits for an answer, so a lost push is found.
    public static let pendingList = Capabilities(rawValue: 1 << 0)

    /// The vendor takes reasons with a denial.
    public static let denyReasons = Capabilities(rawValue: 1 << 1)

    /// The vendor has a call that changes the device token of an enrollment.
    public static let tokenUpdate = Capabilities(rawValue: 1 << 2)

    /// The vendor has a call that removes the device token of an enrollment.
    public static let tokenRemoval = Capabilities(rawValue: 1 << 3)

    /// The vendor has a call that ends an enrollment; without it, removal is local.
    public static let serverRemoval = Capabilities(rawValue: 1 << 4)

    /// The vendor judges lateness itself: an answer after the expiry may be sent.
    ///
    /// Without it, the core refuses to answer what is certainly expired by the server's clock.
    public static let lateAnswers = Capabilities(rawValue: 1 << 5)

    /// What opens a challenge, ``Announcement/context``, is forgotten once the challenge is over: it
    /// holds what grants access, or is of no use any more.
    ///
    /// It's over with a withdrawal, or with the last word on its answer, even if that is
    /// ``Outcome/unknown(_:)``: what a provider says so after is neither sent nor asked for again. As
    /// long as the core tries, such as after a lost reply, the context stays.
    public static let forgetsContext = Capabilities(rawValue: 1 << 6)
}
