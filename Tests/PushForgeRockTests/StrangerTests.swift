import Foundation
import HTTPTypes
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// A status counts only in the form that AM gives it: whoever stands before AM can say any other.
@Suite struct StrangerTests {
    /// What came of an answer: the status that was told, if one was.
    private func status(
        of answer: () async throws -> Outcome, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Int? {
        do {
            let outcome = try await answer()
            guard case .unknown = outcome else {
                Issue.record("\(outcome) is nobody's word.", sourceLocation: sourceLocation)
                return nil
            }
            return nil
        } catch let error as PushError {
            guard case .server(let status) = error.code else { throw error }
            return status
        }
    }

    @Test(arguments: Strangers.statuses, Strangers.Form.allCases)
    func `a stranger's reply to an answer leaves the decision, and it is sent again`(
        status: Int, form: Strangers.Form
    ) async throws {
        for push in [AMPush(), .challenge()] {
            let harness = try await ForgeRockHarness.enrolled()
            let notification = try await harness.notification(push)
            await harness.server.reply(form.reply(status))
            let told = try await self.status { try await notification.deny() }
            #expect(told == (Strangers.isPassing(status) ? nil : status))
            #expect(try await harness.records().map(\.state) == [.decided(.deny(.unexpected))])
            #expect(try await harness.authenticator.resume() == [notification.id: .delivered])
            #expect(Set(try await harness.posts().map(\.body)).count == 1)
            #expect(try await harness.posts().count == 2)
            #expect(try await notification.isDenied)
        }
    }

    @Test(arguments: Strangers.statuses, Strangers.Form.allCases)
    func `after a stranger's reply a fraud can't be turned into a yes`(
        status: Int, form: Strangers.Form
    ) async throws {
        for push in [AMPush(), .challenge(), .biometric] {
            let harness = try await ForgeRockHarness.enrolled()
            let notification = try await harness.notification(push)
            await harness.server.reply(form.reply(status))
            _ = try? await harness.authenticator.deny(notification.id, .fraud)
            let challenge = try await harness.authenticator.challenge(notification.id)
            let yes: Resolution =
                challenge.prompt == .approve ? .approve : .choose("42")
            let error = try await refusal {
                _ = try await harness.authenticator.resolve(challenge, with: yes)
            }
            #expect(error.code == .decidedOtherwise(.deny(.fraud)))
            #expect(try await harness.posts().allSatisfy { $0.claims["deny"] == true })
        }
    }

    @Test(arguments: [400, 404])
    func `the same status in AM's own form is AM's word`(status: Int) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge())
        await harness.server.reply(status)
        let outcome = try await notification.accept(challengeResponse: "17")
        #expect(
            outcome
                == .notTaken(
                    .init(
                        status == 400 ? .wrongChoiceOrOver : .unavailable, mayRetry: true,
                        status: status)))
        #expect(try await harness.records().map(\.state) == [.open])
    }

    @Test func `members that AM may add to its form do no harm`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge())
        await harness.server.reply(
            .init(
                status: 400,
                body: #"{"detail":{},"message":"Bad request.","reason":"Bad Request","code":400}"#))
        guard case .notTaken = try await notification.accept(challengeResponse: "17") else {
            Issue.record("It is AM's word.")
            return
        }
    }

    @Test(arguments: ["", "{}", #"{"code":400}"#])
    func `success is 200 with an object or with nothing`(body: String) async throws {
        let harness = try ForgeRockHarness()
        await harness.server.reply(.init(status: 200, body: body))
        #expect(try await harness.enroll(EnrollmentCode().text).state == .active)
        await harness.server.reply(.init(status: 200, body: body))
        #expect(try await harness.notification(AMPush()).accept() == .delivered)
    }

    /// Successes of firewalls and maintenance pages.
    private static let successes = [
        ScriptedReply(status: 200, body: "<html>"), .init(status: 200, body: "[]"),
        .init(status: 200, body: "{"),
        .init(status: 200, body: "{}", type: "text/html"), .init(status: 201, body: "{}"),
        .init(status: 202, body: ""),
        .init(status: 204, body: ""), .init(status: 206, body: "{}"),
    ]

    @Test(arguments: successes)
    func `a stranger's success is no reply: the answer goes out again`(
        reply: ScriptedReply
    ) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(AMPush())
        await harness.server.reply(reply)
        guard case .unknown = try await notification.deny() else {
            Issue.record("It is taken for AM's word.")
            return
        }
        #expect(try await harness.records().map(\.state) == [.decided(.deny(.unexpected))])
        #expect(try await harness.authenticator.resume() == [notification.id: .delivered])
        #expect(Set(try await harness.posts().map(\.body)).count == 1)
    }

    @Test(arguments: successes)
    func `a stranger's success to a registration leaves it pending, and the first push tells`(
        reply: ScriptedReply
    ) async throws {
        let harness = try ForgeRockHarness()
        await harness.server.reply(reply)
        #expect(try await harness.enroll(EnrollmentCode().text).state == .pending(.unconfirmed))
        _ = try await harness.notification(AMPush())
        #expect(try await harness.authenticator.enrollments().map(\.state) == [.active])
    }

    // MARK: Registration

    /// What a gateway says of a request that it, or AM, broke off: AM may have taken it.
    private static let cutOff = Strangers.statuses.filter { $0 == 408 || $0 >= 499 }

    @Test(arguments: cutOff, Strangers.Form.allCases)
    func `a registration that was cut off may have been taken, and the first push tells`(
        status: Int, form: Strangers.Form
    ) async throws {
        let harness = try ForgeRockHarness()
        await harness.server.reply(form.reply(status))
        #expect(try await harness.enroll(EnrollmentCode().text).state == .pending(.unconfirmed))
        _ = try await harness.notification(AMPush())
        #expect(try await harness.authenticator.enrollments().map(\.state) == [.active])
    }

    @Test(
        arguments: Strangers.statuses.filter { !cutOff.contains($0) }, Strangers.Form.allCases)
    func `a stranger's reply to a registration is an error, and the code can be used again`(
        status: Int, form: Strangers.Form
    ) async throws {
        let harness = try ForgeRockHarness()
        await harness.server.reply(form.reply(status))
        let error = try await refusal { try await harness.enroll(EnrollmentCode().text) }
        #expect(error.code == .server(status: status))
        #expect(!error.reason.contains("AM refused"))
        #expect(try await harness.authenticator.enrollments().isEmpty)
        #expect(try await harness.enroll(EnrollmentCode().text).state == .active)
    }

    // MARK: The device token

    /// A portal's success, and whatever else a stranger says.
    private static let tokenReplies =
        [200, 201].flatMap { status in
            [Strangers.Form.html, .empty, .cut].map { $0.reply(status) }
        }
        + Strangers.statuses.flatMap { status in
            Strangers.Form.allCases.map { $0.reply(status) }
        }

    @Test(arguments: tokenReplies)
    func `a stranger's reply to a device token doesn't count as AM's, and it is told again`(
        reply: ScriptedReply
    ) async throws {
        let token = DeviceToken.apns(hex: WorkedExample.newToken, isSandbox: false)
        let harness = try await ForgeRockHarness.enrolled()
        await harness.server.reply(reply)
        let failures = try await harness.authenticator.deviceTokenChanged(token)
        let isSuccess = 200..<300 ~= reply.status
        #expect(
            failures[harness.enrollmentID]?.code
                == (isSuccess ? .interrupted : .server(status: reply.status)))
        try await harness.authenticator.resume()
        #expect(try await harness.posts().count == 2)
        #expect(
            try await harness.authenticator.enrollment(harness.enrollmentID)?.deviceToken == token)
    }
}
