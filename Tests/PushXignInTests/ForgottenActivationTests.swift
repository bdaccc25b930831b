import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import Testing

/// An activation that its manager no longer knows, whichever call it says so to: 404
/// `activation_unknown` of `docs/vendors/xignin-oxrw.md#7-errors`.
@Suite struct ForgottenActivationTests: ProcessSuite {
    let process: AnnouncedProcess

    init() async throws { process = try await AnnouncedProcess() }

    @Test(arguments: [Manager.Call.initialization, .start, .finish, .reject, .token])
    func `an activation that the manager forgot is flagged, and its processes end`(
        call: Manager.Call
    ) async throws {
        let other = try await harness.begin()
        await manager.next(call, .refused(.init(404, "activation_unknown")))
        if call == .token {
            _ = try? await phone.personalizer.updatePushToken(
                idmIdentifier: WorkedExample.idm, token: nil)
        } else {
            _ = try? await make(call)
        }
        let enrollment = try #require(await phone.authenticator.enrollment(phone.enrollmentID()))
        #expect(enrollment.state == .needsReenrollment)
        // All live processes of this manager are cancelled.
        #expect(try await phone.state(pid) != .open)
        #expect(
            try await phone.state(other) == .over(Withdrawal(phone.id(other), .cancelled)))
        // Only the user removes it.
        #expect(try await phone.authenticator.enrollments().count == 1)
    }

    @Test func `the verdict on a lost answer can be that the manager forgot the activation`()
        async throws
    {
        let other = try await harness.begin()
        await phone.faults.next(.dropAfter, where: { $0.path?.hasSuffix("/finish") == true })
        _ = try await phone.approve(pid)
        await manager.next(.finish, .refused(.init(404, "activation_unknown")))
        _ = try await phone.authenticator.resume()
        #expect(
            try await phone.state(other) == .over(Withdrawal(phone.id(other), .cancelled)))
    }

    private func make(_ call: Manager.Call) async throws {
        switch call {
        case .finish: _ = try await phone.approve(pid)
        case .reject: _ = try await phone.authenticator.deny(phone.id(pid))
        default: _ = try await phone.authenticator.challenge(phone.id(pid))
        }
    }
}
