import Foundation
import Logging
import PushAcme
import PushCore
import PushPlatform
import TelemetryAdapters

/// Enrolls at Acme if it is given a code, then approves what is pushed, one push a line of standard
/// input. The log goes to standard error, and each step's span to a file.
///
/// A process that is killed and started again goes on with what it had decided, in the same trace.
@main
struct TracedLogin {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard (1...2).contains(arguments.count) else {
            print("usage: traced-login DIRECTORY [CODE] < PUSHES")
            exit(64)
        }
        do {
            let authenticator = try await authenticator(in: URL(fileURLWithPath: arguments[0]))
            if let code = arguments.dropFirst().first { try await enroll(code, authenticator) }
            for (_, outcome) in try await authenticator.resume() { print(outcome) }
            while let line = readLine() {
                for challenge in try await authenticator.challenges(in: PushMessage(json: line)) {
                    print(try await authenticator.resolve(challenge, with: .approve))
                }
            }
        } catch {
            print("traced-login: \(error)")
            exit(1)
        }
    }

    private static func authenticator(in directory: URL) async throws -> PushAuthenticator {
        let key = directory.appendingPathComponent("key").path
        var logger = Logger(label: "traced-login") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .debug
        let environment = PushEnvironment(
            transport: SystemTransport(.init(plainHTTP: .loopbackOnly)),
            store: try await FileStore(
                at: directory.appendingPathComponent("store").path,
                key: .newFile(key, ifMissing: true)),
            verifier: Nobody(), device: Device(name: "Traced login"),
            observer: Observers([
                LoggingObserver(logger), MetricsObserver(),
                TracingObserver(SpanFile(url: directory.appendingPathComponent("spans.jsonl"))),
            ]))
        var configuration = PushConfiguration()
        configuration.instance = "traced-login"
        return try PushAuthenticator(in: environment, configuration: configuration) {
            [Acme(in: $0)]
        }
    }

    private static func enroll(_ code: String, _ authenticator: PushAuthenticator) async throws {
        try await authenticator.deviceTokenChanged(.fcm("traced-login"))
        // Nobody is there to ask: who gives it a code has agreed.
        print("\(try await authenticator.enroll(.scanned(text: code)) { _ in true }.state)")
    }
}

/// Tells several observers.
struct Observers: PushObserver {
    private let all: [any PushObserver]

    init(_ all: [any PushObserver]) { self.all = all }

    func observe(_ observation: PushObservation) { for one in all { one.observe(observation) } }
    func observe(_ step: ObservedStep) { for one in all { one.observe(step) } }
}

/// Acme asks for no proof of the user.
private struct Nobody: UserVerifier {
    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        throw PushError(.verificationFailed, "There is no user.")
    }
}
