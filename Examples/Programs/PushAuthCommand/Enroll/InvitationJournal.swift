import Crypto
import Foundation
import PushCore

/// Which enrollments came of which invitation, so that a file of invitations can be gone through
/// once more and nobody is enrolled twice.
///
/// It is kept in the store, and no invitation is in it, only a hash. An enrollment is noted before
/// its record is made, which vendors' plugins make before the first byte is sent wherever that is
/// of use: whenever the process is killed, what it began is found again.
struct InvitationJournal: Sendable {
    private static let collection = "pushauth/invitations"

    /// The invitation that is being followed.
    @TaskLocal fileprivate static var current: String?

    let store: any CredentialStore

    /// An invitation's name in the journal.
    static func name(of text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).hexadecimal
    }

    /// Follows an invitation: each enrollment that is made meanwhile is noted as having come of it.
    func following<Value: Sendable>(
        _ name: String, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await Self.$current.withValue(name) { try await body() }
    }

    /// The enrollments that came of an invitation, the newest last; some may be gone.
    func enrollments(of name: String) async throws(PushError) -> [Enrollment.ID] {
        guard let (value, _) = try await store.read(Self.key(name)) else { return [] }
        return Self.ids(in: value)
    }

    fileprivate func note(_ id: Enrollment.ID, of name: String) async throws(PushError) {
        for _ in 1...100 {
            let found = try await store.read(Self.key(name))
            let ids = found.map { Self.ids(in: $0.value) } ?? []
            if ids.contains(id) { return }
            let list = (ids + [id]).map { id -> JSON in
                ["provider": .string(id.provider.rawValue), "name": .string(id.name)]
            }
            do throws(PushError) {
                try await store.write(
                    Secret.Record(fields: ["enrollments": .array(list)]).sealed,
                    for: Self.key(name), replacing: found?.revision)
                return
            } catch  where error.code == .conflict {
                continue
            }
        }
        throw PushError(.conflict, "Other processes follow the same invitation.")
    }

    private static func key(_ name: String) -> RecordKey { RecordKey(collection, name) }

    /// What can't be read names nothing: the invitation is followed as if for the first time.
    private static func ids(in value: Secret) -> [Enrollment.ID] {
        let list = (try? Secret.Record(reading: value))?.fields["enrollments"]?.array ?? []
        return list.compactMap { entry in
            guard let provider = entry["provider"]?.string, let name = entry["name"]?.string
            else { return nil }
            return Enrollment.ID(name, of: ProviderID(rawValue: provider))
        }
    }
}

/// A store that notes in the journal which enrollments are made.
struct JournalingStore: CredentialStore {
    let base: any CredentialStore

    var isShared: Bool { base.isShared }

    func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try await base.read(key)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        if value != nil, revision == nil { try await note(key) }
        return try await base.write(value, for: key, replacing: revision, waits: waits)
    }

    private func note(_ key: RecordKey) async throws(PushError) {
        guard let name = InvitationJournal.current, let id = Self.enrollment(at: key) else {
            return
        }
        try await InvitationJournal(store: base).note(id, of: name)
    }

    /// Whose record is at a place; `nil` if it is no enrollment's. In their collection a name is
    /// JSON text: an array of the provider and of the enrollment's own name.
    private static func enrollment(at key: RecordKey) -> Enrollment.ID? {
        guard key.collection == "enrollment",
            let parts = try? JSON(parsing: key.name, limits: .init(bytes: .max)).array?
                .compactMap(\.string), parts.count == 2
        else { return nil }
        return Enrollment.ID(parts[1], of: ProviderID(rawValue: parts[0]))
    }

    func discard(_ key: RecordKey) async throws(PushError) { try await base.discard(key) }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await base.names(in: collection, waiting: waiting, after: name, limit: limit)
    }

    func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord] {
        try await base.read(all: keys)
    }
}
