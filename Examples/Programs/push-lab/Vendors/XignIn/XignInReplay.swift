import PushCore
import PushXignIn
import PushXignInReference
import PushXignInSimulator

extension ReplayVendor {
    static func xignIn() -> ReplayVendor {
        let simulator = XignInSimulator(.init(identifier: "idm-replay"))
        return ReplayVendor(
            simulator: simulator,
            plugin: { environment in
                var configuration = XignIn.Configuration(wireFormat: OpenReferenceWireFormat())
                configuration.pinIterations = 10_000
                return XignIn(configuration: configuration, in: environment)
            },
            start: { user, kind, fault in
                try await simulator.startLogin(
                    of: user, asking: kind,
                    spoiledBy: fault?.made(
                        wrong: .wrongKey, unsigned: .unsigned, missing: { .missing(claim: $0) },
                        of: ["iss", "aud", "jti", "iat", "exp", "pid", "msg"],
                        expired: { .expired(ago: $0) }))
            },
            // A manager whose clock is ahead would refuse the request for its time instead.
            expire: { _ in
                await simulator.spoil(by: .refusal(status: 410, error: "process_expired"))
            })
    }
}
