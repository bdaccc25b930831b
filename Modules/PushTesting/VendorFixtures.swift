public import PushCore

/// A vendor that a provider is checked against: its server, and how the provider is made.
///
/// A check uses each value once, so make a new server for each.
public struct VendorFixtures: Sendable {
    /// Makes the provider that is checked.
    public typealias MakeProvider =
        @Sendable (PushEnvironment) throws(PushError) -> any PushProvider

    /// The vendor's server, which knows no device yet. It takes an answer for at least two minutes,
    /// locks nobody out for many wrong ones, and stays at one origin.
    public let simulator: any VendorSimulator

    /// The server's clock, which the device goes by as well.
    public let clock: ManualClock

    /// Makes the provider.
    public private(set) var provider: MakeProvider

    /// What the app knows of its push service.
    public var deviceToken = DeviceToken.fcm("a-device-token")

    /// What the user types where a PIN is asked for.
    public var pin = "1234"

    /// Two users whom the vendor lets enroll.
    public var users = (one: "ada", other: "bob")

    /// How long a login waits for its answer.
    public var lifetime: Duration = .seconds(120)

    /// How many logins of one user may wait for their answers at once, at least 1; 2 by default.
    /// Set 1 if the vendor refuses a second login or lets it replace the first.
    public var openLogins = 2

    /// Other texts that nothing may tell, such as the one-time code of an invitation. The texts of
    /// invitations and what a credential's `Secret.Record` has as secrets are looked for anyway.
    public var secrets: @Sendable (Invitation) -> [String] = { _ in [] }

    /// Creates fixtures; set what is otherwise with the vendor.
    public init(
        simulator: any VendorSimulator, clock: ManualClock, provider: @escaping MakeProvider
    ) {
        self.simulator = simulator
        self.clock = clock
        self.provider = provider
    }

    /// The same with another provider.
    package func with(_ provider: @escaping MakeProvider) -> VendorFixtures {
        var fixtures = self
        fixtures.provider = provider
        return fixtures
    }

    /// Lets time pass until no login waits any more.
    func outlastLogins() {
        clock.advance(by: lifetime + .seconds(60))
    }
}
