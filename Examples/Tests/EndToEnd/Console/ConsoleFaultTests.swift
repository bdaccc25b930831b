import Foundation
import PushTesting
import Testing

@testable import push_lab

/// What the buttons do that spoil things, over HTTP and with a device in another process.
@Suite(.timeLimit(.minutes(3))) struct ConsoleFaultTests {
    static let vendors = ConsoleVendors.all().map(\.name)

    @Test(arguments: ConsoleFaultTests.vendors)
    func `logins that wait run out for the device, too, and later ones are whole`(
        vendor: String
    ) async throws {
        try await ConsoleDevice.run { world in
            try await world.enroll(at: vendor)
            let late = try await world.logIn(at: vendor)
            #expect(try await world.post("/\(vendor)/jane/expire").status == 303)
            let page = try await world.get("/\(vendor)/jane").text
            #expect(page.contains("data-status=\"expired\""))
            let answer = try await world.approve(late)
            #expect(!answer.contains(#""outcome":"approved""#), "\(answer)")

            let next = try await world.logIn(at: vendor)
            let whole = try await world.approve(next)
            #expect(whole.contains(#""outcome":"approved""#), "\(whole)")
            _ = try await world.page("/\(vendor)/jane", saying: "data-status=\"approved\"")
        }
    }

    @Test func `what runs out at one vendor leaves another's logins as they are`() async throws {
        try await ConsoleDevice.run { world in
            for vendor in ["xignin", "onespan"] { try await world.enroll(at: vendor) }
            let late = try await world.logIn(at: "xignin")
            _ = try await world.post("/xignin/jane/expire")
            _ = try await world.approve(late)
            let other = try await world.logIn(at: "onespan")
            let answer = try await world.approve(other)
            #expect(answer.contains(#""outcome":"approved""#), "\(answer)")
            _ = try await world.page("/onespan/jane", saying: "data-status=\"approved\"")
        }
    }
}
