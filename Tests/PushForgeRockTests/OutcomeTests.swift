import Foundation
import HTTPTypes
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// What AM's reply to an answer means: `docs/vendors/forgerock.md#what-each-reply-means`.
@Suite struct OutcomeTests {
    private func answer(_ notification: PushNotification) async throws -> Outcome {
        switch notification.pushType {
        case .challenge: try await notification.accept(challengeResponse: "42")
        case .biometric:
            try await notification.accept(title: "Unlock", allowDeviceCredentials: true)
        default: try await notification.accept()
        }
    }

    @Test(arguments: [AMPush(), .challenge(), .biometric])
    func `success means that AM took the answer`(push: AMPush) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(push)
        await harness.server.reply(200)
        #expect(try await answer(notification) == .delivered)
        #expect(try await !notification.isPending)
        #expect(try await notification.isApproved)
        #expect(try await !notification.isDenied)
    }

    @Test(arguments: [AMPush(), .biometric, AMPush(.a), AMPush(.module)])
    func `400 says no to an answer for good, without a number`(push: AMPush) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(push)
        await harness.server.reply(400)
        guard case .notTaken(let refusal) = try await answer(notification) else {
            Issue.record("400 is no success.")
            return
        }
        #expect(!refusal.mayRetry)
        #expect(refusal.status == 400)
        #expect(try await !notification.isPending)
        #expect(try await !notification.isApproved)
        #expect(try await !notification.isDenied)
    }

    @Test func `400 to a number is a wrong number or the end, and another may be tried`()
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge())
        await harness.server.reply(400, 400)
        for number in ["17", "86"] {
            let outcome = try await notification.accept(challengeResponse: number)
            guard case .notTaken(let refusal) = outcome else {
                Issue.record("400 is no success.")
                return
            }
            #expect(refusal.reason == .wrongChoiceOrOver)
            #expect(refusal.mayRetry)
            #expect(refusal.status == 400)
            #expect(try await notification.isPending)
            #expect(try await !notification.isApproved)
        }
        #expect(try await notification.accept(challengeResponse: "42") == .delivered)
        let numbers = try await harness.posts().map { $0.claims["challengeResponse"] }
        #expect(numbers == ["17", "86", "42"])
    }

    @Test func `after a wrong number the user may also say no`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge())
        await harness.server.reply(400)
        _ = try await notification.accept(challengeResponse: "17")
        #expect(try await notification.deny() == .delivered)
        #expect(try await notification.isDenied)
    }

    @Test(arguments: [AMPush(), .challenge()])
    func `404 says that the service isn't there`(push: AMPush) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(push)
        await harness.server.reply(404)
        guard case .notTaken(let refusal) = try await answer(notification) else {
            Issue.record("404 is no success.")
            return
        }
        #expect(refusal.reason == .unavailable)
        #expect(refusal.status == 404)
    }

    @Test(arguments: [301, 302, 307, 401, 403, 409, 413])
    func `any other status is no success, and is told`(status: Int) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(AMPush())
        await harness.server.reply(status)
        let told: Int?
        do throws(PushError) {
            guard case .notTaken(let refusal) = try await notification.accept() else {
                Issue.record("\(status) is no success.")
                return
            }
            told = refusal.status
        } catch {
            if case .server(let status) = error.code { told = status } else { told = nil }
        }
        #expect(told == status)
        #expect(try await harness.posts().count == 1)
    }

    @Test(arguments: [302, 401, 403, 408])
    func `a status that isn't AM's word on the answer opens nothing for another one`(
        status: Int
    ) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(AMPush())
        await harness.server.reply(status)
        _ = try? await notification.accept()
        // AM may have taken the yes behind its gateway; the last answer wins there.
        await #expect(throws: PushError.self) { _ = try await notification.deny() }
        #expect(try await harness.posts().allSatisfy { $0.claims["deny"] == nil })
        #expect(try await notification.isApproved)
    }

    @Test(arguments: [500, 502, 503])
    func `a server's trouble leaves the outcome unknown, and the same bytes are sent again`(
        status: Int
    ) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge())
        await harness.server.reply(status, status)
        guard case .unknown = try await answer(notification) else {
            Issue.record("Nobody knows what \(status) means.")
            return
        }
        let again = try await harness.authenticator.resume()
        guard case .unknown = try #require(again[notification.id]) else {
            Issue.record("Nobody knows what \(status) means.")
            return
        }
        #expect(try await harness.authenticator.resume() == [notification.id: .delivered])
        let bodies = try await harness.posts().map(\.body)
        #expect(bodies.count == 3)
        #expect(Set(bodies) == [try Vectors().data("number_body")])
        #expect(try await harness.authenticator.resume().isEmpty)
    }

    @Test(arguments: [FaultPlan.Fault.refuse, .dropBefore, .dropAfter])
    func `a broken connection leaves the outcome unknown, and the same bytes are sent again`(
        fault: FaultPlan.Fault
    ) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(AMPush())
        await harness.faults.next(fault)
        guard case .unknown = try await notification.accept() else {
            Issue.record("A lost reply is no word of AM.")
            return
        }
        // Another process goes on, such as after a crash.
        let later = try ForgeRockHarness(sharing: harness)
        #expect(try await later.authenticator.resume() == [notification.id: .delivered])
        #expect(try await later.lastPost().body == Vectors().data("accept_body"))
        #expect(try await later.lastPost().field("Cookie") == "amlbcookie=03")
    }

    @Test(arguments: [AMPush(), .challenge(), .biometric])
    func `400 to a repeated answer says nothing: AM may have taken the first`(push: AMPush)
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(push)
        await harness.faults.next(.dropAfter)
        _ = try await answer(notification)
        await harness.server.reply(400)
        guard case .unknown = try await harness.authenticator.resume()[notification.id] else {
            Issue.record("AM takes some answers once, and then says 400.")
            return
        }
        let error = try await refusal { _ = try await notification.deny() }
        guard case .decidedOtherwise = error.code else {
            Issue.record("The yes may have been taken, so a no can't be.")
            return
        }
    }

    @Test(arguments: [302, 401, 403, 404])
    func `a repeated answer that AM didn't get leaves the first as unknown as it was`(
        status: Int
    ) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(AMPush())
        await harness.faults.next(.dropAfter)
        _ = try await notification.accept()
        await harness.server.reply(status, status)
        guard case .unknown = try await harness.authenticator.resume()[notification.id] else {
            Issue.record("AM has taken the first answer.")
            return
        }
        // Were this no sent, AM would take it as well: the last answer wins there.
        await #expect(throws: PushError.self) { _ = try await notification.deny() }
        #expect(try await harness.posts().allSatisfy { $0.claims["deny"] == nil })
        #expect(try await harness.authenticator.resume() == [notification.id: .delivered])
        #expect(try await notification.isApproved)
    }

    @Test func `while the outcome is unknown another decision is refused`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge())
        await harness.server.replyAlways(503)
        _ = try await notification.accept(challengeResponse: "17")
        let error = try await refusal {
            _ = try await notification.accept(challengeResponse: "42")
        }
        #expect(error.code == .decidedOtherwise(.choose("17")))
        #expect(Set(try await harness.posts().map { $0.claims["challengeResponse"] }) == ["17"])
    }

    @Test func `a decision that can't be recorded isn't sent`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(AMPush())
        await harness.store.refuseWrites { _ in PushError(.storage, "Full.") }
        let error = try await refusal { _ = try await notification.accept() }
        #expect(error.code == .storage)
        #expect(try await harness.posts().isEmpty)
        await harness.store.refuseWrites(nil)
        #expect(try await notification.accept() == .delivered)
    }

    // MARK: Lateness: AM decides, unless the app wants otherwise

    private let late = "Thu, 09 Oct 2025 10:00:20 GMT"

    @Test func `a late answer is sent, and AM decides`() async throws {
        let harness = try await ForgeRockHarness.enrolled(at: late, configuration: .init())
        #expect(try await harness.notification(AMPush()).accept() == .delivered)
    }

    @Test func `where the app wants so, a late answer is refused`() async throws {
        let harness = try await ForgeRockHarness.enrolled(at: late)
        let receptions = try await harness.authenticator.receive(AMPush().message())
        let id = try #require(receptions.first?.challenge)
        let notification = try await harness.handler.notification(id)
        let error = try await refusal { _ = try await notification.accept() }
        #expect(error.code == .over)
        #expect(try await harness.posts().isEmpty)
    }

    @Test func `where the app wants so, an answer in time is sent`() async throws {
        let harness = try await ForgeRockHarness.enrolled(at: "Thu, 09 Oct 2025 08:58:21 GMT")
        harness.clock.set(WorkedExample.expiry + 86_400)  // The device's own clock doesn't count.
        #expect(try await harness.notification(AMPush()).accept() == .delivered)
    }

    @Test func `a single reply that tells another time makes no answer late`() async throws {
        let harness = try ForgeRockHarness(configuration: .init(refusesLateAnswers: true))
        await harness.server.tell(date: late)
        try await harness.enroll(EnrollmentCode().text)
        #expect(try await harness.notification(AMPush()).accept() == .delivered)
    }
}
