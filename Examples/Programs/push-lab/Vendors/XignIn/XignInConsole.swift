import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignInSimulator

extension ConsoleVendor {
    static func xignIn() -> ConsoleVendor {
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
            reading: xignInRequest,
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

    /// What devices ask it, in words that all vendors share.
    private static func xignInRequest(_ request: HTTPRequest, _ body: Data) -> RequestReading {
        let path = request.pathParts
        let name: String? =
            switch path.last {
            case "personalizations": "registration"
            case "push-token": "device token"
            case "manager-keys": "server keys"
            case "initialization": "question"
            case "start": "start of an answer"
            case "finish": "answer"
            case "reject": "denial"
            default: request.method == .delete && path.contains("activations") ? "removal" : nil
            }
        return RequestReading(name, of: request, body)
    }
}

extension XignInSimulator {
    /// Answers a request about a process as if its deadline had passed.
    ///
    /// A manager whose clock is ahead would refuse the request for its time instead, and so teach
    /// the device a wrong one.
    fileprivate func refuseAsExpired(
        _ request: HTTPRequest, _ body: Data
    ) async -> (response: HTTPResponse, body: Data) {
        // What carries no token is refused without taking the fault.
        guard request.headerFields[.authorization]?.hasPrefix("OXRW ") == true else {
            return await respond(to: request, body: body)
        }
        // Nothing comes between the two, as both run on this actor: the fault is this answer's.
        spoil(by: .refusal(status: 410, error: "process_expired"))
        return await respond(to: request, body: body)
    }
}
