import Foundation
import IndependentEncodings
import PushCore
import PushOneSpanSimulator
import PushTesting
import Testing

struct PushTests {
    typealias BadPush = OneSpanSimulator.BadPush

    private func content(_ push: SimulatedPush) throws -> JSON {
        let payload = try JSON(parsing: push.payload)
        let content = try #require(payload["oos"])
        guard let text = content.string else { return content }
        return try JSON(parsing: text)
    }

    private func command(_ push: SimulatedPush) throws -> [UInt8] {
        bytes(hex: try #require(content(push)["content"]?.string))
    }

    @Test func `a push is a short trigger that names the request and nothing to show`()
        async throws
    {
        let bench = Bench { $0.pushAttributes = ["brand": "example"] }
        let phone = try await bench.activated()
        let request = try await bench.login()
        let push = try #require(await bench.server.takePushes().first)
        let payload = try JSON(parsing: push.payload)
        #expect(payload["aps"]?["alert"]?["title"] == "Login Request")
        #expect(payload["aps"]?["alert"]?["body"] == "Tap here to confirm login")
        let content = try content(push)
        #expect(content["v"] == 1)
        #expect(content["title"] == "Login Request")
        #expect(content["subject"] == "Tap here to confirm login")
        #expect(content["attributes"]?["brand"] == "example")
        let command = try command(push)
        #expect(command.count == 132)
        let trigger = try phone.read(command)
        #expect(trigger.type == 0x20)
        #expect(trigger.principal == phone.id)
        #expect(Set(trigger.fields.keys) == [0x0E, 0x0F, 0x20])
        #expect(trigger.text(0x20) == request)
        #expect(trigger.fields[0x0F].map { number($0) } == 1_767_225_060_000)
    }

    @Test func `a transaction is announced by OneSpan's documented words`() async throws {
        let bench = Bench()
        let phone = try await bench.activated()
        _ = try await bench.transaction()
        let push = try #require(await bench.server.takePushes().first)
        let alert = try JSON(parsing: push.payload)["aps"]?["alert"]
        #expect(alert?["title"] == "Transaction Request")
        #expect(alert?["body"] == "Tap here to confirm transaction")
        #expect(try phone.read(command(push)).type == 0x30)
        #expect(try content(push)["attributes"] == nil)
    }

    @Test func `Firebase carries the content as one text`() async throws {
        let bench = Bench()
        var phone = try await bench.confirmed()
        _ = try await bench.register(&phone, identifier(platform: 2, 0, Array("f:cm".utf8)))
        _ = try await bench.login()
        let push = try #require(await bench.server.takePushes().first)
        #expect(push.deviceToken == .fcm("f:cm"))
        #expect(try JSON(parsing: push.payload)["oos"]?.string != nil)
        #expect(try phone.read(command(push)).type == 0x20)
    }

    @Test(arguments: [
        "01000001010200CC", "4F4E4931", identifier(platform: 3, 0, [1]),
        identifier(platform: 1, 2, [1]), identifier(apns: "AABB") + "00",
    ])
    func `an identifier of no known form gets no push`(identifier: String) async throws {
        let bench = Bench()
        var phone = try await bench.confirmed()
        _ = try await bench.register(&phone, identifier)
        _ = try await bench.login()
        #expect(await bench.server.takePushes().isEmpty)
        #expect(await bench.server.devices(of: "alice").map(\.deviceToken) == [nil])
    }

    @Test func `the push service can hold back, drop and duplicate`() async throws {
        let bench = Bench()
        _ = try await bench.activated()
        await bench.server.next(push: .hold, .drop, .duplicate)
        for _ in 0..<2 { _ = try await bench.login() }
        #expect(await bench.server.takePushes().isEmpty)
        _ = try await bench.login()
        let twice = await bench.server.takePushes()
        #expect(twice.count == 2)
        #expect(twice[0].payload == twice[1].payload)
        await bench.server.releasePushes()
        #expect(await bench.server.takePushes().count == 1)
        await bench.server.releasePushes()
        #expect(await bench.server.takePushes().isEmpty)
    }

    @Test func `a refused push is noticed only by a server that waits for it`() async throws {
        let bench = Bench()
        _ = try await bench.activated()
        await bench.server.next(push: .refuse)
        let request = try await bench.login()
        #expect(try await bench.server.status(of: request) == .waiting)
        await bench.server.configure { $0.sendsPushesSynchronously = true }
        await bench.server.next(push: .refuse)
        let path = "/v1/users/alice@example-domain/login"
        let answered = await bench.post(path, [:])
        #expect(answered.status == 409)
        #expect(answered.json?["error"] == "Conflict")
        #expect(answered.json?["message"] == "Failed to send push notification.")
        #expect(await bench.server.sessions.count == 1)
        #expect(await bench.post(path, [:]).status == 200)
        #expect(await bench.server.takePushes().count == 1)
    }

    @Test func `a stale identifier gets nothing until another one is registered`() async throws {
        let bench = Bench()
        var phone = try await bench.activated(token: "aa")
        try await bench.server.makeIdentifiersStale(of: "alice")
        _ = try await bench.login()
        #expect(await bench.server.takePushes().isEmpty)
        _ = try await bench.register(&phone, identifier(apns: "bb"))
        _ = try await bench.login()
        #expect(await bench.server.takePushes().count == 1)
        await #expect(throws: PushError.self) {
            try await bench.server.makeIdentifiersStale(of: "nobody")
        }
    }

    private func push(_ bench: Bench, _ fault: BadPush) async throws -> SimulatedPush {
        _ = try await bench.server.startLogin(of: "alice", asking: .confirm, spoiledBy: fault)
        return try #require(await bench.server.takePushes().first)
    }

    @Test(arguments: [
        BadPush.tampered(bit: 800), .wrongKey, .addressed(to: "bob"), .tooLong,
    ])
    func `a forged push doesn't open`(fault: BadPush) async throws {
        let bench = Bench()
        let phone = try await bench.activated()
        let bob = try await bench.activated("bob", token: "bb")
        let forged = try command(await push(bench, fault))
        #expect(throws: (any Error).self) { try phone.read(forged) }
        if fault == .addressed(to: "bob") { #expect(try bob.read(forged).type == 0x20) }
        if fault == .tooLong { #expect(forged.count == 769) }
    }

    @Test func `an odd push opens, and is odd`() async throws {
        let bench = Bench()
        let phone = try await bench.activated()
        let old = try phone.read(command(await push(bench, .expired(ago: .seconds(600)))))
        #expect(old.fields[0x0F].map { number($0) } == 1_767_224_400_000)
        let unknown = try phone.read(command(await push(bench, .unknownRequest)))
        #expect(unknown.text(0x20) == "another-request")
        let field = try phone.read(command(await push(bench, .unknownField)))
        #expect(field.fields.count == 4)
        #expect(try phone.read(command(await push(bench, .wrongType))).type == 0x11)
        #expect(try content(await push(bench, .version(2)))["v"] == 2)
        #expect(try content(await push(bench, .withoutContent))["content"] == nil)
        let text = try content(await push(bench, .notHexadecimal))["content"]?.string
        #expect(text?.first == "G")
        _ = try await bench.server.startLogin(of: "alice", asking: .confirm, spoiledBy: .repeated)
        #expect(await bench.server.takePushes().count == 2)
    }

    @Test func `what can't be asked for isn't`() async throws {
        let bench = Bench()
        await #expect { try await bench.login() } throws: { ($0 as? PushError)?.code == .notFound }
        _ = try await bench.confirmed()
        await #expect { try await bench.login() } throws: { ($0 as? PushError)?.code == .notFound }
        _ = try await bench.activated(token: "bb")
        await #expect {
            try await bench.server.startLogin(of: "alice", asking: .number)
        } throws: {
            ($0 as? PushError)?.code == .unsupported
        }
        for fields in [
            [], [Bench.Field("", "")], [Bench.Field("a", String(repeating: "b", count: 257))],
        ] {
            await #expect {
                try await bench.server.startTransaction(of: "alice", fields: fields)
            } throws: {
                ($0 as? PushError)?.code == .invalidArgument
            }
        }
        try await bench.server.lock("alice")
        await #expect { try await bench.login() } throws: { ($0 as? PushError)?.code == .blocked }
        await #expect {
            try await bench.server.invitation(for: "")
        } throws: {
            ($0 as? PushError)?.code == .invalidArgument
        }
        await #expect(throws: PushError.self) { try await bench.server.status(of: "none") }
    }
}
