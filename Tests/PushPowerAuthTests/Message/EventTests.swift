import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct EventTests {
    private static let operation = "7e0ba60f-bf22-4ff5-b999-2733784e5eaa"

    private func push(_ extras: [String: String]) -> PushMessage { PushMessage(fcm: extras) }

    private func hint(_ handset: Handset, _ extras: [String: String]) async throws -> Hint {
        guard
            case .hint(let hint) = try await handset.provider.candidate(in: push(extras))?
                .verified()
        else {
            throw PushError(.notFound, "It isn't a hint.")
        }
        return hint
    }

    @Test func `a push comes to a hint, at the activation it names`() async throws {
        let (handset, id) = try await Handset.active()
        let other = try await handset.activated()
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
            (init_, Hint.Topic.challenges), (finished, .finished(Self.operation)),
            (status, .enrollment), (inbox, .inbox),
        ] {
            let named = try await hint(handset, extras.merging(["activationId": id.name]) { $1 })
            #expect(named.topic == topic)
            #expect(named.enrollments == [id])
            #expect(named.context == nil)
            // Without a name, it may be about each.
            #expect(try await hint(handset, extras).enrollments == [id, other])
        }
    }

    @Test func `an activation that isn't here is told from none`() async throws {
        let (handset, id) = try await Handset.active()
        for name in ["", "x", id.name.uppercased()] where name != id.name {
            let extras = ["messageType": "mtoken.statusChange", "activationId": name]
            #expect(await code { try await hint(handset, extras) } == .unknownEnrollment)
        }
        let empty = try await Handset()
        #expect(
            await code { try await hint(empty, ["messageType": "mtoken.statusChange"]) }
                == .unknownEnrollment)
    }

    @Test func `an activation that the server removed isn't asked about by every push`()
        async throws
    {
        let (handset, id) = try await Handset.active()
        let other = try await handset.activated()
        try await handset.simulator.remove(id.name)
        _ = try await handset.authenticator.refresh(id)
        let all = try await hint(handset, ["messageType": "mtoken.statusChange"])
        #expect(all.enrollments == [other])
    }

    @Test func `a push announces what the server lists, and nothing that the push says`()
        async throws
    {
        let (handset, id) = try await Handset.active()
        try await handset.authenticator.deviceTokenChanged(
            .apns(hex: String(repeating: "AB", count: 32), isSandbox: false))
        _ = await handset.simulator.takePushes()
        let operation = try await handset.simulator.createOperation(
            for: "petr", .payment,
            spoiledBy: .replaced(extra: "operationId", value: .string(Self.operation)))
        let sent = try #require(await handset.simulator.takePushes().first)
        let found = try await handset.authenticator.receive(try sent.message())
        #expect(found.map { $0.challenge } == [Challenge.ID(operation.id, of: id)])
    }

    @Test func `a push of an end is asked about before anything is closed`() async throws {
        let (handset, id) = try await Handset.active()
        let name = try await handset.received(at: id)
        let extras = [
            "messageType": "mtoken.operationFinished", "operationId": name.name,
            "operationName": "login", "mtokenOperationResult": "operation.canceled",
            "activationId": id.name,
        ]
        #expect(try await handset.authenticator.receive(push(extras)).isEmpty)
        #expect(try await handset.authenticator.record(of: name)?.state == .open)
        try await handset.simulator.expireOperation(name.name)
        let found = try await handset.authenticator.receive(push(extras))
        #expect(found.map(\.kind) == [.over(Withdrawal(name, .expired))])
    }

    @Test func `a change of status is asked for`() async throws {
        let (handset, id) = try await Handset.active()
        try await handset.simulator.block(id.name)
        let extras = ["messageType": "mtoken.statusChange", "activationId": id.name]
        _ = try await handset.authenticator.receive(push(extras))
        let state = try await handset.state(id)
        let isBlocked = if case .blocked? = state { true } else { false }
        #expect(isBlocked)
    }

    @Test func `a message is what the inbox lists, and never what a push says of one`()
        async throws
    {
        let (handset, id) = try await Handset.active()
        let forged = PushMessage(fcm: [
            "messageType": "mtoken.inboxMessage.new", "inboxId": "42", "title": "You have won",
        ])
        #expect(try await handset.authenticator.receive(forged).isEmpty)
        let name = await handset.simulator.createMessage(
            for: "petr", subject: "Your\u{202E} statement", summary: "S", body: "B")
        let found = try await handset.authenticator.receive(forged)
        let listed = InboxMessage(id: name, subject: "Your statement", isRead: false)
        #expect(found.map(\.kind) == [.inbox(id, listed)])
        // Each is new once.
        #expect(try await handset.authenticator.receive(forged).isEmpty)
    }

    @Test func `a mobile token that was taken away is asked about, with the activation`()
        async throws
    {
        let (handset, id) = try await Handset.active()
        let name = try await handset.received(at: id)
        try await handset.simulator.failOperation(
            name.name, announcing: .methodNotAvailable)
        let extras = [
            "messageType": "mtoken.operationFinished", "operationId": name.name,
            "operationName": "login", "mtokenOperationResult": "operation.methodNotAvailable",
            "activationId": id.name,
        ]
        let asked = await handset.calls(.status)
        let found = try await handset.authenticator.receive(push(extras))
        #expect(found.map(\.kind) == [.over(Withdrawal(name, .finished))])
        #expect(await handset.calls(.status) == asked + 1)
        try await handset.simulator.remove(id.name)
        #expect(
            await code { try await handset.authenticator.receive(push(extras)) }
                == .unknownEnrollment)
        #expect(try await handset.state(id) == .needsReenrollment)
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
