import Foundation
import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// What the core asks of every provider, over every message that this one meets.
@Suite struct ConformanceTests {
    /// The messages, for the device of a harness: a second user's device gets the foreign commands.
    private func fixtures(_ harness: OneSpanHarness) async throws -> ProviderFixtures {
        var fixtures = ProviderFixtures(genuine: [])
        for _ in 0..<2 {
            _ = try await harness.simulator.startLogin(of: OneSpanHarness.name, asking: .confirm)
            fixtures.genuine.append(try await harness.push())
        }
        _ = try await harness.simulator.startTransaction(
            of: OneSpanHarness.name, fields: [.init("Amount", "1.00 EUR")])
        fixtures.genuine.append(try await harness.push())
        fixtures.forged = try await bad(
            [.tampered(bit: 0), .tampered(bit: 700), .wrongKey, .wrongType], harness)
        fixtures.malformed = try await bad([.unknownField], harness)
        fixtures.foreign = try await bad(
            [.tooLong, .notHexadecimal, .version(2), .withoutContent], harness)
        fixtures.foreign += [
            try PushMessage(json: Data(#"{"aps":{"alert":"News"}}"#.utf8)),
            PushMessage(fcm: ["oos": "no JSON"]), PushMessage(text: "4F4F", by: .scanned),
        ]
        return fixtures
    }

    private func bad(
        _ faults: [OneSpanSimulator.BadPush], _ harness: OneSpanHarness
    ) async throws -> [PushMessage] {
        var messages: [PushMessage] = []
        for fault in faults {
            _ = try await harness.simulator.startLogin(
                of: OneSpanHarness.name, asking: .confirm, spoiledBy: fault)
            messages.append(try await harness.push())
        }
        return messages
    }

    @Test func `the conformance suite finds nothing, alone and behind an authenticator`()
        async throws
    {
        let harness = try await OneSpanHarness.activated()
        let fixtures = try await fixtures(harness)
        let conformance = ProviderConformance(
            harness.provider, in: harness.environment, fixtures: fixtures)
        let findings =
            await conformance.check() + conformance.check(behind: harness.authenticator)
        #expect(findings == [])
    }

    @Test func `no bit of a pushed command can be changed`() async throws {
        let harness = try await OneSpanHarness.activated()
        _ = try await harness.simulator.startLogin(of: OneSpanHarness.name, asking: .confirm)
        let hex = Array(try harness.command(try await harness.push()).hex.utf8)
        for position in 0..<hex.count * 4 {
            var changed = hex
            let digit = Int(String(decoding: [hex[position / 4]], as: UTF8.self), radix: 16) ?? 0
            changed[position / 4] =
                Array("0123456789ABCDEF".utf8)[digit ^ (1 << (position % 4))]
            let message = PushMessage(text: String(decoding: changed, as: UTF8.self), by: .scanned)
            let error = try await refusal {
                _ = try await harness.authenticator.receive(message)
            }
            #expect([.malformed, .untrusted, .unknownEnrollment].contains(error.code))
        }
        #expect(try await harness.authenticator.records().isEmpty)
    }

    @Test func `a command for another device isn't this device's`() async throws {
        let harness = try await OneSpanHarness.activated()
        let stranger = try OneSpanHarness(sharing: harness, isSameDevice: false)
        _ = try await harness.simulator.startLogin(of: OneSpanHarness.name, asking: .confirm)
        let push = try await harness.push()
        let error = try await refusal { _ = try await stranger.authenticator.receive(push) }
        #expect(error.code == .unknownEnrollment)
        #expect(error.oneSpan == .commandNotForThisDevice)
    }

    @Test func `commands and passwords appear in no description`() async throws {
        let harness = try await OneSpanHarness.activated()
        _ = try await harness.simulator.startLogin(of: OneSpanHarness.name, asking: .confirm)
        let command = try harness.command(try await harness.push())
        var dumped = ""
        dump(command, to: &dumped)
        dump(OrchestrationStep.send(command, FlowID("1")), to: &dumped)
        #expect(!dumped.contains(command.hex))
        #expect(!"\(command) \(OrchestrationStep.send(command, FlowID("1")))".contains(command.hex))
    }
}
