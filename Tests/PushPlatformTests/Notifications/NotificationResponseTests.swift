import Foundation
import PushCore
import PushPlatform
import PushTesting
import Testing

@testable import FictionalVendor

/// What a notification's buttons can do when they come back, and whose.
struct NotificationResponseTests {
    private let policy = NotificationPolicy()
    private let board = InMemoryBoard()
    private let phone = AcmePhone()
    private let sealKey = RecordKey("notification", "seal")

    /// An authenticator whose board shows a question.
    private func asked(_ name: String = "1") async throws -> PushAuthenticator {
        let authenticator = try await phone.enrolled()
        try await ask(name, authenticator)
        return authenticator
    }

    private func ask(_ name: String, _ authenticator: PushAuthenticator) async throws {
        for reception in try await authenticator.receive(try AcmeWire.ask(name)) {
            try await authenticator.present(.received(reception), on: board, by: policy)
        }
    }

    private func shown(_ name: String = "1") async throws -> LocalNotification {
        try #require(await board.shown.first { $0.challenge?.name == name })
    }

    private func response(
        _ userInfo: [AnyHashable: Any], _ action: LocalNotification.Action = .deny
    ) throws -> NotificationResponse {
        try #require(NotificationResponse(userInfo: userInfo, action: action))
    }

    /// Nothing was sent, and the question is still open.
    private func expectNothing(_ authenticator: PushAuthenticator) async throws {
        #expect(await phone.answers == 0)
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
    }

    @Test func `the button of what the board shows says no`() async throws {
        let authenticator = try await asked()
        let response = try response(try await shown().userInfo)
        #expect(response.challenge == .ada("1"))
        #expect(try await authenticator.deny(by: response) == .delivered)
        #expect(await phone.answers == 1)
    }

    @Test func `it says no after a restart as well, and in another process`() async throws {
        _ = try await asked()
        let (first, userInfo) = (try phone.authenticator(), try await shown().userInfo)
        #expect(try await first.deny(by: try response(userInfo)) == .delivered)
        // What the restarted process shows carries the same.
        try await ask("2", first)
        let other = try phone.authenticator()
        let second = try response(try await shown("2").userInfo)
        #expect(try await other.deny(by: second) == .delivered)
        #expect(await phone.answers == 2)
    }

    @Test func `what an extension shows by what the ledger says can say no`() async throws {
        let authenticator = try await phone.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        guard
            case .show(let notification) = try await authenticator.notificationChange(
                for: .ada("1"), by: policy)
        else {
            Issue.record("not shown")
            return
        }
        let response = try response(notification.userInfo)
        #expect(try await authenticator.deny(by: response) == .delivered)
    }

    @Test func `a forged one with the right challenge and category can't say no, but opens`()
        async throws
    {
        let authenticator = try await asked()
        let genuine = try await shown().userInfo
        let seal = try #require(genuine["push-auth.seal"])
        let forgeries: [Any?] = [
            nil, "", "A", String(seal.dropLast()), seal + "A", seal.lowercased(), " " + seal,
            Data(base64Encoded: seal), 7, [seal],
            Data(repeating: 0, count: 32).base64EncodedString(),
        ]
        for forgery in forgeries {
            // As a push may have it: the system shows it by its category and hands this back.
            var userInfo: [AnyHashable: Any] = [
                "push-auth.challenge": "acme/ada/1",
                "aps": ["category": "push-auth.question", "alert": "Deny?"],
            ]
            userInfo["push-auth.seal"] = forgery
            let forged = try response(userInfo)
            #expect(
                await errorIfAny { try await authenticator.deny(by: forged) }?.code == .untrusted)
            try await expectNothing(authenticator)
            #expect(try await authenticator.challenge(forged.challenge).id == .ada("1"))
        }
        #expect(try await authenticator.deny(by: try response(genuine)) == .delivered)
    }

    @Test func `another installation's seal, and one before any was drawn, say nothing`()
        async throws
    {
        let foreign = InMemoryBoard()
        let stranger = try await AcmePhone(seed: 2).enrolled()
        for reception in try await stranger.receive(try AcmeWire.ask("1")) {
            try await stranger.present(.received(reception), on: foreign, by: policy)
        }
        let forged = try response(try #require(await foreign.shown.first).userInfo)

        let authenticator = try await phone.enrolled()
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        #expect(await errorIfAny { try await authenticator.deny(by: forged) }?.code == .untrusted)
        try await ask("2", authenticator)
        #expect(await errorIfAny { try await authenticator.deny(by: forged) }?.code == .untrusted)
        try await expectNothing(authenticator)
    }

    @Test func `a tap that opens says no to nothing`() async throws {
        let authenticator = try await asked()
        let tap = try response(try await shown().userInfo, .open)
        #expect(
            await errorIfAny { try await authenticator.deny(by: tap) }?.code == .invalidArgument)
        try await expectNothing(authenticator)
    }

    @Test func `only what has buttons carries a seal, and only from the authenticator`()
        async throws
    {
        let authenticator = try await phone.enrolled()
        let asked = try await authenticator.receive(try AcmeWire.ask("1"))
        guard case .show(let plain) = policy.change(for: asked[0]) else {
            Issue.record("not shown")
            return
        }
        #expect(plain.userInfo == ["push-auth.challenge": "acme/ada/1"])
        let response = try response(plain.userInfo)
        #expect(await errorIfAny { try await authenticator.deny(by: response) }?.code == .untrusted)
        try await authenticator.present(.received(asked[0]), on: board, by: policy)
        #expect(try await shown().userInfo.count == 2)
        for reception in try await authenticator.receive(try AcmeWire.cancel("1")) {
            try await authenticator.present(.received(reception), on: board, by: policy)
        }
        #expect(try await shown().category == .ended)
        #expect(try await shown().userInfo == ["push-auth.challenge": "acme/ada/1"])
    }

    @Test func `a seal isn't printed, and reaches no server`() async throws {
        let authenticator = try await asked()
        let notification = try await shown()
        let seal = try #require(notification.userInfo["push-auth.seal"])
        var dumped = ""
        dump(notification, to: &dumped)
        #expect(!dumped.contains(seal) && !"\(notification)".contains(seal))
        #expect(!String(reflecting: NotificationChange.show(notification)).contains(seal))
        _ = try await authenticator.deny(by: try response(notification.userInfo))
        for exchange in await phone.transport.exchanges {
            let text = "\(exchange.request)" + String(decoding: exchange.body, as: UTF8.self)
            #expect(!text.contains(seal))
        }
    }

    @Test func `a damaged seal is drawn again, and what was posted before only opens`()
        async throws
    {
        let authenticator = try await asked()
        let old = try response(try await shown().userInfo)
        await phone.store.damage(sealKey)
        #expect(await errorIfAny { try await authenticator.deny(by: old) }?.code == .untrusted)
        try await ask("2", authenticator)
        #expect(await errorIfAny { try await authenticator.deny(by: old) }?.code == .untrusted)
        try await expectNothing(authenticator)
        let new = try response(try await shown("2").userInfo)
        #expect(try await authenticator.deny(by: new) == .delivered)
    }

    @Test func `the app's own notification is no response`() {
        #expect(NotificationResponse(userInfo: ["mine": 1], action: .deny) == nil)
        #expect(
            NotificationResponse(
                userInfo: ["push-auth.seal": "x", "push-auth.challenge": 7], action: .deny) == nil)
    }
}
