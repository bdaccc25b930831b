import PushCore
import PushOneSpan
import PushOneSpanReference
import PushOneSpanSimulator
import PushTesting

extension Vendor {
    /// OneSpan by the open engine.
    public static let oneSpan = Vendor("oneSpan") { site in
        var configuration = OneSpanSimulator.Configuration(clock: site.clock, random: site.random)
        let lifetime = site.drawnLifetime()
        configuration.sessionTimeout = .milliseconds(lifetime)
        configuration.wrongResponsesBeforeLock = .max
        configuration.confirmMethod = .password
        let simulator = OneSpanSimulator(configuration)
        return Plugin(
            simulator: simulator, provider: { oneSpanProvider(simulator, in: $0) },
            kinds: [.confirm],
            rightEvidence: [.pin(Secret("1234".utf8))], wrongEvidence: [.pin(Secret("0000".utf8))],
            lifetime: lifetime)
    }

    private static func oneSpanProvider(
        _ simulator: OneSpanSimulator, in environment: PushEnvironment
    ) -> (any PushProvider)? {
        guard
            let engine = try? OpenReferenceEngine.Configuration(
                domain: simulator.domain, serverKeys: [simulator.serverKey], pbkdf2Iterations: 1),
            let commands = try? Endpoint("https://app.example.com/commands")
        else { return nil }
        return OneSpan(
            engine: OpenReferenceEngine(engine, in: environment),
            relay: HTTPCommandRelay(commands, in: environment),
            configuration: .init(identifiers: OpenNotificationIdentifiers()), in: environment)
    }
}
