import Foundation
import PushCore
import PushPlatform
import PushTesting
import PushXignIn
import Testing

/// What the user sees of a process while the app isn't open:
/// `docs/vendors/xignin.md#notifications`.
@Suite(.timeLimit(.minutes(10))) struct NotificationTests: ProcessSuite {
    let process: AnnouncedProcess
    private let board = Board()

    init() async throws { process = try await AnnouncedProcess(delivered: false) }

    /// Takes a push as an app does, and shows what came of it.
    private func take(
        _ data: [String: String], _ phone: Phone, on board: Board,
        by policy: NotificationPolicy = NotificationPolicy()
    ) async throws {
        for reception in try await phone.receive(data) {
            try await phone.authenticator.present(.received(reception), on: board, by: policy)
        }
    }

    private func take(_ data: [String: String]) async throws {
        try await take(data, phone, on: board)
    }

    @Test func `a process's notification is named by its manager and itself, and holds only that`()
        async throws
    {
        try await take(push)
        let notification = try #require(await board.shown.first)
        #expect(notification.identifier == "xignin/\(WorkedExample.idm)/\(pid)")
        // The identifier, and what only this installation knows: nothing of the manager's.
        #expect(notification.userInfo["push-auth.challenge"] == notification.identifier)
        #expect(Set(notification.userInfo.keys) == ["push-auth.challenge", "push-auth.seal"])
        #expect(Challenge.ID(notificationUserInfo: notification.userInfo) == phone.id(pid))
        #expect(notification.category == .question)
        #expect(notification.title == "Sign-in request")
        #expect(notification.body == "Tap to continue")
        #expect(notification.priority == .high)
        #expect(notification.interruption == .timeSensitive)
    }

    @Test(arguments: [
        ("low", Notice.Priority.low, LocalNotification.Interruption.active),
        ("normal", .normal, .timeSensitive), ("shrill", .unspecified, .timeSensitive),
    ])
    func `a priority changes the looks, and shows it at once all the same`(
        name: String, priority: Notice.Priority, interruption: LocalNotification.Interruption
    ) async throws {
        try await take(variant { $0["prio"] = .string(name) })
        let notification = try #require(await board.shown.first)
        #expect(notification.priority == priority)
        #expect(notification.interruption == interruption)
    }

    @Test func `a cancel replaces it, and removes it if that may be ignored`() async throws {
        try await take(push)
        try await take(cancel("processed_elsewhere"))
        #expect(await board.categories == [.ended])
        #expect(await board.shown.first?.body == "It was answered on another device.")
        let next = await manager.begin()
        try await take(try #require(await manager.take().first))
        #expect(await board.categories == [.ended, .question])
        try await take(cancel("processed_elsewhere", of: next, ignorable: true))
        #expect(await board.categories == [.ended])
    }

    @Test func `an app's policy removes it whatever the cancel says`() async throws {
        var policy = NotificationPolicy()
        policy.ending = .remove
        try await take(push)
        try await take(cancel(), phone, on: board, by: policy)
        #expect(await board.shown.isEmpty)
    }

    @Test func `a cancel that comes first, or of a process nobody knows, shows nothing`()
        async throws
    {
        try await take(cancel())
        try await take(push)
        try await take(cancel(of: "prc-nobody"))
        #expect(await board.shown.isEmpty)
        #expect(await manager.requests.count == 1)
    }

    @Test func `another manager's cancel of the same name leaves it`() async throws {
        let other = Manager("idm-demo-2", host: "other.xignin.example", time: manager.time)
        let both = try Phone([manager, other], store: phone.store, clock: phone.clock)
        try await both.enroll(await other.link())
        try await take(push, both, on: board)
        let foreign = await other.cancel(pid, to: try both.activation(at: 1), reason: "aborted")
        try await take(foreign.data(other.key), both, on: board)
        #expect(await board.categories == [.question])
    }

    @Test func `a start on another device withdraws the notification here`() async throws {
        let manager = Manager(time: ManualClock(Date(WorkedExample.now)))
        let (here, there) = (try Phone([manager]), try Phone([manager]))
        await manager.lay("secret-a", "act-a", "secret-b", "act-b")
        try await here.enroll(await manager.link(), token: .fcm("token-a"))
        try await there.enroll(await manager.link(), token: .fcm("token-b"))
        let pid = await manager.begin()
        let boards = (here: Board(), there: Board())
        try await take(
            try #require(await manager.take(for: "act-a").first), here, on: boards.here)
        try await take(
            try #require(await manager.take(for: "act-b").first), there, on: boards.there)
        _ = try await there.authenticator.challenge(there.id(pid))
        try await take(
            try #require(await manager.take(for: "act-a").first), here, on: boards.here)
        #expect(await boards.here.categories == [.ended])
        // Where it was started, it stays until the answer, and tells the answer's end.
        #expect(await boards.there.categories == [.question])
        let outcome = try await there.approve(pid)
        #expect(outcome == .delivered)
        try await there.authenticator.present(
            .outcome(there.id(pid), outcome), on: boards.there, by: NotificationPolicy())
        #expect(await boards.there.shown.isEmpty)
    }

    @Test(arguments: [
        (409, "process_already_started", "It was answered on another device."),
        (410, "process_cancelled", "It was cancelled."),
        (426, "api_version_unsupported", "It's over."),
    ])
    func `an end that is told on opening replaces it`(
        status: Int, name: String, body: String
    ) async throws {
        try await take(push)
        var updates = await phone.authenticator.updates().makeAsyncIterator()
        await manager.next(.initialization, .refused(.init(status, name)))
        await #expect(throws: PushError.self) {
            _ = try await phone.authenticator.challenge(phone.id(pid))
        }
        try await phone.authenticator.present(
            try #require(await updates.next()), on: board, by: NotificationPolicy())
        #expect(await board.categories == [.ended])
        #expect(await board.shown.first?.body == body)
    }

    @Test func `what only a newer app understands is told once, until it is cancelled`()
        async throws
    {
        let newer = try await variant { $0["min_api"] = "2.0.0" }
        try await take(newer)
        try await take(newer)
        #expect(await board.categories == [.incompatible])
        #expect(await board.shown.first?.body.contains("2.0.0") == true)
        try await take(cancel(ignorable: true))
        #expect(await board.shown.isEmpty)
    }

    @Test func `an ended personalization takes its notifications along, and no others`()
        async throws
    {
        let other = Manager("idm-demo-2", host: "other.xignin.example", time: manager.time)
        let both = try Phone([manager, other], store: phone.store, clock: phone.clock)
        try await both.enroll(await other.link())
        await other.begin()
        try await take(push, both, on: board)
        try await take(try #require(await other.take().first), both, on: board)
        #expect(await board.shown.count == 2)
        var updates = await both.authenticator.updates().makeAsyncIterator()
        try await both.authenticator.remove(both.enrollmentID())
        try await both.authenticator.present(
            try #require(await updates.next()), on: board, by: NotificationPolicy())
        #expect(await board.shown.map(\.challenge?.enrollment.name) == ["idm-demo-2"])
    }
}
