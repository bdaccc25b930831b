import Foundation
import HTTPTypes
import PushCore
import PushPlatform
import PushSimulation
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

/// One app with the plugins of two vendors, the first of which hangs.
struct TwoVendors {
    let phone: Handset
    let other: Handset
    let hanging = Gate(letsCancelledPass: true)
    let flow: PushFlow
    private let updates: AsyncStream<AuthenticatorUpdate>

    init(hasServiceExtension: Bool) async throws {
        phone = try await Handset(.powerAuth, hasServiceExtension: hasServiceExtension)
        other = try await Handset(
            .forgeRock, hasServiceExtension: hasServiceExtension, beside: phone)
        let transport = SimulatedTransport { [hanging] _, _ in
            await hanging.pass()
            return (.init(status: 503), Data())
        }
        let slow = PushEnvironment(
            transport: transport, store: phone.keychain, verifier: NobodyToAsk(),
            clock: phone.fixtures.clock, device: Device(name: "A phone"))
        let quick = PushEnvironment(
            transport: other.transport, store: other.keychain, verifier: NobodyToAsk(),
            clock: other.fixtures.clock, device: Device(name: "A phone"))
        flow = PushFlow(
            PushAuthenticator(
                try PluginRegistry([
                    try phone.fixtures.provider(slow), try other.fixtures.provider(quick),
                ]), in: quick),
            on: phone.center, hasServiceExtension: hasServiceExtension)
        updates = await flow.authenticator.updates()
    }

    /// Waits until a push is on record.
    func isOnRecord() async {
        for await update in updates {
            if case .received = update { return }
        }
    }
}
