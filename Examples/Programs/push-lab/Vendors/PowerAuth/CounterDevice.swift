import ArgumentParser
import Foundation
import HTTPTypes
import PushCore
import PushPlatform
import PushPowerAuth
import PushTesting

/// A process with the SDK that kills itself (SIGKILL) once its counter is on disk, right before the
/// request that carries its signature would leave.
struct CounterDeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "counter-device", abstract: "What demo kills.", shouldDisplay: false)

    /// What it is called among the processes that share the store.
    static let instance = "counter"

    @Option var directory: String
    @Option var authority: String
    @Option var server: String
    @Option var application: String

    func run() async throws {
        let system = SystemTransport(.init(certificateAuthorities: .file(authority)))
        let environment = PushEnvironment(
            transport: DeadlyTransport(system),
            store: try await SoakStore(in: URL(fileURLWithPath: directory)).open(),
            verifier: FingerUser(), device: Device(name: "push-lab"))
        let provider = PowerAuth(
            configuration: try PowerAuthLab.configuration(application, at: server),
            in: environment)
        var policies = PushConfiguration()
        policies.instance = Self.instance
        let authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment, configuration: policies)
        await LineService { _, arguments in
            let enrollment = Enrollment.ID(
                try arguments.text("activation"), of: provider.id)
            let id = Challenge.ID(try arguments.text("operation"), of: enrollment)
            let challenge = try await authenticator.challenge(id)
            let outcome = try await authenticator.resolve(challenge, with: .approve)
            return ["outcome": .string(outcome.words)]
        }.run()
    }
}

/// Lets everything pass but an approval.
private struct DeadlyTransport: Transport {
    let transport: any Transport

    init(_ transport: any Transport) {
        self.transport = transport
    }

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        if request.path?.hasSuffix("/operation/authorize") == true {
            kill(getpid(), SIGKILL)
        }
        return try await transport.send(request, body: body)
    }
}
