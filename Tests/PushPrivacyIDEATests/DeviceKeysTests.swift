import PushCore
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// The key that is kept read between two signatures.
@Suite struct DeviceKeysTests {
    @Test func `each credential is signed for by its own key, whichever was read last`()
        async throws
    {
        let keys = DeviceKeys()
        let stored = try await [
            DeviceKey.generate(.bits2048).stored, DeviceKey.generate(.bits2048).stored,
        ]
        let alone = try stored.map { try DeviceKey(stored: $0).signature(over: "text") }
        #expect(alone[0] != alone[1])
        for turn in [0, 0, 1, 0, 1, 1] {
            let key = try await keys.key(stored: stored[turn])
            #expect(try key.signature(over: "text") == alone[turn])
        }
    }

    @Test func `a damaged key is refused, and leaves none`() async throws {
        let keys = DeviceKeys()
        _ = try await keys.key(stored: DeviceKey.generate(.bits2048).stored)
        let error = try await refusal {
            _ = try await keys.key(stored: Secret([UInt8](repeating: 7, count: 32)))
        }
        #expect(error.code == .malformed)
        #expect(await keys.isEmpty)
    }

    @Test func `what signed is forgotten with its enrollment`() async throws {
        let (harness, id) = try await SimulatedHarness.enrolled()
        let provider = harness.provider
        _ = try await provider.resolver.pending(
            of: harness.accounts.existing(id), after: nil)
        #expect(await !provider.deviceKeys.isEmpty)
        try await harness.authenticator.remove(id)
        #expect(await provider.deviceKeys.isEmpty)
    }
}
