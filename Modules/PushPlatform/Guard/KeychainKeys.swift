import Dispatch
import PushCore

/// Keys in a keychain, one for each part that is sealed; all that `KeychainGuard` does but the calls
/// themselves.
struct KeychainKeys: KeyGuard {
    let calls: any GuardCalls

    @concurrent
    func seal(_ part: Secret, under policy: GuardPolicy) async throws(PushError) -> Secret {
        guard calls.canOpen(policy) else {
            throw PushError(.unsupported, "This device isn't set up for the policy \(policy).")
        }
        let key = SystemRandom().bytes(32)
        let keys = try StoreKeys(key, for: .guards)
        let sealed = try GuardRecord.seal(part, with: keys)
        let status = calls.add(key, named: keys.id, under: policy)
        guard status == KeychainEncoding.success else {
            throw KeychainEncoding.error(status, "creating")
        }
        return sealed
    }

    func open(
        _ sealed: [Secret], for purpose: VerificationRequest.Purpose, title: String?
    ) async throws(PushError) -> [Secret] {
        // Before the user is asked for something that nobody reads.
        var records: [GuardRecord] = []
        for sealed in sealed { records.append(try GuardRecord(reading: sealed)) }
        let (asked, calls) = (records, calls)
        let result: Result<[Secret], PushError> = await withCheckedContinuation { continuation in
            // Reading returns once the user has answered, so it keeps a thread of its own waiting.
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(
                    returning: Result { () throws(PushError) in
                        try Self.open(asked, with: calls.makeContext(title))
                    })
            }
        }
        return try result.get()
    }

    /// Deletes the key. One that stays opens nothing that anybody has.
    @concurrent
    func discard(_ sealed: Secret) async {
        guard let record = try? GuardRecord(reading: sealed) else { return }
        _ = calls.delete(record.keyID)
    }

    private static func open(
        _ records: [GuardRecord], with context: any GuardContext
    ) throws(PushError) -> [Secret] {
        var parts: [Secret] = []
        for record in records {
            let key = try key(record.keyID, with: context)
            parts.append(try record.open(with: try StoreKeys(key, for: .guards)))
        }
        return parts
    }

    private static func key(
        _ name: String, with context: any GuardContext
    ) throws(PushError) -> Secret {
        var (status, key) = context.copy(name)
        // An item can be missing for a moment, such as while the keychain is moved or unlocked.
        if status == KeychainEncoding.itemNotFound { (status, key) = context.copy(name) }
        switch status {
        case KeychainEncoding.success:
            guard let key, key.count == 32 else {
                throw PushError(.malformed, "A guard's key in the keychain is damaged.")
            }
            return key
        case KeychainEncoding.itemNotFound:
            throw PushError(
                .guardLost,
                "The keychain no longer has the guard's key, such as after a change of the fingers."
            )
        case KeychainEncoding.userCanceled: throw PushError(.cancelled, "The user gave up.")
        case KeychainEncoding.authFailed:
            throw PushError(.verificationFailed, "The user wasn't recognized.")
        case KeychainEncoding.interactionNotAllowed:
            throw PushError(.locked, "The device is locked, or may not ask the user now.")
        default: throw KeychainEncoding.error(status, "reading")
        }
    }
}

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
