import Foundation
import PushCore
import PushTesting
import PushXignIn
import PushXignInSimulator
import Testing

/// The values of `XignSdkError`: the documentation's subclasses, and the details beside the codes.
@Suite struct XignSdkErrorTests {
    @Test(arguments: [429, 500, 503])
    func `a manager's HTTP trouble is communication, with the status`(status: Int) async throws {
        let simulated = try await SimulatedManagerHarness()
        let message = try await simulated.message()
        await simulated.manager.force(status: status)
        let error = try await sdkError { () async throws(XignSdkError) in
            _ = try await simulated.door.fetchPushAuthenticationInitializationData(message: message)
        }
        #expect(error.errorCode == .communication)
        #expect(error.httpError?.statusCode == status)
        #expect(error.lockoutError == nil)
        #expect(error.securityInsufficientError == nil)
        // Nothing has changed, so it works the next time.
        _ = try await simulated.userInfo(message)
    }

    @Test(arguments: [FaultPlan.Fault.refuse, .dropBefore, .dropAfter])
    func `a manager that isn't reached is communication, without a status`(
        fault: FaultPlan.Fault
    ) async throws {
        let simulated = try await SimulatedManagerHarness()
        let message = try await simulated.message()
        await simulated.faults.next(fault)
        let error = try await sdkError { () async throws(XignSdkError) in
            _ = try await simulated.door.fetchPushAuthenticationInitializationData(message: message)
        }
        #expect(error.errorCode == .communication)
        #expect(error.httpError == nil)
        _ = try await simulated.userInfo(message)
    }

    @Test(arguments: [XignInSimulator.BadAnswer.wrongKey, .unsigned, .request("req-other")])
    func `an answer that isn't provably the manager's is communication, too`(
        fault: XignInSimulator.BadAnswer
    ) async throws {
        let simulated = try await SimulatedManagerHarness()
        let message = try await simulated.message()
        await simulated.manager.spoil(by: fault)
        let error = try await sdkError { () async throws(XignSdkError) in
            _ = try await simulated.door.fetchPushAuthenticationInitializationData(message: message)
        }
        #expect(error.errorCode == .communication)
        #expect(error.httpError == nil)
    }

    @Test func `a wrong try that locks for good is a result as well`() async throws {
        let simulated = try await SimulatedManagerHarness { $0.lockouts.permanentAfter = 1 }
        let userInfo = try await simulated.userInfo(try await simulated.message())
        await simulated.keypad.type(WorkedExample.wrongPIN)
        let result = try await simulated.door.finishAuthentication(userInfo: userInfo)
        guard case .lockout(let lockout, _) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(lockout.isPermanent)
        #expect(lockout.remaining == 0)
    }

    @Test func `a verifier that brings too little is insufficient security`() async throws {
        let simulated = try await SimulatedManagerHarness()
        let userInfo = try await simulated.userInfo(try await simulated.message())
        await simulated.keypad.bringNothing()
        let error = try await sdkError { () async throws(XignSdkError) in
            _ = try await simulated.door.finishAuthentication(userInfo: userInfo)
        }
        #expect(error.errorCode == .securityInsufficient)
        #expect(error.securityInsufficientError != nil)
        #expect(error.lockoutError == nil)
        #expect(error.httpError == nil)
    }

    @Test func `a user who gives up has cancelled, and can go on`() async throws {
        let simulated = try await SimulatedManagerHarness()
        let userInfo = try await simulated.userInfo(try await simulated.message())
        await simulated.keypad.giveUp()
        let error = try await sdkError { () async throws(XignSdkError) in
            _ = try await simulated.door.finishAuthentication(userInfo: userInfo)
        }
        #expect(error.errorCode == .cancelled)
        guard case .userLogin = try await simulated.door.finishAuthentication(userInfo: userInfo)
        else {
            Issue.record("Nothing was decided.")
            return
        }
    }

    @Test func `a second activation at a manager is told by its detail`() async throws {
        let simulated = try await SimulatedManagerHarness()
        let offers = try simulated.authenticator.offers(
            for: await simulated.manager.invitation(for: "alice"))
        let offer = try #require(offers.first)
        let refused = try await refusal { _ = try await simulated.authenticator.enroll(offer) }
        let error = XignSdkError(refused)
        #expect(error.errorCode == .unexpectedError)
        #expect(error.detail == .alreadyPersonalized)
    }

    @Test func `what lies beneath a core's error decides nothing`() throws {
        let beneath = XignSdkError(PushError(.verificationFailed, "Why."))
        let cause = try #require(beneath.securityInsufficientError)
        let error = XignSdkError(PushError(.unreachable, "Why.", underlying: cause))
        #expect(error.errorCode == .communication)
        #expect(error.securityInsufficientError == nil)
    }

    @Test(arguments: [
        (PushError.Code.over, XignSdkErrorCode.processOver), (.unsupported, .incompatible),
        (.decidedOtherwise(.approve), .processOver), (.storage, .unexpectedError),
        (.pinMismatch, .communication), (.untrustedServer, .communication),
        (.oversizedReply, .communication), (.server(status: 400), .unexpectedError),
    ])
    func `the core's errors have the vendor's codes`(
        code: PushError.Code, expected: XignSdkErrorCode
    ) {
        let error = XignSdkError(PushError(code, "Why."))
        #expect(error.errorCode == expected)
        #expect(error.message == "Why.")
        #expect(error.httpError?.statusCode == (code == .server(status: 400) ? 400 : nil))
    }
}
