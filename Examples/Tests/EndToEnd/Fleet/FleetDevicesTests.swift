import Foundation
import PushCore
import PushPlatform
import PushSealing
import PushTesting
import Testing

@testable import PushAuthCommand

struct `the devices that a process asks for` {
    @Test func `each is listed once and is one process's, where names are concealed, over pages`()
        async throws
    {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let keyFile = directory.url.appendingPathComponent("key").path
        try Data(String(repeating: "5a", count: 32).utf8)
            .write(to: URL(fileURLWithPath: keyFile))
        chmod(keyFile, 0o600)
        let records = try await SealedStore(
            InMemoryStore(isShared: true), key: .file(keyFile), tenant: "acme")
        let fleet = Fleet(records, tenant: "acme")
        let random = SeededRandom(seed: 5)
        var all: Set<FleetDevice.ID> = []
        for number in 0..<300 {
            let device = FleetDevice(
                id: FleetDevice.ID(random: random), name: "device-\(number)", created: Date(),
                fcmToken: "token")
            try await fleet.add(device)
            all.insert(device.id)
        }
        let members = ["a", "b", "c"]
        var asked: [FleetDevice.ID] = []
        for member in members {
            asked += try await fleet.devices(
                of: Set(Shards.owned(by: member, among: members)))
        }
        #expect(asked.count == 300 && Set(asked) == all)
        var listed: Set<FleetDevice.ID> = []
        let count = try await fleet.forEachPage { listed.formUnion($0.map(\.id)) }
        #expect(count == 300 && listed == all)
    }

    // MARK: Their names

    private func device(_ name: String = "jane") -> FleetDevice {
        FleetDevice(
            id: FleetDevice.ID(random: SystemRandom()), name: name, created: Date(),
            fcmToken: "token")
    }

    @Test func `a name is one device's, and free once that is removed`() async throws {
        let fleet = Fleet(InMemoryStore(isShared: true), tenant: "acme")
        let (first, second) = (device(), device())
        try await fleet.add(first)
        await #expect(throws: Failure.self) { try await fleet.add(second) }
        #expect(try await fleet.device(named: "jane").id == first.id)
        #expect(try await fleet.ids() == [first.id])
        try await fleet.remove(first)
        await #expect { try await fleet.device(named: "jane") } throws: {
            ($0 as? Failure)?.status == .notFound
        }
        try await fleet.add(second)
        #expect(try await fleet.device(named: "jane").id == second.id)
    }

    @Test func `a name that a process has left without its device is taken over`() async throws {
        let records = InterferingStore()
        let fleet = Fleet(records, tenant: "acme")
        let (lost, next) = (device(), device())
        await records.beforeDevice { () async throws(PushError) in
            throw PushError(.storage, "The process is killed.")
        }
        await #expect(throws: Failure.self) { try await fleet.add(lost) }
        await #expect { try await fleet.device(named: "jane") } throws: {
            ($0 as? Failure)?.status == .notFound
        }
        try await fleet.add(next)
        #expect(try await fleet.device(named: "jane").id == next.id)
        #expect(try await fleet.ids() == [next.id])
    }

    @Test func `of two processes that add a device of one name, one does`() async throws {
        let records = InterferingStore()
        let (one, other) = (Fleet(records, tenant: "acme"), Fleet(records.base, tenant: "acme"))
        let (slow, fast) = (device(), device())
        // It takes the name for left by a crash, as its device isn't there yet.
        await records.beforeDevice { () async throws(PushError) in
            do throws(Failure) {
                try await other.add(fast)
            } catch {
                throw PushError(.storage, error.text)
            }
        }
        await #expect(throws: Failure.self) { try await one.add(slow) }
        #expect(try await one.device(named: "jane").id == fast.id)
        #expect(try await one.ids() == [fast.id])
    }
}

/// A store in which something happens before the first record of a device is written.
private actor InterferingStore: CredentialStore {
    typealias Event = @Sendable () async throws(PushError) -> Void

    let base = InMemoryStore(isShared: true)
    private var event: Event?

    nonisolated var isShared: Bool { base.isShared }

    func beforeDevice(_ event: @escaping Event) { self.event = event }

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try await base.read(key)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        if key.collection == Fleet.devices, let event {
            self.event = nil
            try await event()
        }
        return try await base.write(value, for: key, replacing: revision, waits: waits)
    }

    func discard(_ key: RecordKey) async throws(PushError) { try await base.discard(key) }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await base.names(in: collection, waiting: waiting, after: name, limit: limit)
    }
}
