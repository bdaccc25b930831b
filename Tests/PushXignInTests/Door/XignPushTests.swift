import Foundation
import PushCore
import PushTesting
import PushXignIn
import PushXignInSimulator
import Testing

/// `XignPush.handleMessage`, fed with what the simulated manager sends.
@Suite struct XignPushTests {
    private let simulated: SimulatedManagerHarness

    init() async throws { simulated = try await SimulatedManagerHarness() }

    /// What Apple's delegate is handed.
    private func userInfo(_ data: [String: String]) -> [AnyHashable: Any] {
        var userInfo: [AnyHashable: Any] = ["aps": ["content-available": 1]]
        for (key, value) in data { userInfo[key] = value }
        return userInfo
    }

    @Test func `both spellings of handleMessage give the same result`() async throws {
        let (id, data) = try await simulated.login()
        let push = try #require(data.first)
        let result = try await simulated.push.handleMessage(userInfo: userInfo(push))
        #expect(result == (try await simulated.push.handleMessage(data: push)))
        guard case .authentication(let message) = result else {
            Issue.record("It starts a process.")
            return
        }
        #expect(message.processId == id)
        #expect(message.idmIdentifier == SimulatedManagerHarness.first)
        #expect(message.title == "Sign-in request")
        #expect(message.message == "Tap to continue")
        #expect(message.priority == .high)
        #expect(!message.isIgnorable)
        #expect(result?.processId == id)
        #expect(result?.idmIdentifier == SimulatedManagerHarness.first)
    }

    @Test func `another sender's push is nil, not an error`() async throws {
        #expect(try await simulated.push.handleMessage(data: ["acme": "hello"]) == nil)
        #expect(
            try await simulated.push.handleMessage(userInfo: ["aps": ["alert": "Hello"], 7: Data()])
                == nil)
    }

    @Test func `a cancel names its process, its manager and its reason`() async throws {
        let message = try await simulated.message()
        try await simulated.manager.cancel(message.processId)
        let data = try #require(try await simulated.delivered().first)
        guard case .cancel(let cancel) = try await simulated.push.handleMessage(data: data) else {
            Issue.record("It ends a process.")
            return
        }
        #expect(cancel.processId == message.processId)
        #expect(cancel.idmIdentifier == message.idmIdentifier)
        #expect(cancel.reason == .cancelled)
        #expect(cancel.isIgnorable)
    }

    @Test(arguments: [
        (
            XignInSimulator.BadPush.minimumVersion("2.3.0"), XignPushMessageType.authentication,
            "2.3.0"
        ),
        (.message("transaction_v2"), .unknown("transaction_v2"), "1.0.0"),
    ])
    func `what only a newer app can execute is incompatible, and says what it takes`(
        fault: XignInSimulator.BadPush, type: XignPushMessageType, version: String
    ) async throws {
        let (id, data) = try await simulated.login(spoiledBy: fault)
        let result = try await simulated.push.handleMessage(data: try #require(data.first))
        guard case .incompatible(let message) = result else {
            Issue.record("It can't be executed.")
            return
        }
        #expect(message.processId == id)
        #expect(message.idmIdentifier == SimulatedManagerHarness.first)
        #expect(message.messageType == type)
        #expect(message.minSmartDeviceApi == version)
        #expect(!message.isIgnorable)
    }

    @Test(arguments: [
        (
            XignInSimulator.BadPush.manager("idm-nobody"),
            XignPushHandleMessageErrorCodes.identityManagerNotPersonalized
        ),
        (.activation("act-of-another"), .identityManagerNotPersonalized),
        (.wrongKey, .invalidSignature),
        (.unknownKey, .invalidSignature),
        (.unsigned, .invalidSignature),
        (.tampered(claim: "pid", value: "prc-other"), .invalidSignature),
        (.missing(claim: "pid"), .unexpectedError),
        (.type("JWT"), .unexpectedError),
    ])
    func `each of the three errors is told by both mappers`(
        fault: XignInSimulator.BadPush, code: XignPushHandleMessageErrorCodes
    ) async throws {
        let data = try #require(try await simulated.login(spoiledBy: fault).data.first)
        let error = try await sdkError { () async throws(XignSdkError) in
            _ = try await simulated.push.handleMessage(data: data)
        }
        #expect(XignPushHandleMessageErrorCodes.from(errorCode: error.errorCode) == code)
        #expect(XignPushHandleMessageErrorCodes.from(error.errorCode) == code)
        #expect(!error.message.isEmpty)
        #expect(error.detail == nil)
        #expect(try await simulated.authenticator.records().isEmpty)
    }

    @Test func `a genuine message that is late is an unexpected error, with its own detail`()
        async throws
    {
        // The manager's time, for the second time.
        #expect(try await simulated.authenticator.deviceTokenChanged(.fcm("heard")).isEmpty)
        let data = try #require(
            try await simulated.login(spoiledBy: .expired(ago: .seconds(600))).data.first)
        let error = try await sdkError { () async throws(XignSdkError) in
            _ = try await simulated.push.handleMessage(data: data)
        }
        #expect(XignPushHandleMessageErrorCodes.from(error.errorCode) == .unexpectedError)
        #expect(error.detail == .messageExpired)
    }

    @Test func `a code of no message is an unexpected error to both mappers`() {
        let others: [XignSdkErrorCode] = [
            .processOver, .incompatible, .pendingLockout, .securityInsufficient, .communication,
            .cancelled, .unexpectedError,
        ]
        for code in others {
            #expect(XignPushHandleMessageErrorCodes.from(errorCode: code) == .unexpectedError)
            #expect(XignPushHandleMessageErrorCodes.from(code) == .unexpectedError)
        }
    }

    // MARK: Kept in a notification

    private func throughNotification(
        _ result: XignPushMessageResult
    ) throws -> XignPushMessageResult {
        let kept: [AnyHashable: Any] = ["xign": try JSONEncoder().encode(result)]
        let data = try #require(kept["xign"] as? Data)
        return try JSONDecoder().decode(XignPushMessageResult.self, from: data)
    }

    @Test func `each result survives its stay in a notification, and opens its process`()
        async throws
    {
        let login = try await simulated.login()
        let data = try #require(login.data.first)
        let first = try #require(try await simulated.push.handleMessage(data: data))
        let newer = try #require(
            try await simulated.login(spoiledBy: .minimumVersion("2.0.0")).data.first)
        let incompatible = try #require(try await simulated.push.handleMessage(data: newer))
        #expect(try throughNotification(first) == first)
        #expect(try throughNotification(incompatible) == incompatible)
        guard case .authentication(let message) = try throughNotification(first) else {
            Issue.record("It starts a process.")
            return
        }
        let opened = try await simulated.door.fetchPushAuthenticationInitializationData(
            message: message)
        #expect(opened.processId == login.id)
        try await simulated.manager.cancel(login.id)
        let cancel = try #require(try await simulated.delivered().first)
        let ended = try #require(try await simulated.push.handleMessage(data: cancel))
        #expect(try throughNotification(ended) == ended)
        let error = try await sdkError { () async throws(XignSdkError) in
            _ = try await simulated.door.fetchPushAuthenticationInitializationData(message: message)
        }
        #expect(error.errorCode == .processOver)
    }

    @Test func `a result that was changed in its notification opens nothing else`() async throws {
        let data = try #require(try await simulated.login().data.first)
        let result = try #require(try await simulated.push.handleMessage(data: data))
        let text = String(decoding: try JSONEncoder().encode(result), as: UTF8.self)
        let moved = text.replacing(
            SimulatedManagerHarness.first, with: SimulatedManagerHarness.second)
        guard
            case .authentication(let message) = try JSONDecoder().decode(
                XignPushMessageResult.self, from: Data(moved.utf8))
        else {
            Issue.record("It starts a process.")
            return
        }
        #expect(message.idmIdentifier == SimulatedManagerHarness.second)
        let before = await simulated.managers[1].exchanges.count
        _ = try await sdkError { () async throws(XignSdkError) in
            _ = try await simulated.door.fetchPushAuthenticationInitializationData(message: message)
        }
        #expect(await simulated.managers[1].exchanges.count == before)
    }
}
