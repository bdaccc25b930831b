import Foundation
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting

/// A phone with two activations. A push changes nothing on it, so one serves all inputs.
struct EnrolledPhone: Sendable {
    let environment: PushEnvironment
    let provider: PowerAuth
    let registry: PluginRegistry
    let activations: [String]

    init() async throws {
        let simulator = PowerAuthSimulator(.init(random: SeededRandom(seed: 1)))
        var configuration = try PowerAuthConfiguration(
            sdkConfiguration: await simulator.sdkConfiguration,
            enrollmentServer: Endpoint(await simulator.origin))
        configuration.pinIterations = 1
        environment = PushEnvironment(
            transport: SimulatedTransport(to: simulator), store: InMemoryStore(),
            verifier: ScriptedVerifier.willing(), random: SeededRandom(seed: 2),
            device: Device(name: "Example", platform: .apple))
        provider = PowerAuth(configuration: configuration, in: environment)
        registry = try PluginRegistry([provider])
        var activations: [String] = []
        for user in ["alice", "bob"] {
            guard
                let offer = try provider.enroller.offer(try await simulator.invitation(for: user))
            else { throw PushError(.invalidInvitation, "Not an activation code.") }
            let enrollment = try await provider.enroller.enroll(
                offer, with: [.pin(Secret("1234".utf8))], deviceToken: nil)
            activations.append(enrollment.id.name)
        }
        self.activations = activations
    }

    /// An input with the names of the activations where it says `activation-0` and `activation-1`:
    /// no mutation finds them.
    func named(_ input: UnsafeRawBufferPointer) -> Data {
        var text = Data(input)
        for (index, name) in activations.enumerated() {
            let mark = Data("activation-\(index)".utf8)
            while let range = text.range(of: mark) { text.replaceSubrange(range, with: name.utf8) }
        }
        return text
    }
}
