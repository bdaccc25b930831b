import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import Testing

/// Where a manager can reach this device: `docs/vendors/xignin.md#push-tokens`.
@Suite struct DeviceTokenTests {
    private let time = ManualClock(Date(WorkedExample.personalized))
    private let first: Manager
    private let second: Manager
    private let phone: Phone

    init() async throws {
        first = Manager(time: time)
        second = Manager("idm-demo-2", host: "other.xignin.example", time: time)
        phone = try Phone([first, second])
        try await phone.enroll(await first.link())
        try await phone.enroll(await second.link())
        phone.pass(10)
    }

    private func token(at manager: Manager) async -> String? {
        await manager.activations.values.first?.token
    }

    @Test func `the personalization tells the token`() async throws {
        #expect(await token(at: first) == WorkedExample.token)
        #expect(await token(at: second) == WorkedExample.token)
        #expect(await first.requests(.token).isEmpty)
        let managers = try await phone.personalizer.getIdentityManagers()
        #expect(Set(managers.map(\.identifier)) == [WorkedExample.idm, "idm-demo-2"])
        #expect(managers.allSatisfy { $0.pushToken == WorkedExample.token })
    }

    @Test func `a rotated token reaches every manager, one call each`() async throws {
        #expect(try await phone.authenticator.deviceTokenChanged(.fcm("second")).isEmpty)
        #expect(await token(at: first) == "second")
        #expect(await token(at: second) == "second")
        for manager in [first, second] {
            let calls = await manager.requests(.token)
            #expect(calls.count == 1)
            #expect(calls.first?.path.hasSuffix("/push-token") == true)
            #expect(calls.first?["platform"] == "fcm")
            #expect(await manager.complaints.isEmpty)
        }
        let managers = try await phone.personalizer.getIdentityManagers()
        #expect(managers.allSatisfy { $0.pushToken == "second" })
    }

    @Test func `no token takes it away everywhere`() async throws {
        #expect(try await phone.authenticator.deviceTokenRemoved(of: .fcm).isEmpty)
        for manager in [first, second] {
            #expect(await token(at: manager) == nil)
            #expect(await manager.requests(.token).first?["token"] == .null)
            await manager.begin()
            #expect(await manager.outbox.isEmpty)
        }
        let managers = try await phone.personalizer.getIdentityManagers()
        #expect(managers.allSatisfy { $0.pushToken == nil })
    }

    @Test func `the user opts out of one manager alone, and in again`() async throws {
        try await phone.personalizer.updatePushToken(idmIdentifier: WorkedExample.idm, token: nil)
        #expect(await token(at: first) == nil)
        #expect(await token(at: second) == WorkedExample.token)
        let managers = try await phone.personalizer.getIdentityManagers()
        #expect(managers.first { $0.identifier == WorkedExample.idm }?.pushToken == nil)
        #expect(managers.first { $0.identifier == "idm-demo-2" }?.pushToken == WorkedExample.token)
        try await phone.personalizer.updatePushToken(
            idmIdentifier: WorkedExample.idm, token: WorkedExample.token)
        #expect(await token(at: first) == WorkedExample.token)
        #expect(await second.requests(.token).isEmpty)
    }

    @Test func `an opt-out survives a restart and a resume`() async throws {
        try await phone.personalizer.updatePushToken(idmIdentifier: WorkedExample.idm, token: nil)
        let again = try phone.restarted()
        try await again.authenticator.resume()
        #expect(await token(at: first) == nil)
    }

    @Test func `an update for a manager nobody knows is told as such`() async throws {
        let error = await #expect(throws: XignSdkError.self) {
            try await phone.personalizer.updatePushToken(idmIdentifier: "idm-nobody", token: "x")
        }
        #expect(error?.errorCode == .identityManagerNotPersonalized)
        #expect(await first.requests(.token).isEmpty)
    }

    @Test(arguments: [FaultPlan.Fault.refuse, .dropBefore, .dropAfter, .status(503)])
    func `a failed update is told, and made good later`(fault: FaultPlan.Fault) async throws {
        await phone.faults.next(fault, where: { $0.authority == WorkedExample.manager })
        let failures = try await phone.authenticator.deviceTokenChanged(.fcm("second"))
        #expect(failures.keys.map(\.name) == [WorkedExample.idm])
        #expect(await token(at: second) == "second")
        try await phone.authenticator.resume()
        #expect(await token(at: first) == "second")
        #expect(try await phone.authenticator.deviceTokenStates()[phone.enrollmentID()] == .current)
        #expect(await first.complaints.isEmpty)
    }

    private static func tell(
        _ text: String?, by authenticator: PushAuthenticator
    ) async throws -> [Enrollment.ID: PushError] {
        guard let text else { return try await authenticator.deviceTokenRemoved(of: .fcm) }
        return try await authenticator.deviceTokenChanged(.fcm(text))
    }

    @Test(arguments: ["second", nil])
    func `an older update that comes late changes nothing, and is made good`(text: String?)
        async throws
    {
        // Another process of the app is about to tell a token; its request is held up on its way.
        let gate = Gate()
        await first.before(.token) { await gate.pass() }
        let (authenticator, id) = (phone.authenticator, phone.enrollmentID())
        async let slow = Self.tell(text, by: authenticator)
        await gate.arrival()
        phone.pass(5)
        let again = try phone.restarted()
        #expect(try await again.authenticator.deviceTokenChanged(.fcm("third")).isEmpty)
        await gate.open()
        // The manager says which kind it has: who wanted none hears that there is one.
        #expect(try await (slow[id] == nil) == (text != nil))
        let issued = await first.requests(.token).compactMap { $0.claims["iat"]?.integer }
        #expect(issued.count == 2 && issued[1] < issued[0])
        #expect(await token(at: first) == "third")
        try await again.authenticator.resume()
        #expect(await token(at: first) == "third")
        #expect(try await again.authenticator.deviceTokenStates()[id] == .current)
    }

    @Test func `who opts in while the opt-out is on its way is in`() async throws {
        let gate = Gate()
        await first.before(.token) { await gate.pass() }
        let personalizer = phone.personalizer
        async let out: Void = personalizer.updatePushToken(
            idmIdentifier: WorkedExample.idm, token: nil)
        await gate.arrival()
        let written = await phone.store.writes(in: Hoard.enrollments)
        async let back: Void = personalizer.updatePushToken(
            idmIdentifier: WorkedExample.idm, token: WorkedExample.token)
        await phone.store.wait(for: written + 1, in: Hoard.enrollments)
        await gate.open()
        _ = try await (out, back)
        #expect(await token(at: first) == WorkedExample.token)
        try await phone.authenticator.useSharedDeviceToken(for: phone.enrollmentID())
        #expect(try await phone.authenticator.deviceTokenChanged(.fcm("second")).isEmpty)
        #expect(await token(at: first) == "second")
    }

    @Test func `a token that rotates reaches the managers that have none of their own`()
        async throws
    {
        let (authenticator, id) = (phone.authenticator, phone.enrollmentID())
        try await phone.personalizer.updatePushToken(idmIdentifier: WorkedExample.idm, token: "own")
        #expect(await token(at: first) == "own")
        #expect(await token(at: second) == WorkedExample.token)
        #expect(try await authenticator.deviceTokenChanged(.fcm("rotated")).isEmpty)
        #expect(await token(at: first) == "own")
        #expect(await token(at: second) == "rotated")
        let again = try phone.restarted()
        try await again.authenticator.resume()
        #expect(await token(at: first) == "own")
        #expect(try await again.authenticator.deviceTokenStates()[id] == .current)
        try await again.authenticator.useSharedDeviceToken(for: id)
        #expect(await token(at: first) == "rotated")
    }

    @Test func `an opt-out stays when the app's token rotates`() async throws {
        try await phone.personalizer.updatePushToken(idmIdentifier: WorkedExample.idm, token: nil)
        let again = try phone.restarted()
        #expect(try await again.authenticator.deviceTokenChanged(.fcm("rotated")).isEmpty)
        try await again.authenticator.resume()
        #expect(await token(at: first) == nil)
        #expect(await token(at: second) == "rotated")
        #expect(try await again.authenticator.deviceTokenStates()[phone.enrollmentID()] == .current)
    }

    @Test func `a manager that was personalized without a token gets the app's later`()
        async throws
    {
        let third = Manager("idm-demo-3", host: "third.xignin.example", time: time)
        let phone = try Phone([third])
        try await phone.enroll(await third.link(), token: nil)
        #expect(await token(at: third) == nil)
        #expect(try await phone.authenticator.deviceTokenChanged(.fcm("later")).isEmpty)
        #expect(await token(at: third) == "later")
    }

    @Test func `a no right after the personalization keeps the app's token from the manager`()
        async throws
    {
        let third = Manager("idm-demo-3", host: "third.xignin.example", time: time)
        let phone = try Phone([third])
        try await phone.enroll(await third.link(), token: nil)
        try await phone.personalizer.updatePushToken(idmIdentifier: "idm-demo-3", token: nil)
        #expect(try await phone.authenticator.deviceTokenChanged(.fcm("later")).isEmpty)
        #expect(await token(at: third) == nil)
        #expect(await third.requests(.token).allSatisfy { $0["token"] == .null })
    }

    @Test func `an opt-out that is confirmed late doesn't undo another process's opt-in`()
        async throws
    {
        let gate = Gate()
        await first.after(.token) { await gate.pass() }
        let personalizer = phone.personalizer
        async let out: Void = personalizer.updatePushToken(
            idmIdentifier: WorkedExample.idm, token: nil)
        await gate.arrival()
        phone.pass(5)
        let again = try phone.restarted()
        try await again.personalizer.updatePushToken(
            idmIdentifier: WorkedExample.idm, token: WorkedExample.token)
        await gate.open()
        try await out
        #expect(await token(at: first) == WorkedExample.token)
        try await again.authenticator.resume()
        #expect(await token(at: first) == WorkedExample.token)
        #expect(try await again.authenticator.deviceTokenStates()[phone.enrollmentID()] == .current)
    }

    @Test func `an answer that says the other thing isn't taken for done`() async throws {
        await first.next(.token, .changed { $0["token_set"] = false })
        let failures = try await phone.authenticator.deviceTokenChanged(.fcm("second"))
        #expect(failures[phone.enrollmentID()] != nil)
        await first.next(.token, .changed { $0["token_set"] = true })
        let untold = try await phone.authenticator.deviceTokenRemoved(of: .fcm)
        #expect(untold[phone.enrollmentID()] != nil)
    }

    @Test func `a token that the manager has isn't told again`() async throws {
        #expect(try await phone.authenticator.deviceTokenChanged(.fcm(WorkedExample.token)).isEmpty)
        #expect(await first.requests(.token).isEmpty)
    }

    @Test func `what can be done with tokens is said`() {
        #expect(phone.provider.capabilities.contains(.tokenUpdate))
        #expect(phone.provider.capabilities.contains(.tokenRemoval))
        #expect(phone.provider.capabilities.contains(.serverRemoval))
        #expect(phone.provider.capabilities.contains(.denyReasons))
        #expect(!phone.provider.capabilities.contains(.pendingList))
    }

    @Test func `an activation that the manager forgot is flagged, not wiped`() async throws {
        let pid = await first.begin()
        for data in try await first.take() { _ = try await phone.receive(data) }
        await first.next(.token, .refused(.init(404, "activation_unknown")))
        _ = try await phone.authenticator.deviceTokenChanged(.fcm("second"))
        let enrollment = try #require(await phone.authenticator.enrollment(phone.enrollmentID()))
        #expect(enrollment.state == .needsReenrollment)
        // All live processes of this manager are cancelled.
        #expect(try await phone.state(pid) != .open)
        #expect(
            try await phone.authenticator.enrollment(phone.enrollmentID("idm-demo-2"))?.state
                == .active)
    }
}
