import PushCore

/// A policy that AM set for an enrollment, and that this device doesn't meet.
///
/// It's the `underlying` error of a `PushError` with the code `blocked`; an enrollment's state
/// `blocked` holds the same name.
public struct PolicyViolation: Error, Hashable {
    /// The policy's name, such as `biometricAvailable`.
    public let policy: String
}

extension ForgeRock {
    /// Refuses what a policy forbids.
    ///
    /// - Throws: `PushError` with the code `blocked`, caused by a ``PolicyViolation``.
    func requireCompliance(with policies: JSON.Object) async throws(PushError) {
        guard let policy = await configuration.policies.firstViolated(of: policies) else { return }
        throw PushError(
            .blocked, "The device doesn't meet the policy \(policy).",
            underlying: PolicyViolation(policy: policy))
    }
}
