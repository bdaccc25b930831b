#if canImport(Security)
// Data and CFString, which the keychain's calls take, bridge in Foundation alone.
import Foundation
public import PushCore
import Security

/// A store in the keychain, for apps.
///
/// Each record is a generic password: its service is the collection, its account the name, its
/// `kSecAttrGeneric` the revision. Creating is `SecItemAdd`, which refuses a second item; replacing
/// and deleting carry the old revision in their query, so that of two processes, such as an app and
/// its notification extension, one wins. Give both the same access group.
///
/// This file is built on Apple's systems alone, where the project's own checks don't run; what it
/// decides is in `KeychainEncoding`, which they do check. Run `CredentialStoreConformance` in your
/// app's tests.
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

    private let accessGroup: String?
    private let service: String
    private let accessibility: Accessibility

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
        self.accessGroup = accessGroup
        self.service = service
        self.accessibility = accessibility
    }

    /// A record and its revision; `nil` if there is none, which is asked twice.
    ///
    /// - Throws: `PushError` with the code `storage` if the keychain is locked or fails,
    ///   `malformed` if the item isn't whole.
    @concurrent
    public func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        guard let item = try item(key) else { return nil }
        guard let revision = item.revision, let value = item.value else {
            throw PushError(.malformed, "An item in the keychain is damaged. Discard it.")
        }
        return (value, revision)
    }

    /// Writes a record, if nobody else changed it meanwhile.
    ///
    /// - Throws: `PushError` with the code `conflict` if the record's revision is another one,
    ///   `malformed` if the item is damaged, `storage` if the keychain is locked or fails.
    @discardableResult
    @concurrent
    public func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?
    ) async throws(PushError) -> Revision? {
        let status: OSStatus
        let operation: String
        let new = Revision(UInt64.random(in: 1...UInt64(Int64.max)))
        switch (value, revision) {
        case (nil, nil):
            guard try await read(key) != nil else { return nil }
            throw PushError(.conflict, "There is such a record.")
        case (let value?, nil):
            var attributes = query(key).merging(contents(value, new)) { $1 }
            attributes[kSecAttrAccessible] = accessible
            status = SecItemAdd(attributes as CFDictionary, nil)
            operation = "creating"
        case (let value?, let revision?):
            status = SecItemUpdate(
                query(key, revision) as CFDictionary, contents(value, new) as CFDictionary)
            operation = "replacing"
        case (nil, let revision?):
            status = SecItemDelete(query(key, revision) as CFDictionary)
            operation = "deleting"
        }
        guard status != KeychainEncoding.success else { return value == nil ? nil : new }
        let error = KeychainEncoding.error(status, operation)
        // A damaged item matches no revision; reading it says so.
        if error.code == .conflict { _ = try await read(key) }
        throw error
    }

    /// Deletes a damaged item.
    ///
    /// - Throws: `PushError` with the code `conflict` if it isn't damaged, `storage` if the
    ///   keychain is locked or fails.
    @concurrent
    public func discard(_ key: RecordKey) async throws(PushError) {
        guard let item = try item(key) else { return }
        guard item.revision == nil || item.value == nil else {
            throw PushError(.conflict, "The record isn't damaged.")
        }
        var query = query(key)
        // Not an item that another process made meanwhile.
        if let mark = item.mark { query[kSecAttrGeneric] = mark as CFData }
        let status = SecItemDelete(query as CFDictionary)
        if status == KeychainEncoding.success || status == KeychainEncoding.itemNotFound { return }
        throw KeychainEncoding.error(status, "discarding")
    }

    /// The names of all records of a collection, damaged ones included, in no order.
    ///
    /// - Throws: `PushError` with the code `storage` if the keychain can't be read, such as before
    ///   the first unlock.
    @concurrent
    public func names(in collection: String) async throws(PushError) -> [String] {
        var query = query(collection: collection)
        query[kSecMatchLimit] = kSecMatchLimitAll
        query[kSecReturnAttributes] = NSNumber(value: true)
        let items = try find(query) as? [NSDictionary] ?? []
        return items.compactMap { item in
            (item[kSecAttrAccount] as? String).flatMap { KeychainEncoding.name(reading: $0) }
        }
    }
}

extension KeychainStore {
    private struct Item {
        let value: Secret?
        let mark: Data?

        var revision: Revision? { mark.flatMap { KeychainEncoding.revision(reading: $0) } }
    }

    private func item(_ key: RecordKey) throws(PushError) -> Item? {
        var query = query(key)
        query[kSecMatchLimit] = kSecMatchLimitOne
        query[kSecReturnAttributes] = NSNumber(value: true)
        query[kSecReturnData] = NSNumber(value: true)
        guard let found = try find(query) else { return nil }
        let attributes = found as? NSDictionary
        return Item(
            value: (attributes?[kSecValueData] as? Data).map { Secret($0) },
            mark: attributes?[kSecAttrGeneric] as? Data)
    }

    private var accessible: CFString {
        switch accessibility {
        case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        case .whenUnlocked: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        }
    }

    /// What matches; `nil` if nothing does, twice: an item can be missing for a moment, such as
    /// while the keychain is moved or unlocked.
    private func find(_ query: [CFString: AnyObject]) throws(PushError) -> AnyObject? {
        var status = KeychainEncoding.itemNotFound
        for _ in 0..<2 where status == KeychainEncoding.itemNotFound {
            var result: CFTypeRef?
            status = SecItemCopyMatching(query as CFDictionary, &result)
            if status == KeychainEncoding.success { return result }
        }
        if status == KeychainEncoding.itemNotFound { return nil }
        throw KeychainEncoding.error(status, "reading")
    }

    private func contents(_ value: Secret, _ revision: Revision) -> [CFString: AnyObject] {
        [
            kSecValueData: value.withBytes { Data($0) } as CFData,
            kSecAttrGeneric: Data(KeychainEncoding.bytes(of: revision)) as CFData,
        ]
    }

    private func query(_ key: RecordKey, _ revision: Revision? = nil) -> [CFString: AnyObject] {
        var query = query(collection: key.collection)
        query[kSecAttrAccount] = KeychainEncoding.text(of: key.name) as CFString
        if let revision {
            query[kSecAttrGeneric] = Data(KeychainEncoding.bytes(of: revision)) as CFData
        }
        return query
    }

    private func query(collection: String) -> [CFString: AnyObject] {
        var query: [CFString: AnyObject] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: KeychainEncoding.text(of: "\(service)/\(collection)") as CFString,
            // On macOS as on iOS; the older keychain there knows no accessibility.
            kSecUseDataProtectionKeychain: NSNumber(value: true),
        ]
        if let accessGroup { query[kSecAttrAccessGroup] = accessGroup as CFString }
        return query
    }
}
#endif
