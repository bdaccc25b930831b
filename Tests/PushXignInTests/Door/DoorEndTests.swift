import Foundation
import PushCore
import PushTesting
import PushXignIn
import Testing

/// What the manager says through the vendor's door about the end of a process, and the codes for it.
@Suite struct DoorEndTests {
    private let harness: XignInHarness
    private let pid: String
    private let message: XignPushMessageAuthentication

    init() async throws {
        harness = try await XignInHarness()
        pid = await harness.manager.begin()
        let data = try #require(await harness.manager.take().first)
        guard case .authentication(let message) = try await harness.phone.handle(data) else {
            throw NothingThrown()
        }
        self.message = message
    }

    private var phone: Phone { harness.phone }
    private var door: XignAuthenticator { harness.phone.door }
    private var manager: Manager { harness.manager }

    private func started() async throws(XignSdkError) -> AuthenticateRequest {
        try await door.startAuthentication(
            data: door.fetchPushAuthenticationInitializationData(message: message))
    }

    private func finish(_ request: AuthenticateRequest) async throws(XignSdkError)
        -> AuthenticationResult
    {
        try await door.finishAuthentication(userInfo: AuthenticationUserInformation(for: request))
    }

    // MARK: The row

    @Test(arguments: [Manager.Call.initialization, .start], AnswerTests.ends)
    func `an end that is told to the door closes the row`(
        call: Manager.Call, answer: (status: Int, name: String)
    ) async throws {
        await manager.next(call, .refused(.init(answer.status, answer.name)))
        let error = try await sdkError { () async throws(XignSdkError) in _ = try await started() }
        #expect(error.errorCode == .processOver)
        let expected: [String: Withdrawal.Reason] = [
            "process_expired": .expired, "process_already_started": .elsewhere,
            "process_finished": .finished,
        ]
        let withdrawal = Withdrawal(phone.id(pid), expected[answer.name] ?? .cancelled)
        #expect(try await phone.state(pid) == .over(withdrawal))
        let requests = await manager.requests.count
        let again = try await sdkError { () async throws(XignSdkError) in
            _ = try await started()
        }
        #expect(again.errorCode == .processOver)
        #expect(await manager.requests.count == requests)
    }

    @Test(arguments: [Manager.Call.initialization, .start])
    func `a lockout that runs closes the row`(
        call: Manager.Call
    ) async throws {
        let lockout: JSON.Object = [
            "lockout": ["kind": "pending", "seconds": 9, "remaining": nil, "permanent": false]
        ]
        await manager.next(call, .refused(.init(403, "activation_locked", lockout)))
        let locked = try await sdkError { () async throws(XignSdkError) in _ = try await started() }
        #expect(locked.errorCode == .pendingLockout)
        #expect(locked.lockoutError?.lockoutInformation.seconds == 9)
        #expect(await phone.provider.lockoutInformation(of: phone.id(pid))?.seconds == 9)
        #expect(
            try await phone.state(pid) == .over(Withdrawal(phone.id(pid), .finished)))
    }

    @Test(arguments: [Manager.Call.initialization, .start])
    func `an activation that the manager forgot loses all its processes`(
        call: Manager.Call
    ) async throws {
        let other = try await harness.begin()
        await manager.next(call, .refused(.init(404, "activation_unknown")))
        let error = try await sdkError { () async throws(XignSdkError) in _ = try await started() }
        #expect(error.errorCode == .identityManagerNotPersonalized)
        for name in [pid, other] {
            #expect(
                try await phone.state(name) == .over(Withdrawal(phone.id(name), .cancelled)))
        }
    }

    // MARK: The codes

    @Test(
        arguments: [
            (404, "activation_unknown", XignSdkErrorCode.identityManagerNotPersonalized, nil),
            (426, "api_version_unsupported", .incompatible, nil),
            (400, "factors_missing", .unexpectedError, 400),
            (400, "malformed_request", .unexpectedError, 400),
            (401, "replayed_request", .unexpectedError, 401),
        ] as [(Int, String, XignSdkErrorCode, Int?)])
    func `a refusal after a wrong PIN isn't the lockout of before`(
        status: Int, name: String, code: XignSdkErrorCode, httpStatus: Int?
    ) async throws {
        let request = try await started()
        await phone.keypad.type(WorkedExample.wrongPIN)
        guard case .lockout = try await finish(request) else {
            Issue.record("An attempt lockout is a result.")
            return
        }
        await phone.keypad.type(WorkedExample.pin)
        await manager.next(.finish, .refused(.init(status, name)))
        let error = try await sdkError { () async throws(XignSdkError) in
            _ = try await finish(request)
        }
        #expect(error.errorCode == code)
        #expect(error.lockoutError == nil)
        #expect(error.httpError?.statusCode == httpStatus)
    }

    @Test func `a lockout that runs when the answer comes is thrown, with the wait`()
        async throws
    {
        let request = try await started()
        await manager.lock(WorkedExample.activation)
        let error = try await sdkError { () async throws(XignSdkError) in
            _ = try await finish(request)
        }
        #expect(error.errorCode == .pendingLockout)
        #expect(error.lockoutError?.lockoutInformation.seconds == 600)
    }

    @Test func `a wrong factor is a result, also if it was the last`() async throws {
        let request = try await started()
        let result: JSON = [
            "type": "lockout", "challenge": "chl-last",
            "lockout": ["kind": "attempt", "seconds": 0, "remaining": 0, "permanent": true],
        ]
        await manager.next(.finish, .changed { $0["result"] = result })
        guard case .lockout(let lockout, _) = try await finish(request) else {
            Issue.record("An attempt lockout is a result.")
            return
        }
        #expect(lockout.isPermanent)
        guard case .answered(.approve, .notTaken) = try await phone.state(pid) else {
            Issue.record("It is final.")
            return
        }
    }

    @Test(arguments: [
        (400, "malformed_request", XignSdkErrorCode.unexpectedError),
        (401, "invalid_device_signature", .unexpectedError),
        (401, "replayed_request", .unexpectedError), (429, "slow_down", .communication),
        (503, "busy", .communication),
    ])
    func `a status that says nothing of the process is told as it is`(
        status: Int, name: String, code: XignSdkErrorCode
    ) async throws {
        await manager.next(.start, .refused(.init(status, name)))
        let error = try await sdkError { () async throws(XignSdkError) in _ = try await started() }
        #expect(error.errorCode == code)
        #expect(error.httpError?.statusCode == status)
        #expect(try await phone.state(pid) == .open)
        guard case .userLogin = try await finish(try await started()) else {
            Issue.record("It goes on.")
            return
        }
    }

    @Test(arguments: [
        (404, "activation_unknown", XignSdkErrorCode.identityManagerNotPersonalized),
        (426, "api_version_unsupported", .incompatible), (410, "process_expired", .processOver),
    ])
    func `a no that isn't taken says why`(
        status: Int, name: String, code: XignSdkErrorCode
    ) async throws {
        await manager.next(.reject, .refused(.init(status, name)))
        let error = try await sdkError { () async throws(XignSdkError) in
            try await door.reject(message: message)
        }
        #expect(error.errorCode == code)
    }
}
