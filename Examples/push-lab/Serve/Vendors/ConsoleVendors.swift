import Foundation
import PushCore
import PushForgeRockSimulator
import PushOneSpanSimulator
import PushPlusAuthSimulator
import PushPowerAuthSimulator
import PushTesting
import PushXignInSimulator

/// The simulators behind the console.
enum ConsoleVendors {
    static func all() -> [ConsoleVendor] {
        [forgeRock(), plusAuth(), xignIn(), oneSpan(), powerAuth()]
    }

    private static func forgeRock() -> ConsoleVendor {
        let clock = OffsetClock()
        var configuration = ForgeRockSimulator.Configuration(
            realm: "/alpha", issuer: "Example Bank", clock: clock)
        configuration.messageTimeout = .seconds(120)
        let simulator = ForgeRockSimulator(configuration)
        return ConsoleVendor(
            name: "forgerock", simulator: simulator, clock: clock,
            kinds: [.confirm, .number, .biometry], lifetime: configuration.messageTimeout,
            configuration: { _ in "[providers.forgerock]\nenabled = true\n" },
            devices: { user in
                await simulator.devices(of: user)
                    .map { "\($0.name ?? "a device"), \(shortened($0.deviceToken))" }
            },
            cancel: nil)
    }

    private static func plusAuth() -> ConsoleVendor {
        let clock = OffsetClock()
        let configuration = PlusAuthSimulator.Configuration(
            application: "Example Bank", clock: clock)
        let simulator = PlusAuthSimulator(configuration)
        return ConsoleVendor(
            name: "plusauth", simulator: simulator, clock: clock, kinds: [.confirm, .number],
            lifetime: configuration.challengeLifetime,
            configuration: { _ in "[providers.plusauth]\nlocal-hosts = true\n" },
            devices: { user in
                await simulator.devices(of: user)
                    .map { "\($0.model.model ?? "a device"), \(shortened($0.deviceToken))" }
            },
            cancel: nil)
    }

    private static func xignIn() -> ConsoleVendor {
        let clock = OffsetClock()
        let configuration = XignInSimulator.Configuration(identifier: "idm-example", clock: clock)
        let simulator = XignInSimulator(configuration)
        return ConsoleVendor(
            name: "xignin", simulator: simulator, clock: clock, kinds: [.confirm],
            lifetime: configuration.processLifetime,
            configuration: { _ in "[providers.xignin]\nenabled = true\n" },
            devices: { user in
                await simulator.devices(of: user)
                    .map { "\($0.alias ?? "a device"), \(shortened($0.deviceToken))" }
            },
            cancel: { try await simulator.cancel($0) })
    }

    private static func oneSpan() -> ConsoleVendor {
        let clock = OffsetClock()
        let configuration = OneSpanSimulator.Configuration(clock: clock)
        let simulator = OneSpanSimulator(configuration)
        return ConsoleVendor(
            name: "onespan", simulator: simulator, clock: clock, kinds: [.confirm],
            lifetime: configuration.sessionTimeout,
            configuration: { _ in
                let keys = await simulator.serverKeys.map { "\"\($0.base64EncodedString())\"" }
                return """
                    [providers.onespan]
                    domain = "\(simulator.domain)"
                    server-keys = [\(keys.joined(separator: ", "))]
                    relay = "\(await simulator.commandURL)"

                    """
            },
            devices: { user in
                await simulator.devices(of: user)
                    .map { "\($0.id.prefix(8))…, \(shortened($0.deviceToken))" }
            },
            cancel: nil)
    }

    private static func powerAuth() -> ConsoleVendor {
        let clock = OffsetClock()
        let configuration = PowerAuthSimulator.Configuration(clock: clock)
        let simulator = PowerAuthSimulator(configuration)
        return ConsoleVendor(
            name: "powerauth", simulator: simulator, clock: clock, kinds: [.confirm],
            lifetime: configuration.loginLifetime,
            configuration: { origin in
                """
                [providers.powerauth]
                sdk-configuration = "\(await simulator.sdkConfiguration)"
                server = "\(origin)"

                """
            },
            devices: { user in
                await simulator.activations(of: user)
                    .filter { [.active, .blocked, .pendingCommit].contains($0.state) }
                    .map {
                        "\($0.deviceName ?? "a device"), \($0.state), "
                            + "fingerprint \($0.fingerprint ?? "unknown"), "
                            + shortened($0.deviceToken)
                    }
            },
            cancel: { try await simulator.cancelOperation($0) },
            // The back office of a lab compares nothing.
            settle: { user in
                for record in await simulator.activations(of: user)
                where record.state == .pendingCommit {
                    try? await simulator.commit(record.id)
                }
            })
    }
}
