#if canImport(Security)
// Data and CFString, which the keychain's calls take, bridge in Foundation alone.
public import Foundation
public import PushCore
import Security

/// A store in the keychain, for apps.
///
/// Each record is a generic password: its service is the collection, its account the name, its
/// `kSecAttrGeneric` the revision. Creating is `SecItemAdd`, which refuses a second item; replacing
/// and deleting carry the old revision in their query, so that of two processes, such as an app and
/// its notification extension, one wins. Give both the same access group.
///
/// The keychain's items outlive the app: they are there again when it is installed again. An app that
/// shall begin afresh then calls ``beginAfresh(marker:)``.
///
/// This file is type-checked for Apple's systems, and runs there alone. What it decides is in
/// `KeychainRecords`, which is tested everywhere. Run `CredentialStoreConformance` on it in your app's
/// tests.
public struct KeychainStore: CredentialStore {
    /// When the items can be read. None goes to another device, nor into a backup that another
    /// device can restore.
    @nonexhaustive
    public enum Accessibility: Hashable, Sendable {
        /// From the first unlocking after a start on, also in the background: what a push needs.
        case afterFirstUnlock
        /// While the device is unlocked.
        case whenUnlocked
    }

    private let records: KeychainRecords

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - accessGroup: The access group that the app and its extensions share; `nil` for the app's
    ///     own.
    ///   - service: How the service of each item begins, to tell them from the app's other items.
    ///   - accessibility: When the items can be read.
    public init(
        accessGroup: String? = nil, service: String = "push-auth",
        accessibility: Accessibility = .afterFirstUnlock
    ) {
        records = KeychainRecords(
            calls: SystemKeychain(accessibility: accessibility), accessGroup: accessGroup,
            service: service)
    }

    /// Deletes what an earlier installation of the app left in the keychain, at the first start of this
    /// one. Call it in the app, never in an extension, before an authenticator uses the store.
    ///
    /// An app that was released without it makes the file itself in the update that brings the call:
    /// else the update would delete the users' enrollments.
    ///
    /// - Parameter marker: A file in the app's own container, such as in Application Support. It goes
    ///   with the app, so it tells whether this installation has begun. It must be in backups, as the
    ///   items of a device that is restored from its own backup are.
    /// - Returns: Whether it began afresh.
    /// - Throws: `PushError` with the code `storage` if the keychain or the file can't be used. Call it
    ///   again then before the store is used.
    @discardableResult
    public func beginAfresh(marker: URL) throws(PushError) -> Bool {
        try records.beginAfresh(marker: marker)
    }

    /// A record and its revision; `nil` if there is none, which is asked twice.
    ///
    /// - Throws: `PushError` with the code `storage` if the keychain is locked or fails,
    ///   `malformed` if the item isn't whole.
    public func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try await records.read(key)
    }

    /// Writes a record, if nobody else changed it meanwhile; whether work waits in it isn't kept.
    ///
    /// - Throws: `PushError` with the code `conflict` if the record's revision is another one,
    ///   `malformed` if the item is damaged, `storage` if the keychain is locked or fails.
    @discardableResult
    public func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        try await records.write(value, for: key, replacing: revision, waits: waits)
    }

    /// Deletes a damaged item.
    ///
    /// - Throws: `PushError` with the code `conflict` if it isn't damaged, `storage` if the
    ///   keychain is locked or fails.
    public func discard(_ key: RecordKey) async throws(PushError) { try await records.discard(key) }

    /// A part of a collection's names, whether or not work waits in the records. Each page asks the
    /// keychain for all.
    ///
    /// - Throws: `PushError` with the code `storage` if the keychain can't be read, such as before
    ///   the first unlock.
    public func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await records.names(in: collection, waiting: waiting, after: name, limit: limit)
    }
}

/// The system's keychain.
private struct SystemKeychain: KeychainCalls {
    let accessibility: KeychainStore.Accessibility

    func add(_ item: KeychainItem, in accessGroup: String?) -> Int32 {
        var attributes = dictionary(
            KeychainQuery(
                accessGroup: accessGroup, service: item.service, account: item.account,
                mark: item.mark))
        attributes[kSecValueData] = item.value?.withBytes { Data($0) as CFData }
        attributes[kSecAttrAccessible] = accessible
        return SecItemAdd(attributes as CFDictionary, nil)
    }

    func copy(
        _ query: KeychainQuery, withValues: Bool
    ) -> (status: Int32, items: [KeychainItem]) {
        var query = dictionary(query)
        query[kSecMatchLimit] = withValues ? kSecMatchLimitOne : kSecMatchLimitAll
        query[kSecReturnAttributes] = NSNumber(value: true)
        if withValues { query[kSecReturnData] = NSNumber(value: true) }
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        guard status == KeychainEncoding.success else { return (status, []) }
        let found = result as? [NSDictionary] ?? (result as? NSDictionary).map { [$0] } ?? []
        return (status, found.map(item))
    }

    func update(_ query: KeychainQuery, _ value: Secret, mark: [UInt8]) -> Int32 {
        let changes: [CFString: AnyObject] = [
            kSecValueData: value.withBytes { Data($0) } as CFData,
            kSecAttrGeneric: Data(mark) as CFData,
        ]
        return SecItemUpdate(dictionary(query) as CFDictionary, changes as CFDictionary)
    }

    func delete(_ query: KeychainQuery) -> Int32 {
        SecItemDelete(dictionary(query) as CFDictionary)
    }

    private func item(_ attributes: NSDictionary) -> KeychainItem {
        KeychainItem(
            service: attributes[kSecAttrService] as? String ?? "",
            account: attributes[kSecAttrAccount] as? String ?? "",
            mark: (attributes[kSecAttrGeneric] as? Data).map { Array($0) },
            value: (attributes[kSecValueData] as? Data).map { Secret($0) })
    }

    private func dictionary(_ query: KeychainQuery) -> [CFString: AnyObject] {
        var dictionary: [CFString: AnyObject] = [
            kSecClass: kSecClassGenericPassword,
            // On macOS as on iOS; the older keychain there knows no accessibility.
            kSecUseDataProtectionKeychain: NSNumber(value: true),
        ]
        if let group = query.accessGroup { dictionary[kSecAttrAccessGroup] = group as CFString }
        if let service = query.service { dictionary[kSecAttrService] = service as CFString }
        if let account = query.account { dictionary[kSecAttrAccount] = account as CFString }
        if let mark = query.mark { dictionary[kSecAttrGeneric] = Data(mark) as CFData }
        return dictionary
    }

    private var accessible: CFString {
        switch accessibility {
        case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        case .whenUnlocked: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        }
    }
}
#endif
