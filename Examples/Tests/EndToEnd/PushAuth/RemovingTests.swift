import Foundation
import LocalServer
import PushCore
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// Whether the vendor hears of an enrollment that ends, and what is left to do there.
@Suite(.timeLimit(.minutes(3))) struct `pushauth removes` {
    @Test(arguments: ConsoleVendors.all().map(\.name))
    func `what a vendor isn't told is said, with what to do there`(name: String) async throws {
        try await PushAuthSite.run(atVendor: name) { site, vendor in
            let isTold = ["xignin", "powerauth"].contains(name)
            let pin = ["PIN": PushAuthSite.pin]
            let command = ["--yes", "--pin-env", "PIN"]
            let first = try await site.join(vendor)
            let json = try await site.pushauth(
                ["remove", first, "--json"] + command, environment: pin)
            #expect(json.exitCode == 0, "\(json.errors)")
            #expect(try json.json["removed"] == .string(first))
            #expect(try json.json["vendorTold"] == .bool(isTold))
            let next = try json.json["next"]?.string
            #expect((next == nil) == isTold)

            // PlusAuth keeps a device that it wasn't told is gone, and takes no other of the account's.
            guard name != "plusauth" else { return }
            let second = try await site.join(vendor)
            let text = try await site.pushauth(["remove", second] + command, environment: pin)
            #expect(text.exitCode == 0, "\(text.errors)")
            #expect(text.output.contains("the vendor wasn't told") == !isTold)
            #expect(text.output.contains(next ?? "at the vendor and here"))
        }
    }

    @Test func `of a failure a script gets a line as well`() async throws {
        let vendor = try #require(ConsoleVendors.all().first { $0.name == "xignin" })
        try await PushAuthSite.run { site in
            let server = try await site.serve { await vendor.simulator.respond(to: $0, body: $1) }
            try await vendor.simulator.move(to: server.origin)
            let id = try await site.join(vendor)
            await server.stop()
            let removed = try await site.pushauth("remove", id, "--yes", "--json")
            #expect(removed.exitCode == 4)
            #expect(try removed.json["vendorTold"] == false)
            #expect(try removed.json["next"]?.string?.contains("have it ended there") == true)
        }
    }
}
