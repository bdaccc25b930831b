import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import PushXignInSimulator
import Testing

/// `XignAuthenticator`: fetch, start, finish and reject a process of the simulated manager.
@Suite struct XignAuthenticatorTests {
    private func finish(
        _ simulated: SimulatedManagerHarness, _ userInfo: AuthenticationUserInformation
    ) async throws -> LockoutInformation? {
        switch try await simulated.door.finishAuthentication(userInfo: userInfo) {
        case .userLogin: return nil
        case .lockout(let lockout, _): return lockout
        @unknown default: throw NothingThrown()
        }
    }

    @Test func `fetching shows who asks and claims nothing, starting claims`() async throws {
        let simulated = try await SimulatedManagerHarness()
        let message = try await simulated.message()
        let data = try await simulated.door.fetchPushAuthenticationInitializationData(
            message: message)
        #expect(data.processId == message.processId)
        #expect(data.idmIdentifier == message.idmIdentifier)
        #expect(
            data.serviceInformation == ServiceInformation(id: "example-shop", name: "Example Shop"))
        #expect(data.organizationInformation.name == "Example GmbH")
        #expect(data.organizationInformation.website == "https://shop.example.com")
        #expect(data.expiresAt == Date(WorkedExample.now + 180))
        #expect(try await simulated.manager.owner(of: message.processId) == nil)
        let request = try await simulated.door.startAuthentication(data: data)
        let device = try #require(await simulated.manager.devices(of: "alice").first)
        #expect(try await simulated.manager.owner(of: message.processId) == device.id)
        #expect(request.processId == message.processId)
        #expect(request.roles.map(\.id) == ["user"])
        #expect(request.roles.first?.requestedAuthenticators == [[.pin, .device]])
        #expect(request.availableAuthenticators == [.pin, .device])
        #expect(request.transaction == nil)
    }

    @Test func `finishing with the right PIN is a user login`() async throws {
        let simulated = try await SimulatedManagerHarness()
        let message = try await simulated.message()
        let userInfo = try await simulated.userInfo(message)
        #expect(try await finish(simulated, userInfo) == nil)
        #expect(try await simulated.manager.status(of: message.processId) == .approved)
        // A second tap brings the same word, and sends nothing.
        let before = await simulated.manager.exchanges.count
        #expect(try await finish(simulated, userInfo) == nil)
        #expect(await simulated.manager.exchanges.count == before)
    }

    @Test func `role and attributes of the user information are what the manager gets`()
        async throws
    {
        let simulated = try await SimulatedManagerHarness {
            $0.roles[.confirm] = ["user", "admin"].map {
                .init(id: $0, name: $0, requestedAuthenticators: [[.pin, .device]])
            }
            $0.attributes = [
                .init("email", .required, value: "{{user}}@example.com"),
                .init("givenName", .optional, value: "Alice"),
                .init("birthdate", .optional, value: nil),
            ]
        }
        let message = try await simulated.message()
        var userInfo = try await simulated.userInfo(message)
        #expect(userInfo.request.info.email?.isRequired == true)
        #expect(userInfo.request.info.email?.value == "alice@example.com")
        #expect(userInfo.request.info.birthdate?.value == nil)
        let error = try await sdkError { () async throws(XignSdkError) in
            _ = try await simulated.door.finishAuthentication(userInfo: userInfo)
        }
        #expect(error.errorCode == .unexpectedError, "Of two roles the user must choose one.")
        userInfo.role = "admin"
        userInfo.attributes = ["email", "givenName"]
        #expect(try await finish(simulated, userInfo) == nil)
        let released = try await simulated.manager.releasedAttributes(of: message.processId)
        #expect(released?["email"] == "alice@example.com")
        #expect(released?["givenName"] == "Alice")
        #expect(released?["birthdate"] == nil)
    }

    @Test func `a wrong PIN is a lockout, and the same value finishes the process`() async throws {
        let simulated = try await SimulatedManagerHarness()
        let message = try await simulated.message()
        let userInfo = try await simulated.userInfo(message)
        await simulated.keypad.type(WorkedExample.wrongPIN)
        guard
            case .lockout(let lockout, let again) = try await simulated.door.finishAuthentication(
                userInfo: userInfo)
        else {
            Issue.record("A wrong PIN is a result.")
            return
        }
        #expect(lockout == LockoutInformation(seconds: 30, remaining: 2, isPermanent: false))
        #expect(again.request.processId == message.processId)
        await simulated.keypad.type(WorkedExample.pin)
        #expect(try await finish(simulated, again) == nil)
        #expect(try await simulated.manager.status(of: message.processId) == .approved)
        let starts = await simulated.manager.exchanges.filter {
            $0.request.path?.hasSuffix("/start") == true
        }
        #expect(starts.count == 1)
    }

    @Test
    func `after too many wrong PINs the lockout that runs is thrown, and the process is dead`()
        async throws
    {
        let simulated = try await SimulatedManagerHarness()
        let message = try await simulated.message()
        let userInfo = try await simulated.userInfo(message)
        await simulated.keypad.type(WorkedExample.wrongPIN)
        for remaining in [2, 1, 0] {
            #expect(try await finish(simulated, userInfo)?.remaining == remaining)
        }
        simulated.pass(10)
        await simulated.keypad.type(WorkedExample.pin)
        let error = try await sdkError { () async throws(XignSdkError) in
            _ = try await simulated.door.finishAuthentication(userInfo: userInfo)
        }
        #expect(error.errorCode == .pendingLockout)
        #expect(
            error.lockoutError?.lockoutInformation
                == LockoutInformation(seconds: 20, remaining: 0, isPermanent: false))
        #expect(error.httpError == nil)
        #expect(error.securityInsufficientError == nil)
        #expect(try await simulated.manager.status(of: message.processId) == .failed)
        let dead = try await sdkError { () async throws(XignSdkError) in
            _ = try await simulated.door.fetchPushAuthenticationInitializationData(message: message)
        }
        #expect(dead.errorCode == .processOver)
        // Once it has run out, a new process works.
        simulated.pass(30)
        let next = try await simulated.userInfo(try await simulated.message())
        #expect(try await finish(simulated, next) == nil)
    }

    @Test func `a lockout that runs is told when the next process is opened, and ends it`()
        async throws
    {
        let simulated = try await SimulatedManagerHarness()
        let first = try await simulated.userInfo(try await simulated.message())
        await simulated.keypad.type(WorkedExample.wrongPIN)
        for _ in 1...3 { _ = try await finish(simulated, first) }
        let message = try await simulated.message()
        let error = try await sdkError { () async throws(XignSdkError) in
            let data = try await simulated.door.fetchPushAuthenticationInitializationData(
                message: message)
            _ = try await simulated.door.startAuthentication(data: data)
        }
        #expect(error.errorCode == .pendingLockout)
        #expect(error.lockoutError?.lockoutInformation != nil)
    }

    /// The roles' factors, and the role that the user takes: one that this device can't supply.
    @Test(arguments: [[.biometric], [.biometric, .pin]] as [[XignInSimulator.Authenticator]])
    func `what this device can't supply is insufficient security, told before anything is sent`(
        factors: [XignInSimulator.Authenticator]
    ) async throws {
        let simulated = try await SimulatedManagerHarness {
            $0.roles[.confirm] = factors.map {
                .init(
                    id: "\($0)", name: "\($0)", requestedAuthenticators: [[$0, .device]])
            }
        }
        let message = try await simulated.message()
        var userInfo = try await simulated.userInfo(message)
        userInfo.role = "biometric"
        let before = await simulated.manager.exchanges.count
        let error = try await sdkError { () async throws(XignSdkError) in
            _ = try await simulated.door.finishAuthentication(userInfo: userInfo)
        }
        #expect(error.errorCode == .securityInsufficient)
        #expect(error.securityInsufficientError != nil)
        #expect(await simulated.manager.exchanges.count == before)
        try await simulated.door.reject(request: userInfo.request)
        #expect(try await simulated.manager.status(of: message.processId) == .denied)
    }

    @Test(arguments: [(DenyReason.unexpected, "user_declined"), (.fraud, "not_me")])
    func `reject says no to a message that was never opened`(
        reason: DenyReason, word: String
    ) async throws {
        let simulated = try await SimulatedManagerHarness()
        let message = try await simulated.message()
        try await simulated.door.reject(message: message, reason: reason)
        #expect(try await simulated.manager.status(of: message.processId) == .denied)
        let body = try #require(await simulated.manager.exchanges.last?.body)
        #expect(try JSON(parsing: body)["reason"] == .string(word))
        let error = try await sdkError { () async throws(XignSdkError) in
            _ = try await simulated.door.fetchPushAuthenticationInitializationData(message: message)
        }
        #expect(error.errorCode == .processOver)
    }

    @Test(arguments: [(DenyReason.unexpected, "user_declined"), (.fraud, "not_me")])
    func `reject says no to a request that was started`(
        reason: DenyReason, word: String
    ) async throws {
        let simulated = try await SimulatedManagerHarness()
        let message = try await simulated.message()
        let userInfo = try await simulated.userInfo(message)
        try await simulated.door.reject(request: userInfo.request, reason: reason)
        #expect(try await simulated.manager.status(of: message.processId) == .denied)
        let body = try #require(await simulated.manager.exchanges.last?.body)
        #expect(try JSON(parsing: body)["reason"] == .string(word))
        let error = try await sdkError { () async throws(XignSdkError) in
            _ = try await simulated.door.finishAuthentication(userInfo: userInfo)
        }
        #expect(error.errorCode == .processOver)
    }
}
