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

    @Test(arguments: ConsoleFaultTests.vendors)
    func `a fault spoils the next push alone, and the page says how`(vendor: String) async throws {
        try await ConsoleDevice.run { world in
            let page = "/\(vendor)/jane"
            try await world.enroll(at: vendor)

            try await world.plan("drop", at: vendor, saying: "lose it")
            _ = try await world.post("\(page)/login", "kind=confirm")
            _ = try await world.page(page, saying: "lost, as asked")
            #expect(await world.box.pushes.isEmpty)
            #expect(try await !world.get(page).text.contains("id=\"planned\""))

            try await world.plan("delay", at: vendor, saying: "hold it")
            _ = try await world.post("\(page)/login", "kind=confirm")
            _ = try await world.page(page, saying: "on its way")
            #expect(await world.box.pushes.isEmpty)
            await world.release()
            #expect(try await world.pushes(1).count == 1)
            _ = try await world.page(page, saying: "taken by a test (hold it")

            try await world.plan("duplicate", at: vendor, saying: "send it twice")
            _ = try await world.post("\(page)/login", "kind=confirm")
            let twice = try await world.pushes(2)
            #expect(twice.count == 2 && twice[0].payload == twice[1].payload)
            _ = try await world.page(page, saying: "taken by a test; taken by a test (send it")

            try await world.plan("forge", at: vendor, saying: "change a character")
            let forged = try await world.logIn(at: vendor)
            _ = try await world.page(page, saying: "taken by a test (change a character")
            if try !ExpectedVendor.named(vendor).listsWhatWaits {
                let answer = try await world.approve(forged)
                #expect(!answer.contains(#""outcome":"approved""#), "\(answer)")
            }
        }
    }

    @Test func `a planned fault can be taken back, and what is no fault changes nothing`()
        async throws
    {
        try await ConsoleDevice.run { world in
            try await world.enroll(at: "forgerock")
            try await world.plan("drop", at: "forgerock", saying: "lose it")
            for form in ["fault=melt", "fault=", ""] {
                let reply = try await world.post("/forgerock/jane/fault", form)
                #expect(reply.status == 400)
                #expect(reply.text.contains("role=\"alert\"><p>There is no such fault."))
            }
            #expect(try await world.get("/forgerock/jane").text.contains("id=\"fault-none\""))
            #expect(try await world.post("/forgerock/jane/fault", "fault=none").status == 303)
            #expect(try await !world.get("/forgerock/jane").text.contains("id=\"planned\""))
            _ = try await world.logIn(at: "forgerock")
        }
    }

    @Test(arguments: ConsoleFaultTests.vendors)
    func `a login is taken back where the vendor can, and the page says where it can't`(
        vendor: String
    ) async throws {
        try await ConsoleDevice.run { world in
            try await world.enroll(at: vendor)
            let asked = try await world.logIn(at: vendor)
            let page = try await world.get("/\(vendor)/jane").text
            let login = try #require(await world.site.console.logins.first?.id)
            let form = "login=" + ConsolePath.encoded(login)
            guard let withdrawal = try ExpectedVendor.named(vendor).withdrawal else {
                #expect(page.contains("id=\"no-cancel\""))
                #expect(!page.contains("Take back"))
                let reply = try await world.post("/\(vendor)/jane/cancel", form)
                #expect(reply.status == 400)
                return
            }
            #expect(!page.contains("id=\"no-cancel\""))
            #expect(page.contains("Take back"))
            #expect(try await world.post("/\(vendor)/jane/cancel", form).status == 303)
            _ = try await world.page("/\(vendor)/jane", saying: ">taken back</span>")
            if withdrawal == .byPush { _ = try await world.pushes(1) }
            let answer = try await world.approve(asked)
            #expect(!answer.contains(#""outcome":"approved""#), "\(answer)")
            #expect(try await world.post("/\(vendor)/jane/cancel", form).status == 400)
        }
    }
}
