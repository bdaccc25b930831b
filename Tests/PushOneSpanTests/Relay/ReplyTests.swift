import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// Replies that aren't what they should be:
/// `docs/vendors/onespan-ooc.md#8-what-every-command-goes-through`.
@Suite(.timeLimit(.minutes(10))) struct ReplyTests {
    /// Does what has a command of a type in it, and says whether it went well.
    static func run(_ type: UInt8, at handset: OneSpanHarness) async -> Bool {
        do {
            switch type {
            case 0x01...0x07: return try await handset.join().state == .active
            case 0x10:
                return try await handset.authenticator.deviceTokenChanged(.fcm("new"))
                    .isEmpty
            case 0x21, 0x23:
                let request = try await handset.site.pinLogin()
                return try await handset.approve(request) == .delivered
            default:
                let request = try await handset.site.transaction()
                return try await handset.approve(request) == .delivered
            }
        } catch {
            return false
        }
    }

    static func handset(for type: UInt8, tries: Int = 1) async throws -> OneSpanHarness {
        var setup = OneSpanHarness.Setup()
        setup.tries = tries
        return type < 0x10
            ? try await OneSpanHarness(Site(), setup: setup)
            : try await OneSpanHarness.joined(setup: setup)
    }

    static let types: [UInt8] = [0x01, 0x03, 0x05, 0x07, 0x10, 0x21, 0x23, 0x31, 0x33]

    /// The device still works: nothing about it has changed.
    private func expectWorking(_ handset: OneSpanHarness) async throws {
        await handset.user.type(Sample.pin)
        #expect(try await handset.state == .active)
        _ = try await handset.pushes()
        let request = try await handset.site.pinLogin()
        #expect(try await handset.approve(request) == .delivered)
        #expect(await handset.site.status(request) == .accepted)
    }

    @Test(arguments: types, Part.allCases)
    func `a reply with a turned bit isn't taken, and the same bytes are sent again`(
        type: UInt8, part: Part
    ) async throws {
        let handset = try await Self.handset(for: type)
        await handset.site.server.next(.turnReply(bit: part.rawValue), at: type)
        #expect(await Self.run(type, at: handset) == false)
        let sent = try #require(await handset.site.server.commands(type).first)
        if type == 0x23 || type == 0x33 {
            let outcomes = try await handset.authenticator.resume()
            #expect(Array(outcomes.values) == [.delivered])
            #expect(Set(await handset.site.server.commands(type)) == [sent])
            try await expectWorking(handset)
        } else if type == 0x07 {
            try await handset.restarted().start()
            #expect(Set(await handset.site.server.commands(type)) == [sent])
            #expect(try await handset.state == .active)
        } else if type < 0x10 {
            #expect(await handset.store.credentials == 0)
            #expect(await Self.run(type, at: handset))
        } else {
            #expect(try await handset.state == .active)
        }
    }

    @Test(arguments: types)
    func `a reply to an earlier command isn't taken for this one's`(type: UInt8)
        async throws
    {
        let handset = try await Self.handset(for: type)
        let site = handset.site
        // A whole round before, so that there is an earlier reply of the very same type.
        if type > 0x07 { #expect(await Self.run(type, at: handset)) }
        let earlier =
            await site.server.replies(to: type).first
            ?? Command([UInt8](repeating: 0, count: 80))
        await site.server.next(.reply(earlier), at: type)
        if type == 0x10 {
            _ = try await handset.authenticator.deviceTokenChanged(.fcm("newer"))
            #expect(
                try await handset.authenticator.deviceTokenStates().values.allSatisfy {
                    $0 == .waiting
                })
            return
        }
        #expect(await Self.run(type, at: handset) == false)
    }

    @Test func `a result of another session isn't taken for this one's`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let first = try await site.pinLogin()
        #expect(try await handset.approve(first) == .delivered)
        let accepted = try #require(await site.server.replies(to: 0x23).first)
        let second = try await site.pinLogin()
        let challenge = try await handset.open(second)
        await site.server.next(.reply(accepted), at: 0x23)
        _ = try? await handset.authenticator.resolve(challenge, with: .approve)
        #expect(try await handset.record(second) != .answered(.approve, .delivered))
    }

    @Test(arguments: [UInt8(0x21), 0x23])
    func `a reply that names another request isn't taken, although it is sealed`(
        type: UInt8
    ) async throws {
        let handset = try await OneSpanHarness.joined()
        let request = try await handset.site.pinLogin()
        if type == 0x21 {
            await handset.site.tenant.next(reply: OneSpanSimulator.ReplyFault.otherRequest)
            await #expect(throws: PushError.self) { _ = try await handset.open(request) }
            #expect(await handset.user.answerRequests.isEmpty)
        } else {
            let challenge = try await handset.open(request)
            await handset.site.tenant.next(reply: OneSpanSimulator.ReplyFault.otherRequest)
            let outcome = try? await handset.authenticator.resolve(challenge, with: .approve)
            #expect(outcome != .delivered)
        }
    }

    @Test(arguments: types, [Int32(-1300), -1101, -1302, -1400, -1000])
    func `an error that nobody has proved changes no state`(
        type: UInt8, code: Int32
    ) async throws {
        let handset = try await Self.handset(for: type)
        await handset.site.tenant.next(reply: OneSpanSimulator.ReplyFault.clearError(code))
        // The fault meets the first command of a round, so that must be the one meant.
        let first: UInt8 =
            type < 0x10 ? 0x01 : (type == 0x23 ? 0x21 : type == 0x33 ? 0x31 : type)
        #expect(await Self.run(type, at: handset) == false)
        #expect(await handset.site.server.types.first == first)
        if type < 0x10 {
            #expect(await Self.run(type, at: handset))
        } else {
            #expect(try await handset.state == .active)
            let request = try await handset.site.login()
            _ = try await handset.pushes()
            #expect(await handset.site.status(request) == .pending)
        }
    }

    @Test(arguments: [Int32(-1300), -1101, -1302, -1600])
    func `an unproved error in place of a result leaves the decision on its way`(
        code: Int32
    ) async throws {
        let handset = try await OneSpanHarness.joined()
        let request = try await handset.site.pinLogin()
        let challenge = try await handset.open(request)
        await handset.site.tenant.next(reply: OneSpanSimulator.ReplyFault.clearError(code))
        let outcome = try await handset.authenticator.resolve(challenge, with: .approve)
        guard case .unknown = outcome else {
            Issue.record("Nobody has said anything: \(outcome)")
            return
        }
        #expect(try await handset.authenticator.resume()[challenge.id] == .delivered)
        #expect(Set(await handset.site.server.commands(0x23)).count == 1)
        #expect(await handset.user.answerRequests.count == 1)
        try await expectWorking(handset)
    }

    @Test(arguments: [UInt8(0x03), 0x05, 0x07])
    func `an unproved error late in an activation doesn't end it`(type: UInt8) async throws {
        let site = Site()
        var setup = OneSpanHarness.Setup()
        setup.tries = 3
        let handset = try await OneSpanHarness(site, setup: setup)
        await site.server.next(
            .first {
                await site.tenant.next(reply: OneSpanSimulator.ReplyFault.clearError(-1300))
            },
            at: type)
        try await handset.join()
        #expect(try await handset.state == .active)
        #expect(Set(await site.server.commands(type)).count == 1)
    }

    @Test func `fields around a command are nobody's word`() async throws {
        let handset = try await OneSpanHarness.joined()
        let request = try await handset.site.login()
        try await handset.receive()
        let lie = #"{"errorCategory":"authenticator","errorCode":-1300,"message":"gone"}"#
        await handset.site.server.next(.invent(status: 409, lie), at: 0x21)
        let error = try await refusal {
            _ = try await handset.authenticator.challenge(handset.id(request))
        }
        #expect(error.code != .blocked)
        #expect(try await handset.state == .active)
        #expect(!"\(error)".contains("gone"))
        let challenge = try await handset.authenticator.challenge(handset.id(request))
        #expect(
            try await handset.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `a removed device learns it from a proved error, and asks no more`()
        async throws
    {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.login()
        let other = try await site.login()
        let pushes = try await handset.pushes()
        _ = try await handset.authenticator.receive(pushes[0])
        await site.tenant.removeDevices(of: Sample.user)
        let error = try await refusal {
            _ = try await handset.authenticator.challenge(handset.id(request))
        }
        #expect(error.oneSpan == .authenticator(-1300))
        let state = try await handset.state
        #expect(state != .active)
        switch state {
        case .blocked, .needsReenrollment: break
        default: Issue.record("The app must see it: \(String(describing: state))")
        }
        await site.server.forget()
        await #expect(throws: PushError.self) {
            _ = try await handset.authenticator.receive(pushes[1])
            _ = try await handset.authenticator.challenge(handset.id(other))
        }
        _ = try await handset.authenticator.deviceTokenChanged(.fcm("later"))
        #expect(await site.server.types.isEmpty)
        #expect(await handset.store.credentials == 1)

        try await handset.authenticator.remove(handset.enrollment().id)
        #expect(await handset.store.credentials == 0)
        try await handset.join()
        #expect(try await handset.state == .active)
    }

    @Test func `deleting a user here tells the server nothing`() async throws {
        let handset = try await OneSpanHarness.joined()
        let request = try await handset.site.login()
        try await handset.receive()
        try await handset.authenticator.remove(handset.enrollment().id)
        #expect(await handset.site.server.types.isEmpty)
        #expect(await handset.site.tenant.devices(of: Sample.user).count == 1)
        #expect(await handset.store.credentials == 0)
        #expect(try await handset.authenticator.records().isEmpty)
        #expect(await handset.site.status(request) == .pending)
    }

    @Test func `a trigger for a device that was deleted here is dropped`() async throws {
        let handset = try await OneSpanHarness.joined()
        try await handset.authenticator.remove(handset.enrollment().id)
        _ = try await handset.site.login()
        for message in try await handset.pushes() {
            let error = try await refusal {
                _ = try await handset.authenticator.receive(message)
            }
            #expect(error.oneSpan == .commandNotForThisDevice)
        }
        #expect(await handset.site.server.types.isEmpty)
    }
}
