import Foundation
import PushCore
import PushPlatform
import PushSealing
import PushTesting
import Testing

@testable import PushAuthCommand

struct `the devices that a process asks for` {
    @Test func `each is one process's, in a store that conceals names and has more than a page`()
        async throws
    {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let keyFile = directory.url.appendingPathComponent("key").path
        try Data(String(repeating: "5a", count: 32).utf8)
            .write(to: URL(fileURLWithPath: keyFile))
        chmod(keyFile, 0o600)
        let records = try await SealedStore(
            InMemoryStore([.atomic, .shared]), key: .file(keyFile), tenant: "acme")
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
    }
}
