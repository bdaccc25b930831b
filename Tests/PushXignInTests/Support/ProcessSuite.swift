import Foundation
import PushCore
import PushTesting
import PushXignIn
import Testing

/// A process, and the harness in which it was announced.
struct AnnouncedProcess {
    let harness: XignInHarness
    let pid: String

    /// The push that announced it to the phone.
    let push: [String: String]

    /// - Parameter isDelivered: Whether the phone has had the push.
    /// - Throws: What making it throws.
    init(delivered isDelivered: Bool = true) async throws {
        harness = try await XignInHarness()
        pid = await harness.manager.begin()
        push = try #require(await harness.manager.take().first)
        if isDelivered { _ = try await harness.phone.receive(push) }
    }
}

/// A suite about one process.
protocol ProcessSuite {
    var process: AnnouncedProcess { get }
}

extension ProcessSuite {
    var harness: XignInHarness { process.harness }
    var phone: Phone { harness.phone }
    var manager: Manager { harness.manager }
    var pid: String { process.pid }
    var push: [String: String] { process.push }

    /// Makes the phone send one of the calls of a process.
    func make(_ call: Manager.Call, _ phone: Phone) async throws {
        switch call {
        case .initialization, .start: _ = try await phone.authenticator.challenge(phone.id(pid))
        case .finish: _ = try await phone.approve(pid)
        case .reject: _ = try await phone.authenticator.deny(phone.id(pid))
        default: Issue.record("No call of a process.")
        }
    }

    func cancel(
        _ reason: String = "aborted", of pid: String? = nil, ignorable: Bool = false
    ) async throws -> [String: String] {
        try await manager.cancel(
            pid ?? self.pid, to: WorkedExample.activation, reason: reason, ignorable: ignorable
        ).data(manager.key)
    }

    /// The announcement again, with claims changed.
    func variant(_ change: (inout JSON.Object) -> Void) async throws -> [String: String] {
        var variant = await manager.push(pid, to: WorkedExample.activation)
        change(&variant.claims)
        return try variant.data(manager.key)
    }

    func over() async throws -> Withdrawal {
        guard case .over(let withdrawal) = try await phone.state(pid) else {
            throw NothingThrown()
        }
        return withdrawal
    }

    /// What a late announcement of something over must be: nothing to show.
    func expectNotShown(_ data: [String: String]) async throws {
        let receptions = try await phone.receive(data)
        #expect(receptions.allSatisfy { !$0.isNew })
        guard case .cancel(let message) = try await phone.handle(data) else {
            Issue.record("It is a cancel for the pair.")
            return
        }
        #expect(message.isIgnorable)
        #expect(message.processId == pid)
        #expect(message.idmIdentifier == WorkedExample.idm)
    }
}
