/// How an authenticator delivers, remembers and warns. Each value has a sensible default.
public struct Policies: Hashable, Sendable {
    /// Which of the processes that share the store this one is, such as `app` or `extension`.
    ///
    /// A process that starts again under its name goes on at once with what its former life was
    /// sending; what another process is sending is left to it for the length of a ``lease``. By
    /// default the name is random, so a process that was killed waits for its own lease, too.
    public var instance: String?

    /// How often a decision or a device token that wasn't delivered is sent again.
    public var backoff = Backoff()

    /// How long another process is left alone with what it is sending; 40 seconds by default.
    ///
    /// It is renewed while what it was taken for goes on, so it should be longer than the system may
    /// suspend a process. Zero means none.
    public var lease: Duration = .seconds(40)

    /// How long what is over is remembered.
    public var retention = Retention()

    /// What happens when challenges come in a burst.
    public var brake = Brake.warn(Brake.Burst())

    /// Whether a message that was taken makes the authenticator ask the vendor what else waits,
    /// where there is a list: pushes get lost. What is found comes through the updates.
    public var asksAfterPush = true

    /// How many exchanges go on at once at the most where the authenticator does something for many
    /// enrollments, such as asking all vendors; 16 by default, at least 1.
    public var width = 16

    /// How long pushes that prove nothing wait at least between two questions to a vendor about one
    /// matter of one enrollment; 3 seconds by default, and up to half of it more by chance.
    ///
    /// Such pushes are cheap to forge: however many come, one question is under way and one waits.
    public var hintInterval: Duration = .seconds(3)

    /// How often ``PushAuthenticator/poll()`` asks.
    public var polling = Polling()

    /// Creates policies of default values; change what should be different.
    public init() {}
}
