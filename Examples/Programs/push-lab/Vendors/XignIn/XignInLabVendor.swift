import Foundation
import LinkedVendors
import PushCore
import PushTesting
import PushXignIn
import PushXignInReference
import PushXignInSimulator

extension LabVendor {
    static let xignIn = LabVendor(
        linked: .xignIn, console: ConsoleVendor.xignIn,
        lab: { try await XignInLab(log: $0) }, replay: ReplayVendor.xignIn,
        killed: { environment in
            var configuration = XignIn.Configuration(wireFormat: OpenReferenceWireFormat())
            configuration.allowsLocalHosts = true
            // How long a PIN takes to stretch isn't what is tested.
            configuration.pinIterations = 1
            return XignIn(configuration: configuration, in: environment)
        },
        lasting: {
            var configuration = XignInSimulator.Configuration(identifier: SoakServer.manager)
            configuration.processLifetime = .seconds(86_400)
            configuration.activationLifetime = .seconds(86_400)
            // A mistyped PIN never locks: what was killed must go on.
            configuration.lockouts.attempts = nil
            let simulator = XignInSimulator(configuration)
            return LastingServer(
                simulator: simulator,
                devices: { user in
                    await simulator.devices(of: user).map { ($0.id, $0.deviceToken) }
                })
        })
}
