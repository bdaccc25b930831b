import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// The header of `docs/vendors/onespan-ooc.md#2-a-command`: what is in it, and that every
/// field of it counts.
@Suite(.timeLimit(.minutes(10))) struct HeaderTests {
    @Test(arguments: ReplyTests.types, Part.allCases)
    func `a command with a turned bit does nothing at the server, and its true bytes do`(
        type: UInt8, part: Part
    ) async throws {
        var setup = OneSpanHarness.Setup()
        setup.tries = 3
        let handset =
            type < 0x10
            ? try await OneSpanHarness(Site(), setup: setup)
            : try await OneSpanHarness.joined(setup: setup)
        await handset.site.server.next(.turn(bit: part.rawValue), at: type)
        let isDone = await ReplyTests.run(type, at: handset)
        if !isDone {
            #expect(type == 0x23 || type == 0x33)
            let outcomes = try await handset.authenticator.resume()
            #expect(Array(outcomes.values) == [.delivered])
        }
        #expect(Set(await handset.site.server.commands(type)).count == 1)
        #expect(try await handset.state == .active)
    }

    @Test(arguments: Part.allCases)
    func `a trigger with a turned bit announces nothing`(part: Part) async throws {
        let handset = try await OneSpanHarness.joined()
        _ = try await handset.site.tenant.startLogin(
            of: Sample.user, asking: .confirm, spoiledBy: .tampered(bit: part.rawValue))
        for message in try await handset.pushes() {
            let receptions = try? await handset.authenticator.receive(message).receptions
            #expect((receptions ?? []).isEmpty)
        }
        #expect(try await handset.authenticator.records().isEmpty)
        #expect(await handset.site.server.types.isEmpty)
    }

    @Test func `counters ascend from one, and each fetch begins a flow`()
        async throws
    {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        let enrollment = try await handset.join()
        _ = try await handset.approve(site.login())
        _ = try await handset.deny(site.transaction())
        await handset.user.type(Sample.wrongPIN)
        let challenge = try await handset.open(site.pinLogin())
        _ = try? await handset.authenticator.resolve(challenge, with: .approve)
        await handset.user.type(Sample.pin)
        _ = try await handset.authenticator.resolve(challenge, with: .approve)

        let sent = await site.server.arrivals
        #expect(
            sent.map(\.type) == [
                0x01, 0x03, 0x05, 0x07, 0x10, 0x21, 0x23, 0x31, 0x33, 0x21, 0x23, 0x23,
            ])
        #expect(sent.map(\.counter) == Array(1...12))
        let flows = sent.map(\.flow)
        #expect(Set(flows[0...3]).count == 1)
        #expect(flows[5] == flows[6])
        #expect(flows[7] == flows[8])
        #expect(flows[9] == flows[10] && flows[10] == flows[11])
        #expect(Set(flows).count == 5)
        #expect(sent.map(\.epoch) == [0, 0] + [UInt8](repeating: 1, count: 10))
        #expect(sent[0].principal == sent[1].principal)
        #expect(Set(sent.dropFirst(2).map(\.principal)) == [enrollment.id.name])
        #expect(
            sent.map(\.flags) == [2, 0, 0, 2, 0, 0, 2, 0, 2, 0, 2, 2])
        for command in sent {
            let key = command.flags & 2 == 0 ? 0 : 65
            #expect(command.bytes.count == 52 + key + command.bodyCount + 16)
            #expect(Array(command.bytes.prefix(5)) == [0x4F, 0x4F, 0x43, 0x31, 1])
        }
    }

    @Test func `every sealing with a clear key has a key of its own`() async throws {
        let handset = try await OneSpanHarness.joined()
        for _ in 0..<3 { _ = try await handset.approve(handset.site.login()) }
        let keys = await handset.site.server.commands(0x23).map { $0.bytes[52..<117] }
        #expect(Set(keys).count == 3)
    }

    @Test func `commands have the sizes of the format`() async throws {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        try await handset.join()
        let request = try await site.transaction()
        _ = try await handset.approve(request)
        #expect(await site.server.commands(0x01).first?.bytes.count == 201)
        #expect(await site.server.replies(to: 0x01).first?.bytes.count == 210)
        #expect(await site.server.commands(0x03).first?.bytes.count == 208)
        #expect(
            await site.server.commands(0x33).first?.bytes.count
                == 359 - 36 + request.utf8.count)
    }

    @Test func `with biometry the proof is one key longer`() async throws {
        var setup = OneSpanHarness.Setup()
        setup.hasBiometry = true
        let site = Site()
        try await OneSpanHarness(site, setup: setup).join()
        #expect(await site.server.commands(0x03).first?.bytes.count == 241)
    }

    @Test func `a recorded command does nothing the second time`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let first = try await site.pinLogin()
        _ = try await handset.approve(first)
        let second = try await site.pinLogin()
        _ = try await handset.pushes()
        handset.pass(.seconds(301))
        for command in await site.server.arrivals { _ = try await site.server.post(command) }
        #expect(await site.status(first) == .accepted)
        #expect(await site.status(second) != .accepted)
        let third = try await site.pinLogin()
        #expect(try await handset.approve(third) == .delivered)
    }
}
