import Foundation
import PushAuthCommand
import PushCore
import PushPlatform
import PushSealing
import PushTesting

/// A device's store: in a directory, under a key in a file beside it, or on servers.
struct SoakStore: Sendable {
    private let directory: URL
    private let keyFile: URL
    private let placeFile: URL

    /// A part of a store on servers.
    struct Servers: Codable, Sendable {
        /// As `pushauth --store` takes it.
        let url: String
        let keyFile: String
        /// A configuration of `pushauth` that says how the servers are reached.
        var configuration: String?
        /// No two runs share records.
        var scope: String

        func open() async throws -> any CredentialStore {
            ScopedStore(
                try await ServerStore.open(url, keyFile: keyFile, configuration: configuration),
                scope: scope)
        }
    }

    init(in parent: URL) {
        directory = parent.appendingPathComponent("store", isDirectory: true)
        keyFile = parent.appendingPathComponent("store.key")
        placeFile = parent.appendingPathComponent("store.json")
    }

    /// Makes the key; the first to open the store makes that.
    func prepare() async throws {
        _ = try await FileStore.KeySource.newFile(keyFile.path)
    }

    /// Has the store on servers instead. A note of that in the directory tells every process.
    func prepare(on servers: Servers) throws {
        try JSONEncoder().encode(servers).write(to: placeFile)
    }

    func open() async throws -> any CredentialStore {
        if let note = try? Data(contentsOf: placeFile) {
            return try await JSONDecoder().decode(Servers.self, from: note).open()
        }
        return try await openDirectory()
    }

    func openDirectory() async throws(PushError) -> FileStore {
        try await FileStore(at: directory.path, key: .file(keyFile.path))
    }

    /// Takes every record away that a run left on servers.
    func clear() async throws {
        guard FileManager.default.fileExists(atPath: placeFile.path) else { return }
        let store = try await open()
        for collection in Self.collections {
            for name in try await store.names(in: collection) {
                let key = RecordKey(collection, name)
                guard let found = try await store.read(key) else { continue }
                try await store.write(nil, for: key, replacing: found.revision)
            }
        }
    }

    /// Reads everything that is in it.
    ///
    /// - Throws: `PushError` if it can't be read; what opening throws.
    func snapshot() async throws -> StoreSnapshot {
        let store = try await open()
        let environment = PushEnvironment(
            transport: NoTransport(), store: store, verifier: ScriptedVerifier.absent(),
            device: Device(name: "push-lab"))
        let authenticator = PushAuthenticator(
            try SoakVendor.registry(in: environment), in: environment)
        var snapshot = StoreSnapshot(
            enrollments: try await authenticator.enrollments(),
            untold: try await authenticator.deviceTokenStates().filter { $1 != .current }.keys
                .map(\.name))
        for record in try await authenticator.records() {
            snapshot.rows[record.id.name] = .init(record.state)
        }
        try await read(store, into: &snapshot)
        return snapshot
    }

    /// Where the core and its plugins keep their records.
    static let collections =
        LabVendors.all.map { "claim/\($0.name)" }
        + [RecordedRows.collection, "device", "installation", "notification", "room"]

    private func read(
        _ store: any CredentialStore, into snapshot: inout StoreSnapshot
    ) async throws(PushError) {
        for collection in Self.collections {
            for name in try await store.names(in: collection) {
                let record = "\(collection)/\(name)"
                do throws(PushError) {
                    let found = try await store.read(RecordKey(collection, name))
                    guard let value = found?.value else { continue }
                    let bytes = value.withBytes { Data($0) }
                    snapshot.records[record] = bytes
                    guard collection == RecordedRows.collection else { continue }
                    for row in try RecordedRows(in: bytes).rows {
                        guard let kept = StoreSnapshot.KeptAnswer(inRow: row) else { continue }
                        snapshot.kept[kept.challenge] = kept
                    }
                } catch  where error.code == .malformed {
                    snapshot.damaged.append(record)
                }
            }
        }
    }
}

/// What a store held at one moment.
struct StoreSnapshot: Sendable {
    /// What the ledger says of one challenge.
    struct Row: Hashable, Sendable {
        /// What was decided; `nil` if nothing was.
        var choice: Choice?
        /// The vendor's word on it, in the words of the table; `nil` if there is none yet.
        var outcome: String?
    }

    /// What a row keeps of an answer that has no last word yet.
    struct KeptAnswer: Hashable, Sendable {
        let challenge: String
        /// How much of it: `whole`, `part`.
        let form: String
    }

    var enrollments: [Enrollment] = []

    /// The enrollments whose vendor doesn't have the newest device token.
    var untold: [String] = []

    /// The ledger, by the challenges' names. Of what has ended, the newest of each enrollment.
    var rows: [String: Row] = [:]

    /// What is kept of answers, by the challenges' names.
    var kept: [String: KeptAnswer] = [:]

    /// The records that can be read, decrypted, by their collections and names.
    var records: [String: Data] = [:]

    /// The records that can't be read.
    var damaged: [String] = []
}

extension StoreSnapshot.KeptAnswer {
    /// Reads a row of the ledger; `nil` if no answer waits in it.
    init?(inRow row: Secret.Record) {
        let fields = row.fields
        guard fields["outcome"] == nil, let challenge = fields["id"]?["challenge"]?.string,
            let form = fields["decided"]?["kept"]?.string
        else { return nil }
        self.init(challenge: challenge, form: form)
    }
}

extension StoreSnapshot.Row {
    init(_ state: ChallengeRecord.State) {
        switch state {
        case .decided(let resolution):
            self.init(choice: Choice(resolution))
        case .answered(let resolution, let outcome):
            self.init(choice: Choice(resolution), outcome: outcome.words)
        case .open, .over: self.init()
        @unknown default: self.init()
        }
    }
}
