import Foundation
import HTTPTypes
import PushCore
import PushForgeRockSimulator
import PushTesting

extension ConsoleVendor {
    static func forgeRock() -> ConsoleVendor {
        let clock = ConsoleClock()
        var configuration = ForgeRockSimulator.Configuration(
            realm: "/alpha", issuer: "Example Bank", clock: clock)
        // One scan for pushes and codes.
        configuration.enrollment = .init(.pushAndTOTP)
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
            reading: forgeRockRequest,
            identifiers: { await simulator.devices(of: $0).map(\.mechanismUID) },
            invitationMark: "m",
            cancel: nil,
            expire: { await clock.statuses(of: $0, at: simulator, after: lifetime) },
            logInByCode: { try await simulator.logIn($0, with: $1) == .accepted })
    }

    /// What devices ask it, in words that all vendors share.
    private static func forgeRockRequest(_ request: HTTPRequest, _ body: Data) -> RequestReading {
        let query = (request.path ?? "").split(separator: "?", maxSplits: 1).last ?? ""
        let names = ["register": "registration", "authenticate": "answer", "refresh": "refresh"]
        let name = query.split(separator: "&").lazy
            .compactMap { names[String($0.replacing("_action=", with: ""))] }.first
        return RequestReading(name, of: request, body)
    }
}
