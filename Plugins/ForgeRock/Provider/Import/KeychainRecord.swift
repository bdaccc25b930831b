import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An item that the vendor's SDK has put into Apple's keychain, as it lies there, decrypted.
///
/// What reads the keychain is built on Apple's systems alone (`VendorKeychain`); all that is decided about
/// its items is here.
public struct KeychainRecord: Sendable {
    /// Where the vendor's SDKs keep what can be imported; their notifications and tokens stay.
    @nonexhaustive
    public enum Service: String, Hashable, Sendable, CaseIterable {
        /// FRAuthenticator's accounts: archives.
        case accounts = "com.forgerock.ios.authenticator.keychainservice.local.account"
        /// FRAuthenticator's mechanisms: archives.
        case mechanisms = "com.forgerock.ios.authenticator.keychainservice.local.mechanism"
        /// PingPush's credentials: JSON.
        case pushCredentials = "com.pingidentity.push.credentials"
        /// PingOath's credentials: JSON without the secrets.
        case codeCredentials = "com.pingidentity.oath"
        /// The secrets of PingOath's credentials: Base32 text.
        case codeSecrets = "com.pingidentity.oath.secrets"

        /// Whether an item may be encrypted to a key of the Secure Enclave.
        public var mayBeSealed: Bool { self == .accounts || self == .mechanisms }
    }

    /// The item's service.
    public let service: Service

    /// The item's account attribute.
    public let account: String

    /// The item's value.
    public let value: Data

    /// Creates an item.
    public init(_ service: Service, account: String, value: Data) {
        self.service = service
        self.account = account
        self.value = value
    }

    /// Whether a value is an archive in clear, not one that is encrypted.
    public static func isArchive(_ value: Data) -> Bool { value.starts(with: Data("bplist".utf8)) }

    /// The records that a keychain's items make, ready to be imported: the two halves of a credential of
    /// PingOath are joined by their account attribute.
    public static func records(in items: [KeychainRecord]) -> [VendorRecord] {
        var secrets: [String: Secret] = [:]
        for item in items where item.service == .codeSecrets {
            secrets[item.account] = Secret(item.value)
        }
        return items.compactMap { item in
            switch item.service {
            case .accounts, .mechanisms: .archive(item.value)
            case .pushCredentials: .json(item.value, from: .iOS)
            case .codeCredentials:
                .json(item.value, from: .iOS, secret: secrets[item.account])
            case .codeSecrets: nil
            }
        }
    }
}
