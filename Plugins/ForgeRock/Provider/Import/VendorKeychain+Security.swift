#if canImport(Security)
// Security hands over types of all of Foundation.
import Foundation
public import PushCore
import Security

/// Reads what the vendor's SDKs have left in Apple's keychain. It is built on Apple's systems alone: what it
/// decides is in ``KeychainRecord``.
public struct VendorKeychain: Sendable {
    private let accessGroup: String?

    /// The tag of the key that FRAuthenticator encrypts its items to where there is a Secure Enclave.
    private static let keyTag = "com.forgerock.ios.authenticator.securedKey.identifier"

    /// Creates a reader.
    ///
    /// - Parameter accessGroup: The keychain group that the old SDK was given; the app's own if `nil`.
    public init(accessGroup: String? = nil) {
        self.accessGroup = accessGroup
    }

    /// Reads all items that can be imported. Nothing is changed.
    ///
    /// - Returns: The records, for ``ForgeRock/importEnrollments(from:deviceToken:)``.
    /// - Throws: `PushError` with the code `storage` if the keychain can't be read, such as before the
    ///   device was unlocked.
    public func records() throws(PushError) -> [VendorRecord] {
        var items: [KeychainRecord] = []
        for service in KeychainRecord.Service.allCases { items += try self.items(of: service) }
        return KeychainRecord.records(in: items)
    }

    private func items(of service: KeychainRecord.Service) throws(PushError) -> [KeychainRecord] {
        var query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service.rawValue,
            kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true, kSecReturnData: true,
            kSecUseDataProtectionKeychain: true,
        ]
        query[kSecAttrAccessGroup] = accessGroup
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        guard status != errSecItemNotFound else { return [] }
        guard status == errSecSuccess, let items = found as? [[CFString: Any]] else {
            throw PushError(.storage, "The keychain can't be read: status \(status).")
        }
        return items.compactMap { item in
            guard let account = item[kSecAttrAccount] as? String,
                let value = item[kSecValueData] as? Data
            else { return nil }
            return KeychainRecord(
                service, account: account, value: service.mayBeSealed ? opened(value) : value)
        }
    }

    /// What can't be opened stays as it is; the import reports it as no archive.
    private func opened(_ value: Data) -> Data {
        guard !KeychainRecord.isArchive(value), let key = key() else { return value }
        let algorithms: [SecKeyAlgorithm] = [
            .eciesEncryptionCofactorVariableIVX963SHA256AESGCM,
            .eciesEncryptionCofactorX963SHA256AESGCM,
        ]
        for algorithm in algorithms {
            if let clear = SecKeyCreateDecryptedData(key, algorithm, value as CFData, nil) {
                return clear as Data
            }
        }
        return value
    }

    private func key() -> SecKey? {
        var query: [CFString: Any] = [
            kSecClass: kSecClassKey, kSecAttrApplicationTag: Data(Self.keyTag.utf8),
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecReturnRef: true,
        ]
        query[kSecAttrAccessGroup] = accessGroup
        var found: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess, let found,
            CFGetTypeID(found) == SecKeyGetTypeID()
        else { return nil }
        return unsafeDowncast(found, to: SecKey.self)
    }
}
#endif
