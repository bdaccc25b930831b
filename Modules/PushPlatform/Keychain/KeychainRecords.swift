import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Records in a keychain, by compare-and-set; all that `KeychainStore` does but the calls themselves.
struct KeychainRecords: CredentialStore {
    let calls: any KeychainCalls
    let accessGroup: String?
    let service: String

    @concurrent
    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        guard let item = try item(key) else { return nil }
        guard let revision = item.revision, let value = item.value else {
            throw PushError(.malformed, "An item in the keychain is damaged. Discard it.")
        }
        return (value, revision)
    }

    @discardableResult
    @concurrent
    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        let status: Int32
        let operation: String
        let new = Revision(UInt64.random(in: 1...UInt64(Int64.max)))
        let mark = KeychainEncoding.bytes(of: new)
        switch (value, revision) {
        case (nil, nil):
            guard try await read(key) != nil else { return nil }
            throw PushError(.conflict, "There is such a record.")
        case (let value?, nil):
            status = calls.add(
                KeychainItem(
                    service: service(of: key.collection),
                    account: KeychainEncoding.text(of: key.name), mark: mark, value: value),
                in: accessGroup)
            operation = "creating"
        case (let value?, let revision?):
            status = calls.update(query(key, revision), value, mark: mark)
            operation = "replacing"
        case (nil, let revision?):
            status = calls.delete(query(key, revision))
            operation = "deleting"
        }
        guard status != KeychainEncoding.success else { return value == nil ? nil : new }
        let error = KeychainEncoding.error(status, operation)
        // A damaged item matches no revision; reading it says so.
        if error.code == .conflict { _ = try await read(key) }
        throw error
    }

    @concurrent
    func discard(_ key: RecordKey) async throws(PushError) {
        guard let item = try item(key) else { return }
        guard item.revision == nil || item.value == nil else {
            throw PushError(.conflict, "The record isn't damaged.")
        }
        var query = query(key)
        // Not an item that another process made meanwhile.
        query.mark = item.mark
        try delete(query, "discarding")
    }

    @concurrent
    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        let query = KeychainQuery(accessGroup: accessGroup, service: service(of: collection))
        let names = try find(query, withValues: false).compactMap {
            KeychainEncoding.name(reading: $0.account)
        }
        return NamePage(of: names, after: name, limit: limit)
    }

    // MARK: Beginning afresh

    /// Deletes what an earlier installation of the app left, once: if there is no file at `marker`. Then
    /// makes that file.
    ///
    /// - Returns: Whether it did so.
    /// - Throws: `PushError` with the code `storage`. What is left is deleted by the next call then.
    func beginAfresh(marker: URL) throws(PushError) -> Bool {
        let files = FileManager.default
        guard !files.fileExists(atPath: marker.path) else { return false }
        let all = try find(KeychainQuery(accessGroup: accessGroup), withValues: false)
        for item in all
        where KeychainEncoding.name(reading: item.service)?.hasPrefix("\(service)/") == true {
            try delete(
                KeychainQuery(
                    accessGroup: accessGroup, service: item.service, account: item.account),
                "deleting")
        }
        do {
            try files.createDirectory(
                at: marker.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: marker)
        } catch {
            throw PushError(.storage, "The app's marker can't be written.", underlying: error)
        }
        return true
    }

    // MARK: Calls

    private func delete(_ query: KeychainQuery, _ operation: String) throws(PushError) {
        let status = calls.delete(query)
        if status == KeychainEncoding.success || status == KeychainEncoding.itemNotFound { return }
        throw KeychainEncoding.error(status, operation)
    }

    private func item(_ key: RecordKey) throws(PushError) -> KeychainItem? {
        try find(query(key), withValues: true).first
    }

    /// What matches; nothing if nothing does, twice: an item can be missing for a moment, such as while
    /// the keychain is moved or unlocked.
    private func find(
        _ query: KeychainQuery, withValues: Bool
    ) throws(PushError) -> [KeychainItem] {
        var found = calls.copy(query, withValues: withValues)
        if found.status == KeychainEncoding.itemNotFound {
            found = calls.copy(query, withValues: withValues)
        }
        switch found.status {
        case KeychainEncoding.success: return found.items
        case KeychainEncoding.itemNotFound: return []
        default: throw KeychainEncoding.error(found.status, "reading")
        }
    }

    private func query(_ key: RecordKey, _ revision: Revision? = nil) -> KeychainQuery {
        KeychainQuery(
            accessGroup: accessGroup, service: service(of: key.collection),
            account: KeychainEncoding.text(of: key.name),
            mark: revision.map { KeychainEncoding.bytes(of: $0) })
    }

    private func service(of collection: String) -> String {
        KeychainEncoding.text(of: "\(service)/\(collection)")
    }
}

extension KeychainItem {
    fileprivate var revision: Revision? { mark.flatMap { KeychainEncoding.revision(reading: $0) } }
}
