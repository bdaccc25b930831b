import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import push_lab

/// What a user's page shows of that user, and where pushes are that nobody took.
@Suite(.timeLimit(.minutes(3))) struct ConsoleUserTests {
    static let vendors = ConsoleVendors.all().map(\.name)

    @Test(arguments: ConsoleUserTests.vendors)
    func `a user's page names that user's exchanges, and has no other's`(
        vendor: String
    ) async throws {
        try await ConsoleDevice.run { world in
            try await world.enroll(at: vendor)
            let push = try await world.logIn(at: vendor)
            _ = try await world.approve(push)
            _ = try await world.page("/\(vendor)/jane", saying: "data-status=\"approved\"")
            let page = try await world.get("/\(vendor)/jane/log").text
            let shown = Set(Self.exchanges(in: page).map { String($0.prefix { $0 != ":" }) })
            for name in try ExpectedVendor.named(vendor).exchanges {
                #expect(shown.contains(name), "\(name) isn't among \(shown)")
            }
            let others = try await world.get("/\(vendor)/john/log").text
            #expect(Self.exchanges(in: others).isEmpty, "\(Self.exchanges(in: others))")
            #expect(!others.contains("began to log in"))
            // What is known of nobody, such as the server's time, is on the page of all events alone.
            let all = Self.exchanges(in: try await world.get("/log").text)
            #expect(Set(Self.exchanges(in: page)).isSubset(of: all))
        }
    }

    /// XignIn's devices have one account at each manager.
    @Test(arguments: ConsoleUserTests.vendors.filter { $0 != "xignin" })
    func `two users of one device have a page each`(vendor: String) async throws {
        try await ConsoleDevice.run { world in
            for user in ["jane", "john"] { try await world.enroll(user, at: vendor) }
            let login = try await world.logIn("john", at: vendor)
            _ = try await world.approve(login)
            _ = try await world.page("/\(vendor)/john", saying: "data-status=\"approved\"")
            let john = Self.exchanges(in: try await world.get("/\(vendor)/john/log").text)
            let jane = Self.exchanges(in: try await world.get("/\(vendor)/jane/log").text)
            #expect(john.contains { $0.hasPrefix("answer: ") })
            #expect(!jane.contains { $0.hasPrefix("answer: ") })
            for exchanges in [john, jane] {
                #expect(exchanges.contains { $0.hasPrefix("registration") }, "\(exchanges)")
            }
        }
    }

    @Test func `a stranger's request is on nobody's page`() async throws {
        try await ConsoleDevice.run { world in
            try await world.enroll(at: "forgerock")
            let console = world.site.console
            let vendor = try #require(await console.vendor("forgerock"))
            await console.note(
                vendor,
                ConsoleExchange(
                    .init(method: .post, scheme: nil, authority: nil, path: "/nonsense"), Data(),
                    (.init(status: .notFound), Data())),
                vendor.reading(
                    .init(method: .post, scheme: nil, authority: nil, path: "/nonsense"), Data()))
            #expect(try await world.get("/").text.contains("POST /nonsense → 404"))
            #expect(try await !world.get("/forgerock/jane").text.contains("/nonsense"))
        }
    }

    /// More lines than a page shows, and the rest behind a link.
    @Test func `a page has the last ten events, and a link to all`() async throws {
        try await ConsoleDevice.run { world in
            let vendor = try #require(await world.site.console.vendor("plusauth"))
            for number in 1...10 {
                await world.site.console.note("plusauth", "number \(number)", of: "jane")
            }
            for path in ["/", "/plusauth/jane"] {
                let page = try await world.get(path).text
                #expect(page.contains(">number 1<") && !page.contains("id=\"all-events\""))
            }
            await world.site.console.plan(nil, at: vendor)
            for path in ["/", "/plusauth/jane"] {
                let page = try await world.get(path).text
                #expect(page.contains(">number 2<") && !page.contains(">number 1<"))
                let log = path == "/" ? "/log" : "/plusauth/jane/log"
                #expect(page.contains("href=\"\(log)\">All 11 events</a>"))
                #expect(try await world.get(log).text.contains(">number 1<"))
            }
        }
    }

    // MARK: Pushes

    @Test func `a push that nobody took is shown with the reason and what helps`() async throws {
        let reasons: [(PushFate, String)] = [
            (.untaken(.unreachable, "not delivered: unreachable"), "nobody listens now"),
            (.untaken(.refused, "refused by FCM: 404 NOT_FOUND"), "enroll again"),
            (.untaken(.noPushService, "not delivered: no push service is set"), "--push DIRECTORY"),
        ]
        for (fate, advice) in reasons {
            try await ConsoleDevice.run { world in
                try await world.enroll(at: "forgerock")
                #expect(Self.untaken(in: try await world.get("/").text) == nil)
                await world.box.answer(fate)
                _ = try await world.logIn(at: "forgerock")
                for path in ["/", "/forgerock/jane"] {
                    let page = try await world.page(path, saying: Self.mark(1))
                    let row = try #require(Self.untaken(in: page))
                    #expect(row.contains(fate.words) && row.contains(advice), "\(row)")
                    #expect(row.contains("FCM \(world.shortToken)"))
                    // A user's own page needn't say whose they are.
                    #expect((path == "/") == row.contains("jane · "))
                }
                let other = try await world.get("/forgerock/john").text
                #expect(Self.untaken(in: other) == nil)
                // The next one is taken, and isn't listed.
                await world.box.answer(.taken("taken by a test"))
                _ = try await world.logIn(at: "forgerock")
                let page = try await world.page("/forgerock/jane", saying: "taken by a test")
                #expect(!page.contains(Self.mark(2)))
            }
        }
    }

    /// The others' devices register by their token, or can't be asked without one.
    @Test(arguments: ["xignin", "powerauth"])
    func `a login of a device without a push token is shown as a push that nobody took`(
        vendor: String
    ) async throws {
        try await ConsoleDevice.run { world in
            try await world.enroll(at: vendor, withToken: false)
            let reply = try await world.post("/\(vendor)/jane/login", "kind=confirm")
            #expect(reply.status == 303, "\(reply.text)")
            let page = try await world.page("/\(vendor)/jane", saying: Self.mark(1))
            let row = try #require(Self.untaken(in: page))
            #expect(row.contains("no push token") && row.contains("pushauth listen"), "\(row)")
            #expect(await world.box.pushes.isEmpty)
            #expect(page.contains("data-status=\"waiting\""))
        }
    }

    @Test func `without a push service, a push's content is on the page and in the interface`()
        async throws
    {
        try await ConsoleDevice.run { world in
            try await world.enroll(at: "forgerock")
            await world.box.answer(
                .untaken(.noPushService, "not delivered: no push service is set"))
            let push = try await world.logIn(at: "forgerock")
            let page = try await world.page("/forgerock/jane", saying: "id=\"content-1\"")
            let content = String(decoding: push.payload, as: UTF8.self)
            #expect(page.contains(Markup(text: content).html))
            let list = try await world.ask(.get, "/forgerock/pushes?user=jane").json["pushes"]
            #expect(list?.array?.first?["content"] == (try JSON(parsing: push.payload)))
            // Where somebody takes them, they are nobody else's.
            await world.box.answer(.taken("taken by a test"))
            _ = try await world.logIn(at: "forgerock")
            let next = try await world.page("/forgerock/jane", saying: "taken by a test")
            #expect(!next.contains("id=\"content-2\""))
        }
    }

    @Test func `a push whose copies were half taken was taken`() {
        let half = PushFate(
            of: [.taken("taken"), .untaken(.refused, "refused")], because: " (twice)")
        #expect(half.reason == nil && half.words == "taken; refused (twice)")
        let none = PushFate(
            of: [.untaken(.unreachable, "a"), .untaken(.refused, "b")], because: "")
        #expect(none.reason == .unreachable && none.words == "a; b")
    }

    // MARK: Pages

    /// The titles of the log's exchanges.
    private static func exchanges(in page: String) -> [String] {
        page.matches(of: /<summary id="exchange-[0-9]+-title">([^<]*)</).map { String($0.1) }
    }

    /// How the line of a push begins that nobody took.
    private static func mark(_ number: Int) -> String {
        "<li id=\"push-\(number)\" class=\"untaken\">"
    }

    /// The line of the first push, if nobody took it.
    private static func untaken(in page: String) -> String? {
        let parts = page.components(separatedBy: mark(1))
        return parts.count == 2 ? parts[1].components(separatedBy: "</li>").first : nil
    }
}
