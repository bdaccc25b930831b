#if canImport(LocalAuthentication) && canImport(Security)
// Data and CFString, which the keychain's calls take, bridge in Foundation alone.
import Foundation
import LocalAuthentication
public import PushCore
import Security

/// A guard that a finger, a face or the passcode opens, for apps.
///
/// Each part that is sealed gets a key of 32 random bytes, a generic password of its own in the
/// keychain, which goes to no other device and into no backup. The system reads it only for the user
/// whom the policy names, so nothing that runs in the app can do so without them:
///
/// | Policy | Access control | The key ends |
/// |---|---|---|
/// | `presence` | none; the device must be unlocked | |
/// | `deviceOwner` | `.userPresence` | when the passcode is turned off |
/// | `currentBiometry` | `.biometryCurrentSet` | also when a finger or the face is added or changed |
///
/// A part whose key has ended is `guardLost`. One question opens all parts of a call, as one `LAContext`
/// reads them.
///
/// This file is type-checked for Apple's systems, and runs there alone. What it decides is in
/// `KeychainKeys`, which is tested everywhere.
public struct KeychainGuard: KeyGuard {
    private let keys: KeychainKeys

    /// Creates a guard.
    ///
    /// - Parameters:
    ///   - accessGroup: The access group of its keys, as of the app's ``KeychainStore``, which then
    ///     deletes them with its records when it begins afresh; `nil` for the app's own.
    ///   - service: How the service of its keys begins, as the store's.
    public init(accessGroup: String? = nil, service: String = "push-auth") {
        keys = KeychainKeys(
            calls: SystemCalls(
                accessGroup: accessGroup, service: KeychainEncoding.text(of: "\(service)/guard")))
    }

    /// Seals a part under a new key. The user is asked for nothing.
    ///
    /// - Throws: `PushError` with the code `unsupported` if the device has no passcode, or no finger
    ///   or face, that the policy asks for; `storage` if the keychain refuses.
    public func seal(
        _ part: Secret, under policy: GuardPolicy
    ) async throws(PushError) -> Secret {
        try await keys.seal(part, under: policy)
    }

    /// Opens parts, once the user has proved themselves to the system.
    ///
    /// - Throws: `PushError` with the code `cancelled` if the user gave up, `verificationFailed` if
    ///   the system didn't recognize them, `locked` if nobody can be asked now, `guardLost` if a key
    ///   has ended, `malformed` or `unsupportedRecord` if a part can't be read, `storage` if the
    ///   keychain fails.
    public func open(
        _ sealed: [Secret], for purpose: VerificationRequest.Purpose, title: String?
    ) async throws(PushError) -> [Secret] {
        try await keys.open(sealed, for: purpose, title: title)
    }

    /// Deletes a part's key.
    public func discard(_ sealed: Secret) async { await keys.discard(sealed) }
}

private struct SystemCalls: GuardCalls {
    let accessGroup: String?
    let service: String

    func canOpen(_ policy: GuardPolicy) -> Bool {
        switch policy {
        case .presence: true
        case .deviceOwner:
            LAContext().canEvaluatePolicy(.deviceOwnerAuthentication, error: nil)
        case .currentBiometry:
            LAContext().canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: nil)
        }
    }

    func add(_ key: Secret, named name: String, under policy: GuardPolicy) -> Int32 {
        var attributes = item(name)
        attributes[kSecValueData] = key.withBytes { Data($0) } as CFData
        switch policy {
        case .presence:
            attributes[kSecAttrAccessible] = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        case .deviceOwner, .currentBiometry:
            guard
                let access = SecAccessControlCreateWithFlags(
                    nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
                    policy == .deviceOwner ? .userPresence : .biometryCurrentSet, nil)
            else { return errSecParam }
            attributes[kSecAttrAccessControl] = access
        }
        return SecItemAdd(attributes as CFDictionary, nil)
    }

    func makeContext(_ prompt: String?) -> any GuardContext {
        let context = LAContext()
        if let prompt { context.localizedReason = prompt }
        return SystemContext(calls: self, context: context)
    }

    func delete(_ name: String) -> Int32 { SecItemDelete(item(name) as CFDictionary) }

    fileprivate func item(_ name: String) -> [CFString: AnyObject] {
        var item: [CFString: AnyObject] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: service as CFString,
            kSecAttrAccount: name as CFString,
            // On macOS as on iOS; the older keychain there knows no access control.
            kSecUseDataProtectionKeychain: NSNumber(value: true),
        ]
        if let accessGroup { item[kSecAttrAccessGroup] = accessGroup as CFString }
        return item
    }
}

private struct SystemContext: GuardContext {
    let calls: SystemCalls
    let context: LAContext

    func copy(_ name: String) -> (status: Int32, key: Secret?) {
        var query = calls.item(name)
        query[kSecReturnData] = NSNumber(value: true)
        query[kSecUseAuthenticationContext] = context
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        return (status, (result as? Data).map { Secret($0) })
    }
}
#endif
