import Foundation
import HTTPTypes
import PushCore
import PushTesting

/// A store of files in a directory of its own, which goes with it, that counts what is asked of it.
actor FleetStore: CredentialStore {
    struct Counts {
        var reads = 0
        var writes = 0
        var listings = 0
    }

    private(set) var counts = Counts()
    private let store: any CredentialStore
    private let folder: StoreFolder

    init(in base: URL) async throws {
        folder = try StoreFolder(in: base)
        store = try await folder.newStore("fleet")
    }

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        counts.reads += 1
        return try await store.read(key)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        counts.writes += 1
        return try await store.write(value, for: key, replacing: revision, waits: waits)
    }

    func discard(_ key: RecordKey) async throws(PushError) { try await store.discard(key) }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        counts.listings += 1
        return try await store.names(
            in: collection, waiting: waiting, after: name, limit: limit)
    }
}

/// A simulator in the same process, whose time isn't the client's.
actor FleetServer: Transport {
    private var simulator: any VendorSimulator

    /// How long the simulator has taken in all.
    private(set) var elapsed = Duration.zero

    init(_ simulator: any VendorSimulator) { self.simulator = simulator }

    /// Requests go to another one from now on.
    func become(_ simulator: any VendorSimulator) { self.simulator = simulator }

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        let start = ContinuousClock.now
        let reply = await simulator.respond(to: request, body: body)
        elapsed += ContinuousClock.now - start
        return reply
    }
}
