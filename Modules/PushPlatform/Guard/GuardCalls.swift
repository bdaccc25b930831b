import PushCore

/// The calls of Apple's systems that a guard makes, in terms that are tested everywhere. Each that
/// returns a number returns Apple's status.
protocol GuardCalls: Sendable {
    /// `LAContext.canEvaluatePolicy`: whether the device has what opens a guard of this policy.
    func canOpen(_ policy: GuardPolicy) -> Bool

    /// `SecItemAdd`: a generic password that only what the policy says reads.
    func add(_ key: Secret, named name: String, under policy: GuardPolicy) -> Int32

    /// A new `LAContext` with the text of its prompt.
    func makeContext(_ prompt: String?) -> any GuardContext

    /// `SecItemDelete`.
    func delete(_ name: String) -> Int32
}

/// What the user has proved so far, for all that is read with it.
protocol GuardContext {
    /// `SecItemCopyMatching`. It returns once the user has answered.
    func copy(_ name: String) -> (status: Int32, key: Secret?)
}
