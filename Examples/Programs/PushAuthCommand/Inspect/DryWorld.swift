import Foundation
import HTTPTypes
import PushCore

/// A store that is only read: what is written goes into memory, and is forgotten with it.
///
/// A provider may keep something that a genuine message tells, so to refuse its writes would make
/// the message look refused.
actor DryStore: CredentialStore {
    private let base: (any CredentialStore)?
    private var written: [RecordKey: (value: Secret, revision: Revision)?] = [:]
    private var count: UInt64 = 0

    /// - Parameter base: What is read; `nil` for an empty store.
    init(over base: (any CredentialStore)?) {
        self.base = base
    }

    func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        if let kept = written[key] { return kept }
        return try await base?.read(key)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        guard try await read(key)?.revision == revision else {
            throw PushError(.conflict, "Another writer was first.")
        }
        count += 1
        written.updateValue(value.map { ($0, Revision(count)) }, forKey: key)
        return value.map { _ in Revision(count) }
    }

    func discard(_ key: RecordKey) async throws(PushError) {}

    /// What is in memory alone is named whether work waits in it or not.
    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        let kept = written.filter { $0.key.collection == collection }
        let names = try await base?.names(in: collection, waiting: waiting) ?? []
        let all =
            names.filter { name in !kept.keys.contains { $0.name.isSame(as: name) } }
            + kept.filter { $0.value != nil }.map(\.key.name)
        return NamePage(of: all, after: name, limit: limit)
    }
}

/// A network that reaches nobody, and remembers whom it was to reach.
actor NoNetwork: Transport {
    private var hosts: [String] = []

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let host = request.authority ?? ""
        if !hosts.contains(host) { hosts.append(host) }
        throw PushError(.unreachable, "Nothing is sent while a message is inspected.")
    }

    /// Whom it was to reach since the last call.
    func take() -> [String] {
        defer { hosts = [] }
        return hosts
    }
}
