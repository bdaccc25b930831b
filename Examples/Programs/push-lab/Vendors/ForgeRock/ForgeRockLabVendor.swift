import Foundation
import LinkedVendors
import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushTesting

extension LabVendor {
    static let forgeRock = LabVendor(
        linked: .forgeRock, console: ConsoleVendor.forgeRock,
        lab: { try await ForgeRockLab(log: $0) }, replay: ReplayVendor.forgeRock,
        killed: { ForgeRock(configuration: .init(allowsLocalHosts: true), in: $0) },
        lasting: {
            var configuration = ForgeRockSimulator.Configuration(
                generation: .d, realm: "/alpha", issuer: "Example Bank")
            configuration.messageTimeout = .seconds(86_400)
            configuration.responseCacheDuration = .seconds(86_400)
            configuration.registrationTimeout = .seconds(86_400)
            let simulator = ForgeRockSimulator(configuration)
            return LastingServer(
                simulator: simulator,
                devices: { user in
                    await simulator.devices(of: user).map { ($0.mechanismUID, $0.deviceToken) }
                })
        })
}
