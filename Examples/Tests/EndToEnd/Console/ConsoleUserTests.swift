import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import push_lab

/// What a user's page shows of that user, and where pushes are that nobody took.
@Suite(.timeLimit(.minutes(3))) struct ConsoleUserTests {
    static let vendors = ConsoleVendors.all().map(\.name)

    /// What each vendor's device asks from its registration to its answer.
    private static let names = [
        "forgerock": ["registration", "answer"],
        "plusauth": ["registration", "answer"],
        "xignin": ["registration", "question", "start of an answer", "answer"],
        "onespan": [
            "registration, step 1", "registration, step 2", "registration, step 3",
            "registration, step 4", "device token", "question", "answer",
        ],
        "powerauth": [
            "registration", "refresh", "temporary key", "access token", "device token",
            "list of questions", "answer",
        ],
        "privacyidea": ["registration", "list of questions", "answer"],
    ]

    @Test(arguments: ConsoleUserTests.vendors)
    func `a user's page names that user's exchanges, and has no other's`(
        vendor: String
    ) async throws {
        try await ConsoleDevice.run { world in
            try await world.enroll(at: vendor)
            let push = try await world.logIn(at: vendor)
            _ = try await world.approve(push)
            let page = try await world.page("/\(vendor)/jane", saying: "data-status=\"approved\"")
            let shown = Set(Self.exchanges(in: page).map { String($0.prefix { $0 != ":" }) })
            for name in try #require(Self.names[vendor]) {
                #expect(shown.contains(name), "\(name) isn't among \(shown)")
            }
            let others = try await world.get("/\(vendor)/john").text
            #expect(Self.exchanges(in: others).isEmpty, "\(Self.exchanges(in: others))")
            #expect(!others.contains("began to log in"))
            // What is known of nobody, such as the server's time, is on the first page alone.
            let all = Self.exchanges(in: try await world.get("/").text)
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
            let john = Self.exchanges(in: try await world.get("/\(vendor)/john").text)
            let jane = Self.exchanges(in: try await world.get("/\(vendor)/jane").text)
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
                    let page = try await world.page(path, saying: "id=\"untaken-1\"")
                    let row = try #require(Self.untaken(in: page))
                    #expect(row.contains(fate.words) && row.contains(advice), "\(row)")
                    #expect(row.contains("FCM \(world.shortToken)"))
                    // A user's own page needn't say whose they are.
                    #expect((path == "/") == row.contains(">jane<"))
                }
                let other = try await world.get("/forgerock/john").text
                #expect(Self.untaken(in: other) == nil)
                // The next one is taken, and isn't listed.
                await world.box.answer(.taken("taken by a test"))
                _ = try await world.logIn(at: "forgerock")
                let page = try await world.page("/forgerock/jane", saying: "taken by a test")
                #expect(!page.contains("id=\"untaken-2\""))
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
            let page = try await world.page("/\(vendor)/jane", saying: "id=\"untaken-1\"")
            let row = try #require(Self.untaken(in: page))
            #expect(row.contains("no push token") && row.contains("pushauth listen"), "\(row)")
            #expect(await world.box.pushes.isEmpty)
            #expect(page.contains("data-status=\"waiting\""))
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

    /// The section with the table of untaken pushes; `nil` if no push is in it.
    private static func untaken(in page: String) -> String? {
        let parts = page.components(separatedBy: "<section id=\"untaken\">")
        let section = parts.last?.components(separatedBy: "</section>").first ?? ""
        return section.contains("<tbody>") ? section : nil
    }
}
