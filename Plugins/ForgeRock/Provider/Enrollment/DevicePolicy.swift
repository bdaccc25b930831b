public import PushCore

/// A condition that AM sets for using an enrollment, and that the app judges.
///
/// AM sends policies by name with an `mfauth` code. A policy that the app hasn't registered is
/// ignored, as in the vendor's own apps.
public struct DevicePolicy: Sendable {
    /// The name AM knows it by, such as `biometricAvailable`.
    public let name: String

    private let check: @Sendable (JSON) async -> Bool

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - name: The name AM knows it by.
    ///   - check: Whether this device complies; it is given what AM sent beside the name.
    public init(_ name: String, check: @escaping @Sendable (JSON) async -> Bool) {
        self.name = name
        self.check = check
    }

    /// `biometricAvailable`: biometry is enrolled and usable; a passcode alone isn't enough.
    public static func biometricAvailable(
        _ isAvailable: @escaping @Sendable () async -> Bool
    ) -> DevicePolicy {
        DevicePolicy("biometricAvailable") { _ in await isAvailable() }
    }

    /// `deviceTampering`: the device's tamper score is below a threshold.
    ///
    /// - Parameters:
    ///   - threshold: The threshold where AM sends no number in `score`.
    ///   - score: The score, 0 (untouched) to 1.
    /// - Returns: The policy.
    public static func deviceTampering(
        threshold: Double = 0.8, score: @escaping @Sendable () async -> Double
    ) -> DevicePolicy {
        DevicePolicy("deviceTampering") { data in
            await score() < data["score"]?.double ?? threshold
        }
    }

    func isMet(with data: JSON) async -> Bool {
        await check(data)
    }
}

extension [DevicePolicy] {
    /// The name of the first policy that AM asks for and this device doesn't meet.
    func firstViolated(of asked: JSON.Object) async -> String? {
        for policy in self {
            if let data = asked[policy.name], await !policy.isMet(with: data) { return policy.name }
        }
        return nil
    }
}

/// A policy that AM set for an enrollment, and that this device doesn't meet.
///
/// It's the `underlying` error of a `PushError` with the code `blocked`; an enrollment's state
/// `blocked` holds the same name.
public struct PolicyViolation: Error, Hashable {
    /// The policy's name, such as `biometricAvailable`.
    public let policy: String
}

extension [DevicePolicy] {
    /// Refuses what a policy forbids.
    ///
    /// - Throws: `PushError` with the code `blocked`, caused by a ``PolicyViolation``.
    func requireCompliance(with policies: JSON.Object) async throws(PushError) {
        try refuse(for: await firstViolated(of: policies))
    }

    /// Refuses what a policy or a lock forbids.
    ///
    /// - Throws: `PushError` with the code `blocked`, caused by a ``PolicyViolation``.
    func requireCompliance(with kept: ForgeRockCredential) async throws(PushError) {
        try refuse(for: await violatedPolicy(of: kept))
    }

    /// The policy that this device doesn't meet, or for which the vendor's SDK had locked the account:
    /// such a lock stands until the app judges that policy, and the device meets it.
    func violatedPolicy(of kept: ForgeRockCredential) async -> String? {
        if let policy = await firstViolated(of: kept.policies) { return policy }
        guard let lock = kept.lock else { return nil }
        guard let policy = first(where: { $0.name == lock }) else { return lock }
        return await policy.isMet(with: kept.policies[lock] ?? [:]) ? nil : lock
    }

    private func refuse(for violated: String?) throws(PushError) {
        guard let violated else { return }
        throw PushError(
            .blocked, "The device doesn't meet the policy \(violated).",
            underlying: PolicyViolation(policy: violated))
    }
}
