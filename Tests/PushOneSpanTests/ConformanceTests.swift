import Foundation
import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// What the core asks of every provider, over every message that this one meets.
@Suite struct ConformanceTests {
    /// The messages, for the device of a world: a second user's device gets the foreign commands.
    private func fixtures(_ world: World) async throws -> ProviderFixtures {
        var fixtures = ProviderFixtures(genuine: [])
        for _ in 0..<2 {
            _ = try await world.simulator.startLogin(of: World.name, asking: .confirm)
            fixtures.genuine.append(try await world.push())
        }
        _ = try await world.simulator.startTransaction(
            of: World.name, fields: [.init("Amount", "1.00 EUR")])
        fixtures.genuine.append(try await world.push())
        fixtures.forged = try await bad(
            [.tampered(bit: 0), .tampered(bit: 700), .wrongKey, .wrongType], world)
        fixtures.malformed = try await bad([.unknownField], world)
        fixtures.foreign = try await bad(
            [.tooLong, .notHexadecimal, .version(2), .withoutContent], world)
        fixtures.foreign += [
            try PushMessage(json: Data(#"{"aps":{"alert":"News"}}"#.utf8)),
            PushMessage(fcm: ["oos": "no JSON"]), PushMessage(text: "4F4F", by: .scanned),
        ]
        return fixtures
    }

    private func bad(
        _ faults: [OneSpanSimulator.BadPush], _ world: World
    ) async throws -> [PushMessage] {
        var messages: [PushMessage] = []
        for fault in faults {
            _ = try await world.simulator.startLogin(
                of: World.name, asking: .confirm, spoiledBy: fault)
            messages.append(try await world.push())
        }
        return messages
    }

    @Test func `the conformance suite finds nothing, alone and behind an authenticator`()
        async throws
    {
        let world = try await World.activated()
        let fixtures = try await fixtures(world)
        let conformance = ProviderConformance(world.provider, fixtures: fixtures)
        #expect(await conformance.check() == [])
        #expect(await conformance.check(behind: world.authenticator) == [])
    }

    @Test func `no bit of a pushed command can be changed`() async throws {
        let world = try await World.activated()
        _ = try await world.simulator.startLogin(of: World.name, asking: .confirm)
        let hex = Array(try world.command(try await world.push()).hex.utf8)
        for position in 0..<hex.count * 4 {
            var changed = hex
            let digit = Int(String(decoding: [hex[position / 4]], as: UTF8.self), radix: 16) ?? 0
            changed[position / 4] =
                Array("0123456789ABCDEF".utf8)[digit ^ (1 << (position % 4))]
            let message = PushMessage(text: String(decoding: changed, as: UTF8.self), by: .scanned)
            let error = try await refusal {
                _ = try await world.authenticator.receive(message)
            }
            #expect([.malformed, .untrusted, .unknownEnrollment].contains(error.code))
        }
        #expect(try await world.authenticator.records().isEmpty)
    }

    @Test func `a command for another device isn't this device's`() async throws {
        let world = try await World.activated()
        let stranger = try World(sharing: world, isSameDevice: false)
        _ = try await world.simulator.startLogin(of: World.name, asking: .confirm)
        let push = try await world.push()
        let error = try await refusal { _ = try await stranger.authenticator.receive(push) }
        #expect(error.code == .unknownEnrollment)
        #expect(error.oneSpan == .commandNotForThisDevice)
    }

    @Test func `commands and passwords appear in no description`() async throws {
        let world = try await World.activated()
        _ = try await world.simulator.startLogin(of: World.name, asking: .confirm)
        let command = try world.command(try await world.push())
        var dumped = ""
        dump(command, to: &dumped)
        dump(OrchestrationStep.send(command, FlowID("1")), to: &dumped)
        #expect(!dumped.contains(command.hex))
        #expect(!"\(command) \(OrchestrationStep.send(command, FlowID("1")))".contains(command.hex))
    }
}
