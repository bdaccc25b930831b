import PushCore
import PushPlusAuth
import PushPlusAuthSimulator

extension ReplayVendor {
    static func plusAuth() -> ReplayVendor {
        let clock = LabClock()
        let simulator = PlusAuthSimulator(.init(application: "Replay", clock: clock))
        return ReplayVendor(
            simulator: simulator,
            plugin: { environment in
                var configuration = PlusAuth.Configuration()
                // An RSA key takes long to make, and says the same.
                configuration.keyAlgorithm = .es256
                return PlusAuth(configuration: configuration, in: environment)
            },
            start: { user, kind, fault in
                if case .wrongSignature("HS256"?) = fault {
                    return try await simulator.startLogin(of: user, asking: kind, spoiledBy: .hs256)
                }
                return try await simulator.startLogin(
                    of: user, asking: kind,
                    spoiledBy: fault?.made(
                        wrong: .wrongKey, unsigned: .algNone, missing: { .missing(claim: $0) },
                        of: ["context_token", "resolve_url", "exp", "iat"],
                        expired: { .expired(ago: $0) }))
            },
            expire: { _ in clock.advance(by: .seconds(86_400)) })
    }
}
