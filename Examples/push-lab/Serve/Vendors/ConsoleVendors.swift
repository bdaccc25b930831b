import Foundation
import PushCore
import PushForgeRockSimulator
import PushOneSpanSimulator
import PushPlusAuthSimulator
import PushPowerAuthSimulator
import PushPrivacyIDEASimulator
import PushTesting
import PushXignInSimulator

/// The simulators behind the console.
enum ConsoleVendors {
    static func all() -> [ConsoleVendor] {
        [forgeRock(), plusAuth(), xignIn(), oneSpan(), powerAuth(), privacyIDEA()]
    }

    private static func forgeRock() -> ConsoleVendor {
        let clock = ConsoleClock()
        var configuration = ForgeRockSimulator.Configuration(
            realm: "/alpha", issuer: "Example Bank", clock: clock)
        // What the server keeps of a message goes when the login does.
        configuration.messageTimeout = configuration.responseCacheDuration
        let lifetime = configuration.messageTimeout + .seconds(1)
        let simulator = ForgeRockSimulator(configuration)
        return ConsoleVendor(
            name: "forgerock", simulator: simulator, kinds: [.confirm, .number, .biometry],
            configuration: { _ in "[providers.forgerock]\nlocal-hosts = true\n" },
            devices: { user in
                await simulator.devices(of: user)
                    .map { "\($0.name ?? "a device"), \(shortened($0.deviceToken))" }
            },
            reading: VendorRequests.forgeRock,
            identifiers: { await simulator.devices(of: $0).map(\.mechanismUID) },
            invitationMark: "m",
            cancel: nil,
            expire: { await clock.statuses(of: $0, at: simulator, after: lifetime) })
    }

    private static func plusAuth() -> ConsoleVendor {
        let clock = ConsoleClock()
        let configuration = PlusAuthSimulator.Configuration(
            application: "Example Bank", clock: clock)
        let simulator = PlusAuthSimulator(configuration)
        let expired = ExpiredLogins()
        let lifetime = configuration.challengeLifetime + .seconds(1)
        return ConsoleVendor(
            name: "plusauth", simulator: simulator, kinds: [.confirm, .number],
            configuration: { _ in "[providers.plusauth]\nlocal-hosts = true\n" },
            devices: { user in
                await simulator.devices(of: user)
                    .map { "\($0.model.model ?? "a device"), \(shortened($0.deviceToken))" }
            },
            reading: VendorRequests.plusAuth,
            identifiers: { await simulator.devices(of: $0).map(\.keyID) },
            invitationMark: "context_token", pushMark: ExpiredLogins.token,
            cancel: nil,
            expire: { logins in
                await expired.addPushed()
                return await clock.statuses(of: logins, at: simulator, after: lifetime)
            },
            respond: { request, body in
                let isLate = await expired.contain(loginOf: request)
                return await clock.later(by: isLate ? lifetime : .zero) {
                    await simulator.respond(to: request, body: body)
                }
            },
            noticed: { await expired.note($0) })
    }

    private static func xignIn() -> ConsoleVendor {
        let clock = ConsoleClock()
        let configuration = XignInSimulator.Configuration(identifier: "idm-example", clock: clock)
        let simulator = XignInSimulator(configuration)
        let expired = ExpiredLogins()
        let lifetime = configuration.processLifetime + .seconds(1)
        return ConsoleVendor(
            name: "xignin", simulator: simulator, kinds: [.confirm],
            configuration: { _ in "[providers.xignin]\nlocal-hosts = true\n" },
            devices: { user in
                await simulator.devices(of: user)
                    .map { "\($0.alias ?? "a device"), \(shortened($0.deviceToken))" }
            },
            reading: VendorRequests.xignIn,
            identifiers: { await simulator.devices(of: $0).map(\.id) },
            cancel: { try await simulator.cancel($0) },
            expire: { logins in
                await expired.add(logins)
                return await clock.statuses(of: logins, at: simulator, after: lifetime)
            },
            respond: { request, body in
                guard await expired.contain(loginOf: request) else {
                    return await simulator.respond(to: request, body: body)
                }
                return await simulator.refuseAsExpired(request, body)
            })
    }

    private static func oneSpan() -> ConsoleVendor {
        let clock = ConsoleClock()
        let configuration = OneSpanSimulator.Configuration(clock: clock)
        let simulator = OneSpanSimulator(configuration)
        let lifetime = configuration.sessionTimeout + .seconds(1)
        return ConsoleVendor(
            name: "onespan", simulator: simulator, kinds: [.confirm],
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
            reading: VendorRequests.oneSpan,
            identifiers: { user in
                await simulator.devices(of: user).map(\.id)
                    + [VendorRequests.oneSpanHandle(of: user, in: simulator.domain)]
            },
            cancel: nil,
            expire: { await clock.statuses(of: $0, at: simulator, after: lifetime) })
    }

    private static func powerAuth() -> ConsoleVendor {
        let clock = ConsoleClock()
        let configuration = PowerAuthSimulator.Configuration(clock: clock)
        let simulator = PowerAuthSimulator(configuration)
        return ConsoleVendor(
            name: "powerauth", simulator: simulator, kinds: [.confirm],
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
            reading: VendorRequests.powerAuth,
            identifiers: { user in
                await simulator.activations(of: user).filter { $0.fingerprint != nil }
                    .flatMap { [$0.id] + $0.tokens }
            },
            cancel: { try await simulator.cancelOperation($0) },
            expire: { logins in
                for login in logins { try? await simulator.expireOperation(login) }
                return await clock.statuses(of: logins, at: simulator)
            },
            // The back office of a lab compares nothing.
            settle: { user in
                for record in await simulator.activations(of: user)
                where record.state == .pendingCommit {
                    try? await simulator.commit(record.id)
                }
            })
    }

    private static func privacyIDEA() -> ConsoleVendor {
        let clock = ConsoleClock()
        var configuration = PrivacyIDEASimulator.Configuration(
            issuer: "Example Bank", clock: clock)
        configuration.serverKeys = .pool(of: 4)
        let simulator = PrivacyIDEASimulator(configuration)
        let lifetime = configuration.validity + .seconds(1)
        return ConsoleVendor(
            name: "privacyidea", simulator: simulator, kinds: [.confirm, .number],
            configuration: { _ in "[providers.privacyidea]\nlocal-hosts = true\n" },
            devices: { user in
                await simulator.tokens(of: user).filter(\.isEnrolled)
                    .map { "\($0.serial), \(shortened($0.deviceToken))" }
            },
            reading: VendorRequests.privacyIDEA,
            identifiers: { await simulator.tokens(of: $0).map(\.serial) },
            invitationMark: "enrollment_credential",
            pushMark: { (try? JSON(parsing: $0.payload))?["nonce"]?.string },
            cancel: { try await simulator.cancelLogin($0) },
            expire: { await clock.statuses(of: $0, at: simulator, after: lifetime) })
    }
}
