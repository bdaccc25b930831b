import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushOneSpan
@testable import PushOneSpanReference

/// Bytes that the server didn't send change nothing, and trap nowhere.
struct OOCHostileCommandTests {
    /// Consumes each command with one byte changed; none is taken, and the genuine one still is.
    private func expectRefused(
        _ name: String, in harness: VectorEngine, flips: [UInt8] = [0x01, 0x80]
    ) async throws -> OrchestrationStep {
        let genuine = try harness.vectors(name)
        let before = await harness.store.count
        for index in genuine.indices {
            for flip in flips {
                var bytes = genuine
                bytes[index] ^= flip
                let command = try OrchestrationCommand(OOC.hex(bytes))
                await #expect(throws: OrchestrationError.self, "\(name), byte \(index)") {
                    _ = try await harness.engine.consume(command)
                }
            }
        }
        #expect(await harness.store.count == before)
        return try await harness.consume(name)
    }

    @Test func `no changed byte of a reply of an activation is taken`() async throws {
        let harness = try VectorEngine()
        _ = try await harness.hello(try await harness.start())
        for name in ["S1", "S2", "06"] {
            _ = try await expectRefused(name, in: harness).sent
        }
        guard case .finished(.activated, _) = try await expectRefused("08", in: harness) else {
            Issue.record("08 doesn't end the activation."); return
        }
    }

    @Test func `no changed byte of an error of an activation is taken`() async throws {
        let harness = try VectorEngine()
        _ = try await harness.hello(try await harness.start())
        #expect(try await expectRefused("E1", in: harness).serverError?.returnCode == -1200)
        _ = try await harness.hello(try await harness.start())
        _ = try await harness.consume("S1")
        #expect(try await expectRefused("E2", in: harness).serverError?.returnCode == -1201)
    }

    @Test func `no changed byte of a request or a reply of an active device is taken`() async throws
    {
        let harness = try VectorEngine()
        try await harness.finalize()
        _ = try await harness.consume("08")
        _ = try await harness.register()
        _ = try await expectRefused("11", in: harness)
        harness.random.add(OOC.run(0x50))
        _ = try await expectRefused("30", in: harness).sent
        let flow = try #require(try await expectRefused("32", in: harness).flow)
        _ = try await harness.approve(flow)
        #expect(try await expectRefused("34", in: harness).accepted == true)
        harness.random.add(OOC.run(0x60))
        _ = try await harness.change()
        _ = try await expectRefused("41", in: harness)
        #expect(try await harness.record().change == nil)
    }

    @Test func `a changed clear error is refused, or reported and nothing else`() async throws {
        let harness = try await VectorEngine.activated()
        let before = try await harness.record().sealed.plain
        for index in try harness.vectors("clear").indices {
            for bit in 0..<8 {
                var bytes = try harness.vectors("clear")
                bytes[index] ^= 1 << UInt8(bit)
                let command = try OrchestrationCommand(OOC.hex(bytes))
                if let step = try? await harness.engine.consume(command) {
                    #expect(step.serverError?.isAuthenticated == false)
                    #expect(step.flow == nil)
                }
            }
        }
        #expect(try await harness.record().sealed.plain == before)
    }

    @Test func `a hundred thousand random commands are refused`() async throws {
        let harness = try await VectorEngine.activated()
        let flow = try await harness.display()
        let before = try await harness.record().sealed.plain
        let random = SeededRandom(seed: 0x00C1)
        let types = CommandType.allCases
        var taken = 0
        for _ in 0..<100_000 {
            let size = Int(random.next() % 260)
            var bytes = (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let shape = random.next() % 4
            if shape > 0, size >= 52 {
                let type = types[Int(random.next() % UInt64(types.count))]
                let flags = type.flags[Int(random.next() % UInt64(type.flags.count))]
                bytes.replaceSubrange(0..<4, with: CommandHeader.magic)
                bytes[4...7] = [1, type.rawValue, flags.rawValue, type.isHandshake ? 0 : 1]
                if shape > 1 { bytes.replaceSubrange(8..<24, with: OOC.deviceID) }
                if shape > 2 { bytes.replaceSubrange(24..<40, with: OOC.bytes(flow.value)) }
                let fixed =
                    52 + (flags.contains(.clearKey) ? 65 : 0)
                    + (flags.contains(.unauthenticated) ? 0 : 16)
                bytes.replaceSubrange(48..<52, with: OOC.integer(UInt32(max(0, size - fixed))))
            }
            guard let command = try? OrchestrationCommand(OOC.hex(bytes)) else { continue }
            if (try? await harness.engine.consume(command)) != nil { taken += 1 }
        }
        #expect(taken == 0)
        #expect(try await harness.record().sealed.plain == before)
        _ = try await harness.approve(flow)
    }

    @Test func `a hundred thousand random bodies are read or refused`() {
        let random = SeededRandom(seed: 0x00C2)
        let (tags, types) = (BodyTag.allCases, CommandType.allCases)
        var read = 0
        for _ in 0..<100_000 {
            let type = types[Int(random.next() % UInt64(types.count))]
            var body: [UInt8] = []
            var chosen = (0..<random.next() % 5).map { _ in
                tags[Int(random.next() % UInt64(tags.count))].rawValue
            }
            if random.next() % 4 > 0 { chosen.sort() }
            for tag in chosen {
                let size = [0, 1, 4, 8, 16, 32, 64, 65][Int(random.next() % 8)]
                body += OOC.tlv((tag, (0..<size).map { _ in UInt8(random.next() % 128) }))
            }
            if random.next() % 8 == 0 { body.append(UInt8(truncatingIfNeeded: random.next())) }
            let header = CommandHeader(
                type, principal: OOC.deviceID, flow: OOC.deviceID, counter: 1,
                bodyLength: body.count)
            body.withUnsafeBytes {
                if let parsed = try? CommandBody(parsing: $0, of: header) {
                    read += 1
                    _ = try? ReceivedError(parsed)
                    _ = try? ReceivedValidity(parsed)
                    _ = try? ReceivedDisplay(parsed)
                }
            }
        }
        #expect(read > 0 && read < 100_000)
    }
}
