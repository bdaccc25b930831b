import Foundation
import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushOneSpan
import PushOneSpanReference
import PushOneSpanSimulator
import PushPlusAuth
import PushPlusAuthSimulator
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import PushXignIn
import PushXignInReference
import PushXignInSimulator

/// A vendor's simulator, and how its provider is made. PINs are stretched by few rounds: how many there
/// are is the app's choice, and no account has an effect on another's.
struct FleetVendor: Sendable {
    let name: String
    let make: @Sendable () async throws -> (any VendorSimulator, Provider)

    /// Another server, by its number, where an app has one account at each at the most.
    var next: (@Sendable (Int) async throws -> any VendorSimulator)?

    typealias Provider = @Sendable (PushEnvironment) throws -> any PushProvider

    static let all = [
        FleetVendor(name: "forgerock") {
            (ForgeRockSimulator(), { ForgeRock(in: $0) })
        },
        FleetVendor(name: "plusauth") {
            var configuration = PlusAuth.Configuration()
            configuration.keyAlgorithm = .es256
            return (
                PlusAuthSimulator(),
                { [configuration] in
                    PlusAuth(configuration: configuration, in: $0)
                }
            )
        },
        FleetVendor(
            name: "xignin",
            make: {
                var configuration = XignIn.Configuration(
                    wireFormat: OpenReferenceWireFormat())
                configuration.pinIterations = 10_000
                return (
                    XignInSimulator(),
                    { [configuration] in
                        XignIn(configuration: configuration, in: $0)
                    }
                )
            },
            next: { number in
                let simulator = XignInSimulator(.init(identifier: "idm-\(number)"))
                try await simulator.move(to: "https://idm-\(number).example.com")
                return simulator
            }),
        FleetVendor(name: "onespan") {
            let simulator = OneSpanSimulator()
            let keys = [simulator.serverKey]
            return (
                simulator,
                { environment in
                    let engine = OpenReferenceEngine(
                        try .init(domain: simulator.domain, serverKeys: keys, pbkdf2Iterations: 2),
                        in: environment)
                    return OneSpan(
                        engine: engine,
                        relay: HTTPCommandRelay(
                            try Endpoint("https://app.example.com/commands"), in: environment),
                        configuration: .init(identifiers: OpenNotificationIdentifiers()),
                        in: environment)
                }
            )
        },
        FleetVendor(name: "powerauth") {
            let simulator = PowerAuthSimulator()
            var configuration = try PowerAuthConfiguration(
                sdkConfiguration: await simulator.sdkConfiguration,
                enrollmentServer: Endpoint(await simulator.origin))
            configuration.pinIterations = 3
            return (
                simulator,
                { [configuration] in
                    PowerAuth(configuration: configuration, in: $0)
                }
            )
        },
    ]
}
