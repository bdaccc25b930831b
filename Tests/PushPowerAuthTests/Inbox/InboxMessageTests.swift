import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// Messages that ask nothing: `docs/vendors/powerauth.md#inbox`.
@Suite struct InboxMessageTests {
    let bank = Bank()
    let phone: PowerAuthHarness
    let id: Enrollment.ID
    let inbox: PowerAuthInbox

    init() async throws {
        phone = try await PowerAuthHarness(of: bank)
        id = try await phone.activated()
        inbox = try phone.inbox(id)
    }

    @discardableResult
    private func write(_ subject: String, isHTML: Bool = false) async -> String {
        await bank.simulator.createMessage(
            for: Bank.user, subject: subject, summary: "In short", body: "<b>At length</b>",
            isHTML: isHTML)
    }

    @Test func `messages are counted, listed, shown and read`() async throws {
        let first = await write("One")
        phone.pass(1)
        let second = await write("Two", isHTML: true)
        #expect(try await inbox.countUnread() == 2)
        let listed = try await inbox.messages()
        #expect(listed.map(\.id) == [second, first])
        #expect(listed.map(\.subject) == ["Two", "One"])
        #expect(listed.map(\.type) == [.html, .text])
        #expect(listed.map(\.isUntrustedHTML) == [true, false])
        #expect(listed.allSatisfy { $0.body == nil && !$0.read && $0.summary == "In short" })
        #expect(try await inbox.message(first).body == "<b>At length</b>")

        try await inbox.markRead(first)
        #expect(try await inbox.countUnread() == 1)
        #expect(try await inbox.messages(onlyUnread: true).map(\.id) == [second])
        try await inbox.markAllRead()
        #expect(try await inbox.countUnread() == 0)
        #expect(try await inbox.messages().allSatisfy(\.read))
        #expect(await bank.counters(of: id) == [0])
    }

    @Test(arguments: [3, 50, 51, 120])
    func `every message is found, page by page`(_ count: Int) async throws {
        for number in 0..<count { await write("Message \(number)") }
        var found: [String] = []
        var page = 0
        while true {
            let messages = try await inbox.messages(page: page, size: 50)
            found += messages.map(\.subject)
            page += 1
            guard messages.count == 50 else { break }
        }
        #expect(found == (0..<count).reversed().map { "Message \($0)" })
        let all = try #require(phone.provider.inbox)
        let uniform = try await phone.authenticator.turn(of: id) { (account) throws(PushError) in
            try await all.messages(of: account)
        }
        #expect(Set(uniform.map(\.id)).count == min(count, uniform.count))
        #expect(uniform.count == count)
    }

    @Test(arguments: [(-1, 10), (0, 0), (0, -5)])
    func `a page that can't be isn't asked for`(_ page: Int, _ size: Int) async throws {
        let sent = await bank.simulator.exchanges.count
        let error = try await refusal { _ = try await inbox.messages(page: page, size: size) }
        #expect(error.code == .invalidArgument)
        #expect(await bank.simulator.exchanges.count == sent)
    }

    @Test func `times have fractions`() async throws {
        bank.clock.set(Date(timeIntervalSince1970: 1_790_000_000.702))
        let message = await write("When")
        let read = try await inbox.message(message)
        #expect(abs(read.timestampCreated.timeIntervalSince1970 - 1_790_000_000.702) < 0.001)
    }

    @Test func `an array of one is a message, too`() async throws {
        let message = await write("One")
        let reply: JSON = [
            "status": "OK",
            "responseObject": [
                [
                    "id": .string(message), "type": "text", "subject": "One", "summary": "S",
                    "body": "B", "read": false,
                    "timestampCreated": "2022-08-25T22:34:58.702+00:00",
                ]
            ],
        ]
        await phone.gateway.answer(.inboxDetail, with: .init(reply))
        let read = try await phone.inbox(id).message(message)
        #expect(read.body == "B")
        #expect(read.timestampCreated == Date(timeIntervalSince1970: 1_661_466_898.702))
    }

    @Test func `messages of another user aren't seen`() async throws {
        _ = await bank.simulator.createMessage(
            for: "somebody", subject: "Secret", summary: "", body: "")
        #expect(try await inbox.messages().isEmpty)
        #expect(try await inbox.countUnread() == 0)
    }
}
