import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct SpentCodeTests {
    let phone: PowerAuthHarness

    init() async throws { phone = try await PowerAuthHarness() }

    @Test(arguments: [
        FaultPlan.Fault.dropAfter, .dropBefore, .status(503), .truncate(40),
    ])
    func `a lost reply is reported with the spent code, and leaves no record`(
        _ fault: FaultPlan.Fault
    ) async throws {
        await phone.fail(.activation, fault)
        let error = await #expect(throws: PushError.self) { try await phone.enroll() }
        #expect(error?.reason.contains("activation code") == true)
        #expect(error?.isReplyLost == true || error?.code == .server(status: 503))
        #expect(try await phone.authenticator.enrollments().isEmpty)
        #expect(await phone.calls(.activation) <= 1)
    }

    @Test func `a server that wasn't reached leaves the code to be used`() async throws {
        let invitation = try await phone.simulator.invitation(for: Bank.user)
        await phone.fail(.activation, .refuse)
        #expect(await code { try await phone.enroll(invitation) } == .unreachable)
        _ = try await phone.enroll(invitation)
    }

    @Test func `a code that was used is refused in the server's words`() async throws {
        let invitation = try await phone.simulator.invitation(for: Bank.user)
        _ = try await phone.enroll(invitation)
        let error = await #expect(throws: PushError.self) {
            try await phone.enroll(invitation)
        }
        #expect(error?.code == .invalidInvitation)
        #expect(error?.underlying as? PowerAuthErrorCode == .activation)
        #expect(try await phone.authenticator.enrollments().count == 1)
    }

    @Test(arguments: [
        ("serverPublicKey", JSON.string(Data(repeating: 4, count: 65).base64EncodedString())),
        ("serverPublicKey", nil), ("ctrData", "AAECAwQFBgcICQoLDA0O"), ("ctrData", nil),
        ("activationId", nil), ("activationId", ""), ("activationId", "a\", b=\"c"),
    ])
    func `an activation that can't be used isn't kept`(
        _ member: String, _ value: JSON?
    ) async throws {
        await phone.simulator.spoil(by: .replaced(member: member, value: value), at: .activation)
        #expect(await code { try await phone.enroll() } == .malformed)
        #expect(try await phone.authenticator.enrollments().isEmpty)
    }

    @Test(arguments: [PowerAuthSimulator.BadAnswer.tampered, .wrongKey])
    func `a reply that isn't the server's is refused`(
        _ fault: PowerAuthSimulator.BadAnswer
    ) async throws {
        await phone.simulator.spoil(by: fault, at: .activation)
        #expect(await code { try await phone.enroll() } == .untrusted)
        #expect(try await phone.authenticator.enrollments().isEmpty)
    }

    @Test(arguments: [PowerAuthSimulator.BadAnswer.tampered, .wrongKey, .unsigned])
    func `nothing is sealed for a key that the server didn't sign`(
        _ fault: PowerAuthSimulator.BadAnswer
    ) async throws {
        await phone.simulator.spoil(by: fault, at: .keystore)
        #expect(await code { try await phone.enroll() } != nil)
        #expect(await phone.calls(.activation) == 0)
    }

    @Test func `a temporary key that the server lost is replaced once`() async throws {
        _ = try await phone.enroll()
        await phone.simulator.forgetTemporaryKeys()
        _ = try await phone.enroll()
        #expect(await phone.calls(.keystore) == 2)
        #expect(await phone.calls(.activation) == 3)
    }

    @Test func `a store that fails is reported with the spent code`() async throws {
        await phone.disk.refuseWrites { key in
            key.collection == "enrollment" ? PushError(.storage, "Full.") : nil
        }
        let error = await #expect(throws: PushError.self) { try await phone.enroll() }
        #expect(error?.code == .storage)
        #expect(error?.reason.contains("spent") == true)
        #expect(error?.reason.contains("have it removed there") == true)
    }

    @Test func `a store that takes nothing is found before the code is spent`() async throws {
        await phone.disk.refuseWrites { _ in PushError(.storage, "Full.") }
        let error = await #expect(throws: PushError.self) { try await phone.enroll() }
        #expect(error?.code == .storage)
        #expect(error?.reason.contains("spent") == false)
        #expect(await phone.calls(.activation) == 0)
        #expect(await phone.calls(.keystore) == 0)
    }
}
