import Foundation
import HTTPTypes
import PushCore
import PushPlusAuthSimulator
import PushTesting

extension ConsoleVendor {
    static func plusAuth() -> ConsoleVendor {
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
            reading: plusAuthRequest,
            identifiers: { await simulator.devices(of: $0).map(\.keyID) },
            invitationMark: "context_token", pushMark: contextToken,
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
            noticed: { push in
                if let token = contextToken(in: push) { await expired.note(token) }
            })
    }

    /// The token by which a device would answer a push.
    private static func contextToken(in push: SimulatedPush) -> String? {
        guard let payload = try? JSON(parsing: push.payload),
            let jwt = (payload["context"] ?? payload["data"]?["context"])?.string
        else { return nil }
        return RequestReading.claims(of: jwt)?["context_token"]?.string
    }

    /// What devices ask it, in words that all vendors share.
    private static func plusAuthRequest(_ request: HTTPRequest, _ body: Data) -> RequestReading {
        let name: String? =
            switch request.pathParts.last {
            case "enroll": "registration"
            case "resolve", "resolve-challenge": "answer"
            default: nil
            }
        return RequestReading(name, of: request, body)
    }
}
