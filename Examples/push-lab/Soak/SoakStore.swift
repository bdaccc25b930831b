import Foundation
import PushCore
import PushPlatform
import PushTesting

/// A device's store, in a directory, under a key in a file beside it.
struct SoakStore: Sendable {
    private let directory: URL
    private let keyFile: URL

    init(in parent: URL) {
        directory = parent.appendingPathComponent("store", isDirectory: true)
        keyFile = parent.appendingPathComponent("store.key")
    }

    /// Makes the key; the first to open the store makes that.
    func prepare() async throws {
        _ = try await FileStore.KeySource.newFile(keyFile.path)
    }

    func open() async throws(PushError) -> FileStore {
        try await FileStore(at: directory.path, key: .file(keyFile.path))
    }

    /// Reads everything that is in it.
    ///
    /// - Throws: `PushError` if it can't be opened, or can't tell.
    func snapshot() async throws(PushError) -> StoreSnapshot {
        let store = try await open()
        let environment = Environment(
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
        LabVendors.all.map(\.name).flatMap { ["credential/\($0)", "claim/\($0)"] }
        + [
            "challenge", "device", "device/enrollment", "burst", "inbox", "installation",
            "notification",
        ]

    private func read(
        _ store: FileStore, into snapshot: inout StoreSnapshot
    ) async throws(PushError) {
        for collection in Self.collections {
            for name in try await store.names(in: collection) {
                let record = "\(collection)/\(name)"
                do throws(PushError) {
                    let found = try await store.read(RecordKey(collection, name))
                    guard let value = found?.value else { continue }
                    snapshot.records[record] = value.withBytes { Data($0) }
                    guard collection == "challenge" else { continue }
                    if let kept = StoreSnapshot.KeptAnswer(inRow: value) {
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

    /// The ledger, by the challenges' names.
    var rows: [String: Row] = [:]

    /// What is kept of answers, by the challenges' names.
    var kept: [String: KeptAnswer] = [:]

    /// The records that can be read, decrypted, by their collections and names.
    var records: [String: Data] = [:]

    /// The records that can't be read.
    var damaged: [String] = []
}

extension StoreSnapshot.KeptAnswer {
    /// Reads a record of the ledger; `nil` if no answer waits in it.
    init?(inRow sealed: Secret) {
        guard let fields = try? SecretRecord(reading: sealed).fields, fields["outcome"] == nil,
            let challenge = fields["id"]?["challenge"]?.string,
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
        default:
            self.init()
        }
    }
}
