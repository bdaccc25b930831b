#if os(iOS)
import Foundation
import LocalAuthentication
import PushCore
import Security

/// A random secret in the keychain that only a finger or a face opens, and only one that the device
/// knew when the secret was made: a finger that is added later ends it. All enrollments share it.
nonisolated struct BiometricSecret: Sendable {
    /// Turns biometry off wherever an earlier secret was used: what is signed with another one is
    /// wrong, and a vendor counts it as a wrong try. Called before a new secret is made, and none is
    /// made if it throws.
    let willReplace: @Sendable () async throws(PushError) -> Void

    init(willReplace: @escaping @Sendable () async throws(PushError) -> Void) {
        self.willReplace = willReplace
    }

    /// Whether there is a secret, and no change of the fingers or the face has ended it. Nobody is
    /// asked.
    var isThere: Bool {
        let context = LAContext()
        // What only a finger opens is then told apart from what nothing opens any more.
        context.interactionNotAllowed = true
        return read(with: context).0 != errSecItemNotFound
    }

    private var item: [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "push-auth.biometry",
            kSecAttrAccount: "secret",
        ]
    }

    /// Has the system ask for the finger or the face, and reads what that opens.
    ///
    /// - Returns: `nil` if there is no secret, or a change of the fingers or the face ended it.
    func open(_ title: String) async throws(PushError) -> Secret? {
        let (status, secret): (OSStatus, Secret?) = await withCheckedContinuation { continuation in
            // The call returns once the user has answered, so it keeps a thread of its own waiting.
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(returning: read(title))
            }
        }
        switch status {
        case errSecSuccess: return secret
        case errSecItemNotFound: return nil
        case errSecUserCanceled: throw PushError(.cancelled, "The user gave up.")
        default:
            throw PushError(
                .verificationFailed, "The biometric secret wasn't opened (status \(status)).")
        }
    }

    /// The same when biometry is set up: makes the secret if there is none. The secret is read back,
    /// so that the user proves at once that a finger opens it.
    func openOrMake(_ title: String) async throws(PushError) -> Secret {
        if let secret = try await open(title) { return secret }
        try await make()
        guard let secret = try await open(title) else {
            throw PushError(.verificationFailed, "The biometric secret was lost while it was made.")
        }
        return secret
    }

    private func read(_ title: String) -> (OSStatus, Secret?) {
        let context = LAContext()
        context.localizedReason = title
        return read(with: context)
    }

    private func read(with context: LAContext) -> (OSStatus, Secret?) {
        var query = item
        query[kSecReturnData] = true
        query[kSecUseAuthenticationContext] = context
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        return (status, (found as? Data).map { Secret($0) })
    }

    private func make() async throws(PushError) {
        // The flag is what binds: the secure hardware compares the set of fingers, not this process.
        guard
            let access = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, .biometryCurrentSet, nil)
        else { throw PushError(.verificationFailed, "This device can't bind a key to biometry.") }
        try await willReplace()
        // What can't be opened any more may still have the place.
        SecItemDelete(item as CFDictionary)
        var attributes = item
        attributes[kSecAttrAccessControl] = access
        attributes[kSecValueData] = SystemRandom().bytes(32).withBytes { Data($0) }
        let status = SecItemAdd(attributes as CFDictionary, nil)
        guard status == errSecSuccess else {
            throw PushError(
                .verificationFailed, "The keychain refused the secret (status \(status)).")
        }
    }
}
#endif
