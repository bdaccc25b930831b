import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting

/// A phone's storage behind a server that says one thing otherwise: what older releases or
/// documents say.
struct Replied {
    let provider: PowerAuth
    let authenticator: PushAuthenticator

    init(_ phone: Mobile, path: String, status: Int = 200, reply: JSON) async throws {
        let simulator = phone.bank.simulator
        let transport = SimulatedTransport { request, body in
            guard request.path == path else {
                return await simulator.respond(to: request, body: body)
            }
            let fields: HTTPFields = [.contentType: "application/json"]
            return (HTTPResponse(status: .init(code: status), headerFields: fields), reply.data)
        }
        let environment = Environment(
            transport: transport, store: phone.disk, verifier: phone.customer, clock: phone.clock,
            device: Device(name: "Petra's phone", platform: .apple))
        provider = PowerAuth(configuration: phone.provider.configuration, in: environment)
        var policies = Policies()
        policies.backoff.tries = 0
        policies.hintInterval = .zero
        authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment, policies: policies)
    }

    func inbox(_ id: Enrollment.ID) throws -> PowerAuthInbox {
        try PowerAuthInbox(authenticator, provider: provider, enrollment: id)
    }
}
