public import PushCore

/// A guard that keeps parts in memory, whose user does what a test says, and which remembers what
/// it was asked. What another instance sealed is lost to it.
public actor ScriptedGuard: KeyGuard {
    private let policies: Set<GuardPolicy>
    private var refusal: PushError.Code?

    /// What it keeps, by the names it gave: those that were sealed and not discarded.
    public private(set) var parts: [[UInt8]: Secret] = [:]

    /// For what it was asked to open something, oldest first.
    public private(set) var requests: [VerificationRequest.Purpose] = []

    /// Under which policies it has sealed something, oldest first.
    public private(set) var sealed: [GuardPolicy] = []

    /// Creates a guard.
    ///
    /// - Parameter policies: What it can keep to.
    public init(_ policies: Set<GuardPolicy> = Set(GuardPolicy.allCases)) {
        self.policies = policies
    }

    /// Makes it refuse to open anything, such as with `cancelled`, `locked` or `guardLost`; `nil` makes
    /// it open again.
    public func refuse(with code: PushError.Code?) { refusal = code }

    /// Keeps a part under a random name.
    ///
    /// - Throws: `PushError` with the code `unsupported` under a policy that it can't keep to.
    public func seal(
        _ part: Secret, under policy: GuardPolicy
    ) async throws(PushError) -> Secret {
        guard policies.contains(policy) else {
            throw PushError(.unsupported, "This guard can't keep to the policy.")
        }
        let name = SystemRandom().bytes(16)
        parts[name.withBytes { Array($0) }] = part
        sealed.append(policy)
        return name
    }

    /// Returns the parts.
    ///
    /// - Throws: `PushError` with the code of ``refuse(with:)``; `guardLost` if it keeps no such part.
    public func open(
        _ sealed: [Secret], for purpose: VerificationRequest.Purpose, title: String?
    ) async throws(PushError) -> [Secret] {
        requests.append(purpose)
        if let refusal { throw PushError(refusal, "The user or the guard refused.") }
        var opened: [Secret] = []
        for name in sealed {
            guard let part = parts[name.withBytes { Array($0) }] else {
                throw PushError(.guardLost, "This guard keeps no such part.")
            }
            opened.append(part)
        }
        return opened
    }

    /// Forgets a part.
    public func discard(_ sealed: Secret) { parts[sealed.withBytes { Array($0) }] = nil }
}
