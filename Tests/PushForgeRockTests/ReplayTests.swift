import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// What a push that comes again may change: nothing.
@Suite struct ReplayTests {
    private let token = DeviceToken.apns(hex: Sheet.newToken, isSandbox: false)

    @Test(arguments: AMPush.Generation.allCases)
    func `a hundred copies of a genuine push write nothing`(generation: AMPush.Generation)
        async throws
    {
        let world = try await World.enrolled(EnrollmentCode().with("uid", nil).with("l", nil))
        let push = AMPush(generation)
        let notification = try await world.notification(push)
        let known = await world.counter.writes
        for _ in 0..<100 {
            #expect(try await world.authenticator.receive(push.message()).map(\.isNew) == [false])
        }
        #expect(await world.counter.writes == known)
        _ = try await notification.deny()
        let answered = await world.counter.writes
        for _ in 0..<100 { _ = try await world.authenticator.receive(push.message()) }
        #expect(await world.counter.writes == answered)
    }

    @Test func `an old push that is played back writes nothing, however many came since`()
        async throws
    {
        let world = try await World.enrolled()
        let old = AMPush().with("l", .string(base64("amlbcookie=66")))
        _ = try await world.notification(old)
        for number in 1...20 {
            _ = try await world.notification(
                AMPush().about(randomBytes()).with("i", .string("17600003\(10_000 + number)")))
        }
        let known = await world.counter.writes
        for _ in 0..<100 { _ = try await world.authenticator.receive(old.message()) }
        #expect(await world.counter.writes == known)
        try await world.authenticator.deviceTokenChanged(token)
        #expect(try await world.lastPost().field("Cookie") == "amlbcookie=03")
    }

    @Test func `a push that was held back doesn't put an older cookie back`() async throws {
        let world = try await World.enrolled()
        _ = try await world.notification(AMPush().with("i", "1760000300002"))
        _ = try await world.notification(
            AMPush().about(randomBytes()).with("i", "1760000300001")
                .with("l", .string(base64("amlbcookie=66"))))
        try await world.authenticator.deviceTokenChanged(token)
        #expect(try await world.lastPost().field("Cookie") == "amlbcookie=03")
    }

    @Test func `old pushes played back in turns write only so often`() async throws {
        let world = try await World.enrolled()
        let pushes = (0..<40).map { _ in AMPush(.a).about(randomBytes()) }
        for push in pushes { _ = try await world.notification(push) }
        let known = await world.counter.writes
        for _ in 0..<5 {
            for push in pushes { _ = try await world.authenticator.receive(push.message()) }
        }
        #expect(await world.counter.writes == known)
    }

    @Test func `a hundred copies under other message ids write a few times at most`()
        async throws
    {
        let world = try await World.enrolled()
        _ = try await world.notification(AMPush())
        let known = await world.counter.writes
        for number in 0..<100 {
            let copy = AMPush().with(messageID: "AUTHENTICATE:\(number)")
            #expect(try await world.authenticator.receive(copy.message()).map(\.isNew) == [false])
        }
        #expect(await world.counter.writes <= known + 7)
    }

    // MARK: Enrolling

    @Test func `enrolling costs the same beside ten enrollments and beside two hundred`()
        async throws
    {
        let first = try await World.enrolled()
        var costs: [Int: Int] = [:]
        for number in 1...201 {
            let world = try World(mechanism: UUID().uuidString, sharing: first)
            let code = EnrollmentCode().with(label: "Example:user\(number)")
            let offer = try #require(
                try world.authenticator.offers(for: .scanned(text: code.text)).first)
            let before = await world.counter.reads
            _ = try await world.provider.enroller.enroll(
                offer, with: [], deviceToken: .apns(hex: Sheet.token, isSandbox: false))
            costs[number] = await world.counter.reads - before
        }
        #expect(costs[10] == costs[1])
        #expect(costs[201] == costs[1])
        #expect(try #require(costs[201]) < 20)
    }

    @Test func `an account whose registrations are lost again and again can still be enrolled`()
        async throws
    {
        let world = try World()
        await world.faults.next(.dropBefore)
        try await world.enroll(EnrollmentCode().text)
        for _ in 0..<6 {
            let again = try World(mechanism: UUID().uuidString, sharing: world)
            await again.faults.next(.dropBefore)
            #expect(
                try await again.enroll(EnrollmentCode().text).state == .pending(.unconfirmed))
        }
        #expect(try await world.authenticator.enrollments().count <= 4)
        let last = try World(mechanism: UUID().uuidString, sharing: world)
        #expect(try await last.enroll(EnrollmentCode().text).state == .active)
        let late = try World(mechanism: UUID().uuidString, sharing: world)
        let error = try await refusal { try await late.enroll(EnrollmentCode().text) }
        #expect(error.code == .alreadyEnrolled)
    }

    @Test func `an account can be enrolled again once it was removed`() async throws {
        let world = try await World.enrolled()
        try await world.authenticator.remove(world.enrollmentID)
        #expect(try await world.enroll(EnrollmentCode().text).state == .active)
    }
}
