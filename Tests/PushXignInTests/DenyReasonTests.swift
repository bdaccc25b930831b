import PushCore
import PushXignIn
import Testing

/// What each reason of a no becomes, at the manager and here.
@Suite struct DenyReasonTests {
    private let manager: Manager
    private let phone: Phone

    init() async throws {
        let harness = try await XignInHarness()
        manager = harness.manager
        var kind = Phone.Kind()
        kind.bursts = .warn(BurstPolicy.Burst(count: 10))
        phone = try Phone(
            [manager], store: harness.phone.store, clock: harness.phone.clock, kind: kind)
    }

    /// Announces a process; how many came, if that is flagged.
    private func announced() async throws -> (pid: String, burst: Int?) {
        let pid = await manager.begin()
        let push = try #require(await manager.take().last)
        return (pid, try await phone.receive(push).first?.burst)
    }

    @Test(arguments: [
        (DenyReason.fraud, "not_me"), (.unexpected, "user_declined"), (.ignore, "user_declined"),
        (.custom("x"), "user_declined"),
    ])
    func `fraud alone is told as such, and raises the alarm here`(
        reason: DenyReason, word: String
    ) async throws {
        let (pid, before) = try await announced()
        #expect(before == nil)
        #expect(try await phone.authenticator.deny(phone.id(pid), reason) == .delivered)
        #expect(await manager.decisions(pid) == ["reject \(word)"])
        #expect(try await (announced().burst != nil) == (reason == .fraud))
    }

    @Test(arguments: [DenyReason.fraud, .unexpected])
    func `the vendor's door raises the alarm, too`(reason: DenyReason) async throws {
        _ = await manager.begin()
        guard
            case .authentication(let message) = try await phone.handle(
                try #require(await manager.take().last))
        else {
            Issue.record("It is announced.")
            return
        }
        try await phone.door.reject(message: message, reason: reason)
        #expect(try await (announced().burst != nil) == (reason == .fraud))
    }
}
