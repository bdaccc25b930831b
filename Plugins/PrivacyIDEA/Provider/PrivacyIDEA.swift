public import PushCore

/// privacyIDEA's push token: the server signs each challenge with a key pair that it made for this
/// token, the device answers with another one (RSA, PKCS#1 v1.5, SHA-256).
///
/// Challenges come by push and by polling, the same signed fields either way. Nothing of a challenge is
/// believed, shown or stored before its signature holds.
public struct PrivacyIDEA: Sendable {
    /// The name of this instance.
    public let id: ProviderID

    /// What the app has chosen.
    public let configuration: Configuration

    let environment: PushEnvironment
    let keys: DeviceKeySource

    /// Shared by all copies of this value.
    let enrollments = ListedEnrollments()

    /// Shared as well.
    let serverKeys = ServerKeys()

    /// Shared as well.
    let deviceKeys = DeviceKeys()

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name of this instance; it must not change between releases of an app.
    ///   - configuration: What the app has chosen.
    ///   - environment: The world, as the provider may use it.
    public init(
        id: ProviderID = "privacyidea", configuration: Configuration = Configuration(),
        in environment: PushEnvironment
    ) {
        self.init(id: id, configuration: configuration, keys: .fresh, in: environment)
    }

    /// Creates a provider whose key pairs come from elsewhere, such as from recorded exchanges.
    init(
        id: ProviderID = "privacyidea", configuration: Configuration = Configuration(),
        keys: DeviceKeySource, in environment: PushEnvironment
    ) {
        self.id = id
        self.configuration = configuration
        self.environment = environment.scoped(to: id)
        self.keys = keys
    }

    /// Drops everything that is kept in memory, as may happen at any moment.
    func dropCaches() async {
        await enrollments.forget()
        await serverKeys.dropCaches()
        await deviceKeys.dropCaches()
    }
}
