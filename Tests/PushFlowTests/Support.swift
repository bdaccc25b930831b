import Foundation
import HTTPTypes
import PushCore
import PushPlatform
import PushTesting

extension JSON.Object {
    /// The push without a member of its `aps`.
    func removing(_ name: String) -> JSON.Object {
        var copy = self
        var aps = self["aps"]?.object ?? [:]
        aps[name] = nil
        copy["aps"] = .object(aps)
        return copy
    }
}

extension PushFlow.Presentation {
    /// Waits until a push that isn't shown has been read; throws if it's something else.
    func read() async throws {
        guard case .read(let reading) = self else { throw PushError(.notFound, "\(self)") }
        await reading.value
    }
}

extension PushAuthenticator {
    /// Whether a plugin knows the form.
    nonisolated func isKnown(_ payload: JSON.Object) throws -> Bool {
        knows(try PushMessage(userInfo: payload.foundation))
    }
}

/// One authenticator with the plugins of two phones, one of whose vendors hangs.
enum TwoVendors {
    static func authenticator(
        _ hanging: Handset, _ other: Handset, _ gate: Gate
    ) async throws -> PushAuthenticator {
        let transport = SimulatedTransport { _, _ in
            await gate.pass()
            return (.init(status: 503), Data())
        }
        let slow = PushEnvironment(
            transport: transport, store: hanging.keychain, verifier: NobodyToAsk(),
            clock: hanging.fixtures.clock, device: Device(name: "A phone"))
        let quick = PushEnvironment(
            transport: other.transport, store: other.keychain, verifier: NobodyToAsk(),
            clock: other.fixtures.clock, device: Device(name: "A phone"))
        return PushAuthenticator(
            try PluginRegistry([
                try hanging.fixtures.provider(slow), try other.fixtures.provider(quick),
            ]), in: quick)
    }
}
