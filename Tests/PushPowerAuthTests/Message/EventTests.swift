import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct EventTests {
    private static let operation = "7e0ba60f-bf22-4ff5-b999-2733784e5eaa"

    private func push(_ extras: [String: String]) -> PushMessage { PushMessage(fcm: extras) }

    private func hint(_ phone: PowerAuthHarness, _ extras: [String: String]) async throws
        -> PushEvent.Hint
    {
        guard case .hint(let hint) = try await phone.event(of: push(extras)) else {
            throw PushError(.notFound, "It isn't a hint.")
        }
        return hint
    }

    @Test func `a push comes to a hint, at the activation it names`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let other = try await phone.activated()
        let init_ = [
            "messageType": "mtoken.operationInit", "operationName": "login",
            "operationId": Self.operation,
        ]
        let finished = init_.merging([
            "messageType": "mtoken.operationFinished",
            "mtokenOperationResult": "authentication.success",
        ]) { $1 }
        let status = ["messageType": "mtoken.statusChange"]
        let inbox = ["messageType": "mtoken.inboxMessage.new", "inboxId": "i"]
        for (extras, topic) in [
            (init_, PushEvent.Hint.Topic.challenges), (finished, .finished(Self.operation)),
            (status, .enrollment), (inbox, .inbox),
        ] {
            let named = try await hint(phone, extras.merging(["activationId": id.name]) { $1 })
            #expect(named.topic == topic)
            #expect(named.enrollments == [id])
            #expect(named.context == nil)
            // Without a name, it may be about each.
            #expect(try await hint(phone, extras).enrollments == [id, other])
        }
    }

    @Test func `an activation that isn't here is told from none`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        for name in ["", "x", id.name.uppercased()] where name != id.name {
            let extras = ["messageType": "mtoken.statusChange", "activationId": name]
            #expect(await code { try await hint(phone, extras) } == .unknownEnrollment)
        }
        let empty = try await PowerAuthHarness()
        #expect(
            await code { try await hint(empty, ["messageType": "mtoken.statusChange"]) }
                == .unknownEnrollment)
    }

    @Test func `an activation that the server removed isn't asked about by every push`()
        async throws
    {
        let (phone, id) = try await PowerAuthHarness.active()
        let other = try await phone.activated()
        try await phone.simulator.remove(id.name)
        _ = try await phone.authenticator.refresh(id)
        let all = try await hint(phone, ["messageType": "mtoken.statusChange"])
        #expect(all.enrollments == [other])
    }

    @Test func `a push announces what the server lists, and nothing that the push says`()
        async throws
    {
        let (phone, id) = try await PowerAuthHarness.active()
        try await phone.authenticator.deviceTokenChanged(
            .apns(hex: String(repeating: "AB", count: 32), isSandbox: false))
        _ = await phone.simulator.takePushes()
        let operation = try await phone.simulator.createOperation(
            for: Bank.user, .payment,
            spoiledBy: .replaced(extra: "operationId", value: .string(Self.operation)))
        let sent = try #require(await phone.simulator.takePushes().first)
        let found = try await phone.authenticator.receive(try sent.message())
        #expect(found.map { $0.challenge } == [Challenge.ID(operation.id, of: id)])
    }

    @Test func `a push of an end is asked about before anything is closed`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        let name = try await phone.received(at: id)
        let extras = [
            "messageType": "mtoken.operationFinished", "operationId": name.name,
            "operationName": "login", "mtokenOperationResult": "operation.canceled",
            "activationId": id.name,
        ]
        #expect(try await phone.authenticator.receive(push(extras)).isEmpty)
        #expect(try await phone.authenticator.record(of: name)?.state == .open)
        try await phone.simulator.expireOperation(name.name)
        let found = try await phone.authenticator.receive(push(extras))
        #expect(found.map(\.kind) == [.over(Withdrawal(name, .expired))])
    }

    @Test func `a change of status is asked for`() async throws {
        let (phone, id) = try await PowerAuthHarness.active()
        try await phone.simulator.block(id.name)
        let extras = ["messageType": "mtoken.statusChange", "activationId": id.name]
        _ = try await phone.authenticator.receive(push(extras))
        let state = try await phone.state(id)
        let isBlocked = if case .blocked? = state { true } else { false }
        #expect(isBlocked)
    }

    @Test func `a message is what the inbox lists, and never what a push says of one`()
        async throws
    {
        let (phone, id) = try await PowerAuthHarness.active()
        let forged = PushMessage(fcm: [
            "messageType": "mtoken.inboxMessage.new", "inboxId": "42", "title": "You have won",
        ])
        #expect(try await phone.authenticator.receive(forged).isEmpty)
        let name = await phone.simulator.createMessage(
            for: Bank.user, subject: "Your\u{202E} statement", summary: "S", body: "B")
        let found = try await phone.authenticator.receive(forged)
        let listed = InboxMessage(id: name, subject: "Your statement", isRead: false)
        #expect(found.map(\.kind) == [.inbox(id, listed)])
        // Each is new once.
        #expect(try await phone.authenticator.receive(forged).isEmpty)
    }

    @Test func `a mobile token that was taken away is asked about, with the activation`()
        async throws
    {
        let (phone, id) = try await PowerAuthHarness.active()
        let name = try await phone.received(at: id)
        try await phone.simulator.failOperation(
            name.name, announcing: .methodNotAvailable)
        let extras = [
            "messageType": "mtoken.operationFinished", "operationId": name.name,
            "operationName": "login", "mtokenOperationResult": "operation.methodNotAvailable",
            "activationId": id.name,
        ]
        let asked = await phone.calls(.status)
        let found = try await phone.authenticator.receive(push(extras))
        #expect(found.map(\.kind) == [.over(Withdrawal(name, .finished))])
        #expect(await phone.calls(.status) == asked + 1)
        try await phone.simulator.remove(id.name)
        #expect(
            await code { try await phone.authenticator.receive(push(extras)) }
                == .unknownEnrollment)
        #expect(try await phone.state(id) == .needsReenrollment)
    }

    @Test(arguments: [
        ("https://example.com", PushMessage.Channel.link), ("", .scanned), ("hello", .relayed),
        ("GYA4L-D4C7K-OP2NV-USYYQ#MEYC", .scanned),
        ("mtoken://x?oid=\(operation)&totp=2", .relayed),
        ("https://shop.example/?oid=4711&totp=2", .link),
        (OfflineCodeTests.example, .link),
    ])
    func `somebody else's text is not recognized`(
        _ text: String, _ channel: PushMessage.Channel
    ) throws {
        let provider = try PowerAuth.unused
        #expect(provider.candidate(in: PushMessage(text: text, by: channel)) == nil)
    }

    @Test func `somebody else's push is not recognized`() throws {
        let provider = try PowerAuth.unused
        #expect(provider.candidate(in: push(["messageType": "news"])) == nil)
        #expect(provider.candidate(in: push([:])) == nil)
        #expect(provider.candidate(in: push(["messageType": "mtoken.statusChange"])) != nil)
        #expect(
            provider.candidate(in: PushMessage(text: OfflineCodeTests.example, by: .scanned)) != nil
        )
    }
}
