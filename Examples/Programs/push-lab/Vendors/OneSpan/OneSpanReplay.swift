import PushCore
import PushOneSpan
import PushOneSpanReference
import PushOneSpanSimulator

extension ReplayVendor {
    static func oneSpan() -> ReplayVendor {
        let clock = LabClock()
        let simulator = OneSpanSimulator(.init(clock: clock))
        return ReplayVendor(
            simulator: simulator,
            plugin: { environment in
                let engine = try await OpenReferenceEngine.Configuration(
                    domain: simulator.configuration.domain, serverKeys: simulator.serverKeys,
                    pbkdf2Iterations: 10_000)
                return OneSpan(
                    engine: OpenReferenceEngine(engine, in: environment),
                    relay: HTTPCommandRelay(
                        try await Endpoint(simulator.commandURL), in: environment),
                    configuration: .init(identifiers: OpenNotificationIdentifiers()),
                    in: environment)
            },
            start: { user, kind, fault in
                try await simulator.startLogin(
                    of: user, asking: kind,
                    spoiledBy: fault?.made(wrong: .wrongKey, expired: { .expired(ago: $0) }))
            },
            expire: { _ in clock.advance(by: .seconds(86_400)) })
    }
}
