public import PushCore

/// What a wire format may use: the world, and its own half of each activation's record.
public struct XignInAccess: Sendable {
    /// The instance of the plugin that asks.
    public let provider: ProviderID

    /// The world. Of its store a format uses ``secret(of:)`` and ``update(_:_:)`` alone.
    public let environment: Environment

    /// The versions of the protocol that this app speaks.
    public let supportedAPI: ClosedRange<SmartDeviceAPI>

    /// The keys that only biometry unlocks, if the app has any.
    public let biometricKeys: (any XignInBiometricKeys)?

    /// The activation at a manager: there is one at most, so the manager's identifier names it.
    public func enrollment(at idmIdentifier: String) -> Enrollment.ID {
        Enrollment.ID(idmIdentifier, of: provider)
    }

    /// What the format keeps of an activation; `nil` if there is no such activation.
    ///
    /// - Throws: `PushError` with the code `storage` if the store can't tell, `malformed` if the
    ///   record is damaged.
    public func secret(of enrollment: Enrollment.ID) async throws(PushError) -> Secret? {
        let sealed = try await environment.vault(for: provider).secret(of: enrollment)
        return try sealed.map { (sealed) throws(PushError) in
            try XignInRecord(reading: sealed).format
        }
    }

    /// Changes what the format keeps of an activation: runs `body` on the newest value until the
    /// write wins. It may run more than once, so it must have no other effect.
    public func update(
        _ enrollment: Enrollment.ID, _ body: (inout Secret) throws(PushError) -> Void
    ) async throws(PushError) {
        try await environment.vault(for: provider).update(enrollment) {
            (credential) throws(PushError) in
            var record = try XignInRecord(reading: credential.secret)
            try body(&record.format)
            credential.secret = record.sealed
        }
    }
}
