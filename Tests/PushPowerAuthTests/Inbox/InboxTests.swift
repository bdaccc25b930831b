import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct InboxTests {
    private func filled(
        _ count: Int
    ) async throws -> (phone: PowerAuthHarness, id: Enrollment.ID, names: [String]) {
        let (phone, id) = try await PowerAuthHarness.active()
        var names: [String] = []
        for number in 0..<count {
            names.append(
                await phone.simulator.createMessage(
                    for: Bank.user, subject: "Subject \(number)", summary: "Summary", body: "Body"))
            phone.pass(1)
        }
        return (phone, id, names)
    }

    private func listed(_ phone: PowerAuthHarness, _ id: Enrollment.ID) async throws
        -> [InboxMessage]
    {
        let inbox = try #require(phone.provider.inbox)
        return try await phone.authenticator.turn(of: id) { (account) async throws(PushError) in
            try await inbox.messages(of: account)
        }
    }

    @Test func `every page is read, newest first`() async throws {
        let (phone, id, names) = try await filled(101)
        let found = try await listed(phone, id)
        #expect(found.map(\.id) == names.reversed())
        #expect(found.first?.subject == "Subject 100")
        #expect(found.allSatisfy { !$0.isRead })
        #expect(await phone.calls(.inboxList) == 3)
        let bodies = try await phone.bodies(.inboxList).map { $0["requestObject"] }
        #expect(bodies.map { $0?["page"]?.integer } == [0, 1, 2])
        #expect(bodies.allSatisfy { $0?["size"] == 50 && $0?["onlyUnread"] == false })
    }

    @Test func `an empty inbox takes one call`() async throws {
        let (phone, id, _) = try await filled(0)
        #expect(try await listed(phone, id).isEmpty)
        #expect(await phone.calls(.inboxList) == 1)
    }

    private static func message(_ id: String, at second: Int = 0) throws -> PowerAuthInboxMessage {
        try PowerAuthInboxMessage(json(id, at: second))
    }

    private static func json(_ id: String, at second: Int = 0) -> JSON {
        [
            "id": .string(id), "type": "text", "subject": "S", "read": false,
            "timestampCreated": .string("2022-08-25T22:34:0\(second).702+00:00"),
        ]
    }

    @Test func `a message that moved to the next page is told once`() throws {
        let pages = try [
            Self.message("b", at: 2), Self.message("a", at: 1), Self.message("a", at: 1),
            Self.message("c", at: 3),
        ]
        #expect(InboxCalls.newestFirst(pages).map(\.id) == ["c", "b", "a"])
    }

    @Test func `one message is read as an object, or as an array of one`() throws {
        #expect(try PowerAuthInboxMessage(detail: Self.json("a")).id == "a")
        #expect(try PowerAuthInboxMessage(detail: .array([Self.json("a")])).id == "a")
        for wrong in [[], [Self.json("a"), Self.json("b")]] {
            #expect(throws: PushError.self) { try PowerAuthInboxMessage(detail: .array(wrong)) }
        }
    }

    @Test func `the door counts, shows and marks`() async throws {
        let (phone, id, names) = try await filled(3)
        let inbox = try phone.inbox(id)
        #expect(try await inbox.countUnread() == 3)
        let message = try await inbox.message(names[1])
        #expect(message.id == names[1])
        #expect(message.type == .text)
        #expect(!message.isUntrustedHTML)
        #expect(message.subject == "Subject 1")
        #expect(message.summary == "Summary")
        #expect(message.body == "Body")
        #expect(!message.read)
        try await inbox.markRead(names[1])
        #expect(try await inbox.message(names[1]).read)
        #expect(try await inbox.countUnread() == 2)
        #expect(try await inbox.messages(onlyUnread: true).map(\.id) == [names[2], names[0]])
        #expect(try await inbox.messages(page: 1, size: 2).map(\.id) == [names[0]])
        #expect(try await inbox.messages().allSatisfy { $0.body == nil })
        try await inbox.markAllRead()
        #expect(try await inbox.countUnread() == 0)
    }

    @Test func `a refusal keeps the server's word`() async throws {
        let (phone, id, _) = try await filled(0)
        let error = await #expect(throws: PushError.self) {
            try await phone.inbox(id).message("none")
        }
        #expect(error?.code == .server(status: 400))
        #expect(error?.underlying as? PowerAuthErrorCode == .inboxFailed)
        #expect(error?.provider == "powerauth")
    }

    @Test func `another message than asked for is none`() async throws {
        let (phone, id, names) = try await filled(1)
        await phone.simulator.spoil(
            by: .replaced(member: "id", value: "another"), at: .inboxDetail)
        #expect(await code { try await phone.inbox(id).message(names[0]) } == .malformed)
    }

    @Test(arguments: [
        ("text", PowerAuthInboxMessage.Kind.text), ("html", .html), ("rtf", .unknown("rtf")),
    ])
    func `a body is what its type says`(
        _ text: String, _ kind: PowerAuthInboxMessage.Kind
    ) throws {
        let message = try PowerAuthInboxMessage([
            "id": "1", "type": .string(text), "subject": "S", "summary": "s", "body": "<p>",
            "read": true, "timestampCreated": "2022-08-25T22:34:58.702+00:00",
        ])
        #expect(message.type == kind)
        #expect(message.isUntrustedHTML == (kind == .html))
        #expect(message.read)
        let created = message.timestampCreated.timeIntervalSince1970
        #expect(abs(created - 1_661_466_898.702) < 1e-6)
    }

    @Test(arguments: ["id", "subject", "timestampCreated"])
    func `a message without what it needs can't be read`(_ name: String) {
        var object: JSON.Object = [
            "id": "1", "type": "text", "subject": "S", "read": false,
            "timestampCreated": "2022-08-25T22:34:58Z",
        ]
        object[name] = nil
        #expect(throws: PushError.self) { try PowerAuthInboxMessage(.object(object)) }
        object[name] = 5
        #expect(throws: PushError.self) { try PowerAuthInboxMessage(.object(object)) }
    }
}
