import PushCore
import PushTesting
import Testing

@testable import push_lab

@Suite(.timeLimit(.minutes(3))) struct `pushauth listen while a login is taken back` {
    @Test(arguments: ["xignin", "powerauth"])
    func `a question that a push withdraws ends --once`(name: String) async throws {
        try await PushAuthSite.run(atVendor: name) { site, vendor in
            _ = try await site.join(vendor)
            _ = await vendor.simulator.takePushes()
            let listening = try ListeningProcess(
                ["--stdin", "--once", "--timeout", "60"], environment: site.environment)
            let login = try await vendor.simulator.startLogin(of: "jane", asking: .confirm)
            for push in await vendor.simulator.takePushes() { try listening.push(push) }
            _ = try await listening.event("question")
            let cancel = try #require(vendor.cancel)
            try await cancel(login.id)
            for push in await vendor.simulator.takePushes() { try listening.push(push) }
            #expect(await listening.ended().code == 8)
            // What it wrote last may be read a little later.
            _ = try await listening.event("withdrawn")
            let names = await listening.events.map { $0["event"]?.string }
            #expect(names.count { $0 == "withdrawn" } == 1)
        }
    }
}
