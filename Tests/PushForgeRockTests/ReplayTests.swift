import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// What a push that comes again may change: nothing.
@Suite struct ReplayTests {
    private let token = DeviceToken.apns(hex: WorkedExample.newToken, isSandbox: false)

    @Test(arguments: AMPush.Generation.allCases)
    func `a hundred copies of a genuine push write nothing`(generation: AMPush.Generation)
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled(
            EnrollmentCode().with("uid", nil).with("l", nil))
        let push = AMPush(generation)
        let notification = try await harness.notification(push)
        let known = await harness.counter.writes
        for _ in 0..<100 {
            #expect(try await harness.authenticator.receive(push.message()).map(\.isNew) == [false])
        }
        #expect(await harness.counter.writes == known)
        _ = try await notification.deny()
        let answered = await harness.counter.writes
        for _ in 0..<100 { _ = try await harness.authenticator.receive(push.message()) }
        #expect(await harness.counter.writes == answered)
    }

    @Test func `an old push that is played back writes nothing, however many came since`()
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        let old = AMPush().with("l", .string(base64("amlbcookie=66")))
        _ = try await harness.notification(old)
        for number in 1...20 {
            _ = try await harness.notification(
                AMPush().about(randomBytes()).with("i", .string("17600003\(10_000 + number)")))
        }
        let known = await harness.counter.writes
        for _ in 0..<100 { _ = try await harness.authenticator.receive(old.message()) }
        #expect(await harness.counter.writes == known)
        try await harness.authenticator.deviceTokenChanged(token)
        #expect(try await harness.lastPost().field("Cookie") == "amlbcookie=03")
    }

    @Test func `a push that was held back doesn't put an older cookie back`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        _ = try await harness.notification(AMPush().with("i", "1760000300002"))
        _ = try await harness.notification(
            AMPush().about(randomBytes()).with("i", "1760000300001")
                .with("l", .string(base64("amlbcookie=66"))))
        try await harness.authenticator.deviceTokenChanged(token)
        #expect(try await harness.lastPost().field("Cookie") == "amlbcookie=03")
    }

    @Test func `old pushes played back in turns write only so often`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let pushes = (0..<40).map { _ in AMPush(.a).about(randomBytes()) }
        for push in pushes { _ = try await harness.notification(push) }
        let known = await harness.counter.writes
        for _ in 0..<5 {
            for push in pushes { _ = try await harness.authenticator.receive(push.message()) }
        }
        #expect(await harness.counter.writes == known)
    }

    @Test func `a cookie of a push dated far ahead gives way to a newer one`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        for (time, cookie) in [("1760086700000", "66"), ("1760000300001", "04")] {
            _ = try await harness.notification(
                AMPush().about(randomBytes()).with("i", .string(time))
                    .with("l", .string(base64("amlbcookie=\(cookie)"))))
        }
        try await harness.authenticator.deviceTokenChanged(token)
        #expect(try await harness.lastPost().field("Cookie") == "amlbcookie=04")
    }

    @Test(arguments: [AMPush.Generation.a, .d])
    func `challenges from a far time keep no newer one's message ids out`(
        generation: AMPush.Generation
    ) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let far = WorkedExample.issued + 365 * 86_400
        harness.clock.set(far)
        for _ in 0..<8 {
            var push = AMPush(generation).about(randomBytes())
            if generation != .a {
                push = push.with("i", .string("\(Int(far.timeIntervalSince1970))000"))
            }
            _ = try await harness.notification(push)
        }
        harness.clock.set(WorkedExample.issued)
        await harness.server.take(only: WorkedExample.messageID)
        _ = try await harness.notification(AMPush(generation).with(messageID: "AUTHENTICATE:0"))
        let notification = try await harness.notification(AMPush(generation))
        #expect(try await notification.accept() == .delivered)
    }

    @Test func `a hundred copies under other message ids write a few times at most`()
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        _ = try await harness.notification(AMPush())
        let known = await harness.counter.writes
        for number in 0..<100 {
            let copy = AMPush().with(messageID: "AUTHENTICATE:\(number)")
            #expect(try await harness.authenticator.receive(copy.message()).map(\.isNew) == [false])
        }
        #expect(await harness.counter.writes <= known + 7)
    }

    // MARK: Enrolling

    @Test func `enrolling costs the same beside ten enrollments and beside two hundred`()
        async throws
    {
        let first = try await ForgeRockHarness.enrolled()
        var costs: [Int: Int] = [:]
        for number in 1...201 {
            let harness = try ForgeRockHarness(mechanism: UUID().uuidString, sharing: first)
            let code = EnrollmentCode().with(label: "Example:user\(number)")
            let offer = try #require(
                try harness.authenticator.offers(for: .scanned(text: code.text)).first)
            let before = await harness.counter.reads + harness.counter.listings
            _ = try await harness.provider.enroller.enroll(
                offer, with: [], deviceToken: .apns(hex: WorkedExample.token, isSandbox: false))
            costs[number] = await harness.counter.reads + harness.counter.listings - before
        }
        #expect(costs[10] == costs[1])
        #expect(costs[201] == costs[1])
        #expect(try #require(costs[201]) < 20)
    }

    @Test func `an account whose registrations are lost again and again can still be enrolled`()
        async throws
    {
        let harness = try ForgeRockHarness()
        await harness.faults.next(.dropBefore)
        try await harness.enroll(EnrollmentCode().text)
        for _ in 0..<6 {
            let again = try ForgeRockHarness(mechanism: UUID().uuidString, sharing: harness)
            await again.faults.next(.dropBefore)
            #expect(
                try await again.enroll(EnrollmentCode().text).state == .pending(.unconfirmed))
        }
        #expect(try await harness.authenticator.enrollments().count <= 4)
        let last = try ForgeRockHarness(mechanism: UUID().uuidString, sharing: harness)
        #expect(try await last.enroll(EnrollmentCode().text).state == .active)
        let late = try ForgeRockHarness(mechanism: UUID().uuidString, sharing: harness)
        let error = try await refusal { try await late.enroll(EnrollmentCode().text) }
        #expect(error.code == .alreadyEnrolled)
    }

    /// A device with four halves of an account. The oldest is the mechanism of all examples.
    private func halves() async throws -> ForgeRockHarness {
        let harness = try ForgeRockHarness()
        for number in 0..<4 {
            let next =
                try number == 0
                ? harness : ForgeRockHarness(mechanism: UUID().uuidString, sharing: harness)
            await next.faults.next(.dropBefore)
            try await next.enroll(EnrollmentCode().text)
            harness.clock.advance(by: .seconds(1))
        }
        return harness
    }

    @Test func `a half that a push confirms meanwhile isn't deleted for a fifth`() async throws {
        let harness = try await halves()
        let fifth = try ForgeRockHarness(mechanism: UUID().uuidString, sharing: harness)
        await fifth.server.whileWorking {
            _ = try? await harness.authenticator.receive(AMPush().message())
        }
        try await fifth.enroll(EnrollmentCode().text)
        #expect(try await harness.authenticator.enrollment(harness.enrollmentID)?.state == .active)
    }

    @Test func `a fifth that AM refuses costs none of the four halves`() async throws {
        let harness = try await halves()
        let four = try await harness.authenticator.enrollments()
        let fifth = try ForgeRockHarness(mechanism: UUID().uuidString, sharing: harness)
        await fifth.server.reply(400)
        let error = try await refusal { try await fifth.enroll(EnrollmentCode().text) }
        #expect(error.code == .server(status: 400))
        #expect(try await harness.authenticator.enrollments() == four)
    }

    @Test func `of two processes that enroll an account at once one has it until AM has spoken`()
        async throws
    {
        let slow = try ForgeRockHarness()
        let fast = try ForgeRockHarness(mechanism: UUID().uuidString, sharing: slow)
        let code = EnrollmentCode().with("m", "REGISTER:new").with("s", base64url(randomBytes()))
        await slow.server.whileWorking { _ = try? await fast.enroll(code.text) }
        let half = try await slow.enroll(EnrollmentCode().text)
        #expect(half.state == .pending(.unconfirmed))
        #expect(
            try await slow.authenticator.enrollments().filter { $0.state == .active }.count == 1)
        _ = try await slow.notification(AMPush())
        #expect(try await slow.authenticator.enrollment(half.id)?.state == .active)
    }

    @Test func `an account can be enrolled again once it was removed`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        try await harness.authenticator.remove(harness.enrollmentID)
        #expect(try await harness.enroll(EnrollmentCode().text).state == .active)
    }
}
