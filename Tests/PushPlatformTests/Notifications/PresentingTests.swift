import Foundation
import PushCore
import PushPlatform
import PushTesting
import Testing

@testable import FictionalVendor

/// What is on the board after whatever happens, in whatever order.
struct PresentingTests {
    private let policy = NotificationPolicy()
    private let board = InMemoryBoard()

    /// Receives a message, and presents what came.
    private func take(
        _ message: PushMessage, _ authenticator: PushAuthenticator
    ) async throws {
        for reception in try await authenticator.receive(message) {
            try await authenticator.present(.received(reception), on: board, by: policy)
        }
    }

    @Test func `a challenge rings once, however often it is announced or presented`() async throws {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled()
        let first = try await authenticator.receive(try AcmeWire.ask("1"))
        for _ in 0..<2 {
            try await authenticator.present(.received(first[0]), on: board, by: policy)
            try await take(try AcmeWire.ask("1"), authenticator)
        }
        async let one: Void = authenticator.present(.received(first[0]), on: board, by: policy)
        async let other: Void = authenticator.present(.received(first[0]), on: board, by: policy)
        _ = try await (one, other)
        #expect(await board.history.map(\.title) == ["Log in?"])
        #expect(await board.categories == ["1": .question])
    }

    @Test func `a cancel replaces the question, and a second one doesn't take that away`()
        async throws
    {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled()
        try await take(try AcmeWire.ask("1"), authenticator)
        for _ in 0..<2 { try await take(try AcmeWire.cancel("1", .elsewhere), authenticator) }
        #expect(await board.categories == ["1": .ended])
        #expect(await board.shown.map(\.body) == ["It was answered on another device."])
        #expect(await board.history.count == 2)
    }

    @Test func `a cancel that comes first, or for what nobody asked, shows nothing`() async throws {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled()
        try await take(try AcmeWire.cancel("1"), authenticator)
        try await take(try AcmeWire.ask("1"), authenticator)
        try await take(try AcmeWire.ask("1"), authenticator)
        #expect(await board.history.isEmpty)
        #expect(
            try await authenticator.notificationChange(for: .ada("9"), by: policy)
                == .remove(.ada("9")))
    }

    @Test func `an end shows nothing where the user dismissed the question`() async throws {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled()
        try await take(try AcmeWire.ask("1"), authenticator)
        await board.dismissAll()
        try await take(try AcmeWire.cancel("1"), authenticator)
        #expect(await board.shown.isEmpty)
    }

    // MARK: The race

    @Test func `a cancel between what came and its showing prevents it`() async throws {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled()
        let asked = try await authenticator.receive(try AcmeWire.ask("1"))
        _ = try await authenticator.receive(try AcmeWire.cancel("1"))
        try await authenticator.present(.received(asked[0]), on: board, by: policy)
        #expect(await board.history.isEmpty)
    }

    @Test(arguments: ["this process", "another process"])
    func `a cancel while the notification is being scheduled takes it back`(who: String)
        async throws
    {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled()
        let other = who == "this process" ? authenticator : try phone.authenticator()
        await board.whilePosting {
            _ = try? await other.receive(AcmeWire.cancel("1"))
        }
        try await take(try AcmeWire.ask("1"), authenticator)
        #expect(await board.history.map(\.category) == [.question, .ended])
        #expect(await board.categories == ["1": .ended])
    }

    @Test func `it is taken back even if the system doesn't list it yet`() async throws {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled()
        await board.forgetToList()
        await board.whilePosting { _ = try? await authenticator.receive(AcmeWire.cancel("1")) }
        try await take(try AcmeWire.ask("1"), authenticator)
        #expect(await board.shown.isEmpty)
    }

    @Test func `an answer, and a removal, while it is being scheduled take it back`() async throws {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled()
        await board.whilePosting { _ = try? await authenticator.deny(.ada("1")) }
        try await take(try AcmeWire.ask("1"), authenticator)
        #expect(await phone.answers == 1)
        #expect(await board.shown.isEmpty)
        await board.whilePosting { try? await authenticator.remove(.ada) }
        try await take(try AcmeWire.ask("2"), authenticator)
        #expect(try await authenticator.enrollments().isEmpty)
        #expect(await board.shown.isEmpty)
    }

    @Test func `a cancel that waits behind its own question ends it`() async throws {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled()
        let asked = try await authenticator.receive(try AcmeWire.ask("1"))
        let gate = Gate()
        await board.whilePosting { await gate.pass() }
        async let showing: Void = authenticator.present(.received(asked[0]), on: board, by: policy)
        await gate.arrival()
        let over = try await authenticator.receive(try AcmeWire.cancel("1"))
        async let ending: Void = authenticator.present(.received(over[0]), on: board, by: policy)
        await gate.open()
        _ = try await (showing, ending)
        #expect(await board.categories == ["1": .ended])
    }

    @Test func `two that show the same challenge at once ring once`() async throws {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled()
        let asked = try await authenticator.receive(try AcmeWire.ask("1"))
        let gate = Gate()
        await board.whilePosting { await gate.pass() }
        async let one: Void = authenticator.present(.received(asked[0]), on: board, by: policy)
        await gate.arrival()
        async let other: Void = authenticator.present(.received(asked[0]), on: board, by: policy)
        // Whoever didn't wait its turn has posted by then.
        for _ in 0..<50 { _ = try await authenticator.records() }
        await gate.open()
        _ = try await (one, other)
        #expect(await board.history.count == 1)
    }

    // MARK: Answers

    @Test func `an answer removes the question`() async throws {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled()
        try await take(try AcmeWire.ask("1"), authenticator)
        let outcome = try await authenticator.deny(.ada("1"))
        try await authenticator.present(.outcome(.ada("1"), outcome), on: board, by: policy)
        #expect(await board.shown.isEmpty)
    }

    @Test func `a cancel that comes after the decision isn't told: the vendor's word decides`()
        async throws
    {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled()
        try await take(try AcmeWire.ask("1"), authenticator)
        await phone.faults.next(.refuse)
        _ = try await authenticator.deny(.ada("1"))
        guard case .decided? = try await authenticator.record(of: .ada("1"))?.state else {
            Issue.record("not decided")
            return
        }
        try await take(try AcmeWire.cancel("1"), authenticator)
        #expect(await board.shown.isEmpty)
        #expect(await board.history.map(\.category) == [.question])
    }

    @Test func `a wrong choice doesn't ring again`() async throws {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled()
        try await take(try AcmeWire.ask("1"), authenticator)
        let update = AuthenticatorUpdate.outcome(
            .ada("1"), .notTaken(Outcome.Refusal(.wrongChoice, mayRetry: true)))
        try await authenticator.present(update, on: board, by: policy)
        #expect(await board.history.count == 1)
        #expect(await board.categories == ["1": .question])
    }

    // MARK: Time

    @Test func `one whose time runs out before it is shown isn't shown, and after is removed`()
        async throws
    {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled(["ada"], .init(tellsTime: true))
        await phone.server.tell(by: phone.clock)
        let asked = try await authenticator.receive(
            try AcmeWire.ask("1", issued: morning, expiry: morning + 60))
        try await take(
            try AcmeWire.ask("2", issued: morning, expiry: morning + 60), authenticator)
        #expect(await board.categories == ["2": .question])
        phone.clock.advance(by: .seconds(3600))
        try await authenticator.present(.received(asked[0]), on: board, by: policy)
        #expect(await board.categories == ["2": .question])
        var updates = await authenticator.updates().makeAsyncIterator()
        _ = try await authenticator.resume()
        for _ in 0..<2 {
            let update = try #require(await updates.next())
            try await authenticator.present(update, on: board, by: policy)
        }
        #expect(await board.shown.isEmpty)
    }

    // MARK: What can't be answered

    @Test func `a blocked enrollment's question is told without buttons`() async throws {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled(["ada"], .init(state: .blocked("rooted")))
        try await take(try AcmeWire.ask("1"), authenticator)
        #expect(await board.categories == ["1": .unanswerable])
        try await take(try AcmeWire.cancel("1"), authenticator)
        #expect(await board.categories == ["1": .ended])
    }

    @Test func `what isn't understood gives way to the question once it is, and to an end`()
        async throws
    {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled()
        for id in ["1", "2"] {
            try await take(try AcmeWire.future(id, withdraws: false), authenticator)
        }
        #expect(await board.categories == ["1": .incompatible, "2": .incompatible])
        try await take(try AcmeWire.ask("1"), authenticator)
        try await take(try AcmeWire.cancel("2"), authenticator)
        #expect(await board.categories == ["1": .question])
    }

    @Test func `a message that isn't understood leaves the question it is about`() async throws {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled()
        let future = try await authenticator.receive(try AcmeWire.future("1", withdraws: false))
        try await take(try AcmeWire.ask("1"), authenticator)
        // The hint comes late, as from another task.
        try await authenticator.present(.received(future[0]), on: board, by: policy)
        #expect(await board.categories == ["1": .question])
        try await take(try AcmeWire.future("1", withdraws: true), authenticator)
        #expect(await board.categories == ["1": .ended])
    }

    // MARK: Whose

    @Test func `a removed enrollment's notifications go, and nobody else's`() async throws {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled(["ada", "bob"])
        let own = ["acme/ada", "chat/7", "acme/ada/a b"].map {
            PostedNotification(identifier: $0)
        }
        await board.add(own)
        try await take(try AcmeWire.ask("1"), authenticator)
        try await take(try AcmeWire.ask("2"), authenticator)
        try await take(try AcmeWire.ask("1", to: "bob"), authenticator)
        try await authenticator.present(.removed(.ada), on: board, by: policy)
        #expect(await board.shown.map(\.identifier) == ["acme/bob/1"])
        #expect(await board.posted().prefix(3).map(\.identifier) == own.map(\.identifier))
    }

    @Test func `another enrollment's challenge of the same name keeps its notification`()
        async throws
    {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled(["ada", "bob"])
        try await take(try AcmeWire.ask("1"), authenticator)
        try await take(try AcmeWire.ask("1", to: "bob"), authenticator)
        try await take(try AcmeWire.cancel("1"), authenticator)
        #expect(
            await board.shown.map { [$0.identifier, "\($0.category)"] } == [
                ["acme/bob/1", "question"], ["acme/ada/1", "ended"],
            ])
    }

    @Test func `a board that refuses is reported`() async throws {
        let phone = AcmePhone()
        let authenticator = try await phone.enrolled()
        let asked = try await authenticator.receive(try AcmeWire.ask("1"))
        await board.refuse()
        let refusal = await errorIfAny {
            try await authenticator.present(.received(asked[0]), on: board, by: policy)
        }
        #expect(refusal?.code == .notificationRefused)
    }
}
