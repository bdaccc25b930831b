import Foundation
import PushCore
import PushTesting
import PushXignIn
import Testing

/// The vendor's own names, over the same ledger as the uniform door:
/// `docs/vendors/xignin.md#documented-names`.
@Suite struct DoorTests {
    private let harness: XignInHarness
    private let message: XignPushMessageAuthentication

    init() async throws {
        harness = try await XignInHarness()
        await harness.manager.begin()
        let data = try #require(await harness.manager.take().first)
        guard case .authentication(let message) = try await harness.phone.handle(data) else {
            throw NothingThrown()
        }
        self.message = message
    }

    private var door: XignAuthenticator { harness.phone.door }
    private var manager: Manager { harness.manager }

    private func started() async throws -> AuthenticateRequest {
        try await door.startAuthentication(
            data: door.fetchPushAuthenticationInitializationData(message: message))
    }

    @Test func `fetch, start and finish sign the user in`() async throws {
        let data = try await door.fetchPushAuthenticationInitializationData(message: message)
        #expect(data.idmIdentifier == WorkedExample.idm)
        #expect(data.processId == message.processId)
        #expect(data.serviceInformation.name == "Demo Shop")
        #expect(data.organizationInformation.name == "Demo GmbH")
        #expect(await manager.processes[message.processId]?.owner == nil)
        let request = try await door.startAuthentication(data: data)
        #expect(await manager.processes[message.processId]?.owner == WorkedExample.activation)
        #expect(request.roles.map(\.id) == ["user"])
        let result = try await door.finishAuthentication(
            userInfo: AuthenticationUserInformation(for: request))
        guard case .userLogin = result else {
            Issue.record("It is a login.")
            return
        }
        #expect(await manager.complaints.isEmpty)
        #expect(
            try await harness.phone.state(message.processId) == .answered(.approve, .delivered))
    }

    @Test func `a wrong PIN comes as a result, with what it takes to try again`() async throws {
        await harness.phone.keypad.type(WorkedExample.wrongPIN)
        let result = try await door.finishAuthentication(
            userInfo: AuthenticationUserInformation(for: try await started()))
        guard case .lockout(let lockout, let userInfo) = result else {
            Issue.record("An attempt lockout is a result.")
            return
        }
        #expect(lockout.seconds == 30)
        #expect(lockout.remaining == 2)
        #expect(!lockout.isPermanent)
        await harness.phone.keypad.type(WorkedExample.pin)
        guard case .userLogin = try await door.finishAuthentication(userInfo: userInfo) else {
            Issue.record("The same process goes on.")
            return
        }
        #expect(await manager.decisions(message.processId) == ["approve"])
        #expect(await manager.requests(.start).count == 1)
        #expect(await manager.complaints.isEmpty)
    }

    @Test func `a lockout that runs is thrown, and names how long`() async throws {
        await manager.lock(WorkedExample.activation)
        do throws(XignSdkError) {
            _ = try await door.fetchPushAuthenticationInitializationData(message: message)
            Issue.record("A lockout runs.")
        } catch {
            #expect(error.errorCode == .pendingLockout)
            #expect(error.lockoutError?.lockoutInformation != nil)
            #expect(error.lockoutError?.lockoutInformation.seconds == 600)
        }
    }

    @Test(arguments: [(DenyReason.unexpected, "user_declined"), (.fraud, "not_me")])
    func `a rejection goes out with its reason, opened or not`(
        reason: DenyReason, text: String
    ) async throws {
        try await door.reject(message: message, reason: reason)
        #expect(await manager.decisions(message.processId) == ["reject \(text)"])
        await #expect(throws: XignSdkError.self) { _ = try await started() }
        let next = await manager.begin()
        let data = try #require(await manager.take().last)
        guard case .authentication(let second) = try await harness.phone.handle(data) else {
            Issue.record("The next one is announced.")
            return
        }
        let request = try await door.startAuthentication(
            data: door.fetchPushAuthenticationInitializationData(message: second))
        try await door.reject(request: request, reason: reason)
        #expect(await manager.decisions(next) == ["reject \(text)"])
    }

    @Test func `what was cancelled can't be started or finished`() async throws {
        let data = try await door.fetchPushAuthenticationInitializationData(message: message)
        let request = try await door.startAuthentication(data: data)
        await manager.abort(message.processId)
        try await harness.phone.deliver()
        let before = await manager.requests.count
        await #expect(throws: XignSdkError.self) {
            _ = try await door.startAuthentication(data: data)
        }
        do throws(XignSdkError) {
            _ = try await door.finishAuthentication(
                userInfo: AuthenticationUserInformation(for: request))
            Issue.record("It is over.")
        } catch {
            #expect(error.errorCode == .processOver)
        }
        #expect(await manager.requests.count == before)
    }

    @Test func `an answer that doesn't verify is trouble with the connection, not an end`()
        async throws
    {
        await manager.next(.start, .spoiled(.altered))
        let data = try await door.fetchPushAuthenticationInitializationData(message: message)
        await #expect(throws: XignSdkError.self) {
            _ = try await door.startAuthentication(data: data)
        }
        let request = try await door.startAuthentication(data: data)
        guard
            case .userLogin = try await door.finishAuthentication(
                userInfo: AuthenticationUserInformation(for: request))
        else {
            Issue.record("It goes on.")
            return
        }
    }
}
