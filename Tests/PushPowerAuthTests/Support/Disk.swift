import Foundation
import HTTPTypes
import PushCore
import PushTesting

/// A phone's storage, and the power switch: a phone that died at a write does nothing any more.
actor Disk: CredentialStore {
    /// What a process is killed by.
    struct Death: Sendable {
        /// At which write, counted from 0.
        let write: Int
        /// Whether that write still has its effect.
        let isAfter: Bool
    }

    private let store = InMemoryStore()
    private var keys: Set<RecordKey> = []
    private var death: Death?
    private(set) var writes = 0
    private(set) var listings = 0
    private(set) var trips = 0
    private(set) var isDead = false

    /// Kills the process at a write from now on.
    func die(_ death: Death?) {
        self.death = death
        writes = 0
    }

    /// Starts again over what was written.
    func revive() {
        death = nil
        isDead = false
    }

    func refuseWrites(_ refuses: (@Sendable (RecordKey) -> PushError?)?) async {
        await store.refuseWrites(refuses)
    }

    /// All that is stored, by key.
    var contents: [RecordKey: [UInt8]] {
        get async throws {
            var all: [RecordKey: [UInt8]] = [:]
            for key in keys {
                if let value = try await store.read(key)?.value { all[key] = value.array }
            }
            return all
        }
    }

    /// Whether a record has these bytes in it.
    func holds(_ secret: [UInt8]) async throws -> Bool {
        try await contents.values.contains { $0.contains(secret) }
    }

    private static let dead = PushError(.storage, "The phone is off.")

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        if isDead { throw Self.dead }
        trips += 1
        return try await store.read(key)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        if isDead { throw Self.dead }
        trips += 1
        let dies = writes == death?.write
        writes += 1
        if dies, death?.isAfter == false {
            isDead = true
            throw Self.dead
        }
        let written = try await store.write(value, for: key, replacing: revision, waits: waits)
        keys.insert(key)
        if dies {
            isDead = true
            throw Self.dead
        }
        return written
    }

    func discard(_ key: RecordKey) async throws(PushError) {
        if isDead { throw Self.dead }
        try await store.discard(key)
    }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        if isDead { throw Self.dead }
        listings += 1
        return try await store.names(
            in: collection, waiting: waiting, after: name, limit: limit)
    }

    /// A network that a dead phone doesn't reach.
    nonisolated func guarded(_ transport: any Transport) -> any Transport {
        Guarded(disk: self, transport: transport)
    }

    private struct Guarded: Transport {
        let disk: Disk
        let transport: any Transport

        func send(
            _ request: HTTPRequest, body: Data
        ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
            if await disk.isDead { throw Disk.dead }
            return try await transport.send(request, body: body)
        }
    }
}
