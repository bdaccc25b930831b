import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// What a day brings to devices that nothing else happens to.
@Suite(.timeLimit(.minutes(4))) struct `the daily look after devices` {
    /// Which devices were looked after, and what went wrong.
    private actor Log {
        var cared: [FleetDevice.ID] = []
        var errors: [any Error] = []
        func note(_ id: FleetDevice.ID) { cared.append(id) }
        func note(_ error: any Error) { errors.append(error) }
        func forget() { cared = [] }
    }

    @Test func `each device is one process's each day, whatever the clocks say`() async throws {
        let fleet = Fleet(InMemoryStore(isShared: true), tenant: "acme")
        let random = SeededRandom(seed: 6)
        var all: Set<FleetDevice.ID> = []
        for number in 0..<300 {
            let device = FleetDevice(
                id: FleetDevice.ID(random: random), name: "device-\(number)", created: Date(),
                fcmToken: "token")
            try await fleet.add(device)
            all.insert(device.id)
        }
        let log = Log()
        // The last one's clock is ahead for ever, and the next day is a day all the same.
        for days in [["1", "1", "1"], ["2", "2", "2"], ["999999999"], ["3"]] {
            await withTaskGroup(of: Void.self) { group in
                for day in days {
                    let care = FleetCare(
                        fleet: fleet, care: { for id in $0 { await log.note(id) } },
                        report: { error in Task { await log.note(error) } }, today: { day })
                    group.addTask { await care.round(pause: .zero) }
                }
            }
            let cared = await log.cared
            #expect(cared.count == 300 && Set(cared) == all)
            await log.forget()
        }
        #expect(await log.errors.isEmpty)
    }

    @Test func `a member lives once it has been seen, and hears of another of its name`()
        async throws
    {
        let store = InMemoryStore(isShared: true)
        let (one, two) = (FleetMember(store, instance: "a"), FleetMember(store, instance: "b"))
        try await one.beat()
        try await two.beat()
        #expect(try await one.living().sorted() == ["a", "b"])
        try await one.requireWriting()
        // Another process of its name has written since.
        let namesake = FleetMember(store, instance: "a")
        try await namesake.beat()
        await #expect { try await one.beat() } throws: { ($0 as? PushError)?.code == .conflict }
    }

    @Test func `what a server in between spoils may be sent again, what is forged may not`() {
        for code in [PushError.Code.untrustedServer, .pinMismatch, .unreachable, .storage] {
            #expect(PushVerdict.refused(code).mayBeSentAgain)
        }
        for code in [PushError.Code.untrusted, .malformed] {
            #expect(!PushVerdict.refused(code).mayBeSentAgain)
        }
    }

    @Test func `a vendor that couldn't be told a device token is told it by a listener`()
        async throws
    {
        try await PushAuthSite.run(atVendor: "powerauth") { site, vendor in
            let simulator = try #require(vendor.simulator as? PowerAuthSimulator)
            let etcd = try await EtcdServer.start(in: site.directory)
            let fleet = try await FleetSite(site, at: etcd.place + "/acme")
            try await fleet.found("one")
            let environment = site.environment.merging(["PIN": PushAuthSite.pin]) { $1 }
            let text = try await simulator.invitation(for: "jane").scannedText ?? ""
            let enrolled = try await fleet.pushauth(
                "enroll", "-", "--yes", "--device", "one", "--pin-env", "PIN", input: text,
                environment: environment)
            try #require(enrolled.exitCode == 0, "\(enrolled.errors)")
            // No push will ever come, as nobody knows the token; and nobody asks for the state.
            await vendor.settle("jane")
            #expect(await simulator.activations(of: "jane").first?.deviceToken == nil)
            let listener = try ListeningProcess(
                ["--http", "127.0.0.1:0", "--pin-env", "PIN"] + fleet.place,
                environment: environment)
            _ = try await listener.event("listening")
            while await simulator.activations(of: "jane").first?.deviceToken == nil {
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(await listener.terminate().code == 0)
            await etcd.kill()
        }
    }
}
