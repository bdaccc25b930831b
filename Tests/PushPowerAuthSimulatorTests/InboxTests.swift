import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// A user's messages.
struct InboxTests {
    private let bench = Bench()

    private func message(_ name: String, isHTML: Bool = false) async -> String {
        await bench.server.createMessage(
            for: "ada", subject: name, summary: "about \(name)", body: "<b>\(name)</b>",
            isHTML: isHTML)
    }

    @Test func `a message is announced, counted, listed, shown and read`() async throws {
        let phone = try await bench.reachable()
        let id = await message("one", isHTML: true)
        let push = try #require(await bench.server.takePushes().first).message()
        #expect(push["messageType"] == "mtoken.inboxMessage.new")
        #expect(push["inboxId"]?.string == id)
        #expect(
            try await bench.read(phone, "/api/inbox/count").object == ["countUnread": 1])
        let object: JSON = ["id": .string(id)]
        var detail = try await bench.read(phone, "/api/inbox/message/detail", object)
        #expect(
            detail.object == [
                "id": .string(id), "type": "html", "subject": "one", "summary": "about one",
                "body": "<b>one</b>", "read": false,
                "timestampCreated": "2024-10-27T03:33:20.250+00:00",
            ])
        #expect(
            try await bench.read(phone, "/api/inbox/message/read", object).json
                == ["status": "OK"])
        detail = try await bench.read(phone, "/api/inbox/message/detail", object)
        #expect(detail.object?["read"] == true)
        #expect(
            try await bench.read(phone, "/api/inbox/count").object == ["countUnread": 0])
    }

    @Test func `pages hold the newest first, and only unread ones if asked`() async throws {
        let phone = try await bench.tokened()
        var ids: [String] = []
        for name in ["a", "b", "c"] { ids.append(await message(name)) }
        func page(_ page: JSON, _ size: JSON, unread: Bool = false) async throws -> [String]? {
            try await bench.read(
                phone, "/api/inbox/message/list",
                ["page": page, "size": size, "onlyUnread": .bool(unread)]
            ).object?.array?.compactMap { $0["body"] == nil ? $0["subject"]?.string : nil }
        }
        #expect(try await page(0, 2) == ["c", "b"])
        #expect(try await page(1, 2) == ["a"])
        #expect(try await page(2, 2) == [])
        _ = try await bench.read(phone, "/api/inbox/message/read", ["id": .string(ids[1])])
        #expect(try await page(0, 9, unread: true) == ["c", "a"])
        _ = try await bench.read(phone, "/api/inbox/message/read-all")
        #expect(try await page(0, 9, unread: true) == [])
        #expect(try await page(0, 0) == nil)
        #expect(try await page(-1, 1) == nil)
    }

    @Test func `a message is its user's, and takes a token`() async throws {
        let stranger = try await bench.tokened("eve")
        let id = await message("one")
        for path in ["/api/inbox/message/detail", "/api/inbox/message/read"] {
            let reply = try await bench.read(stranger, path, ["id": .string(id)])
            #expect(reply.code == "INBOX_FAILED")
            #expect(try await bench.read(stranger, path, ["id": "none"]) == reply)
            #expect(try await bench.read(stranger, path).code == "INVALID_REQUEST")
        }
        for path in ["/api/inbox/count", "/api/inbox/message/list"] {
            #expect(try await bench.post(path, [:]).code == "POWERAUTH_AUTH_FAIL")
        }
        #expect(
            try await bench.read(stranger, "/api/inbox/count").object == ["countUnread": 0])
    }
}
