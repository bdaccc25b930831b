import PushCore
import PushForgeRock
import PushForgeRockSimulator

extension ReplayVendor {
    static func forgeRock() -> ReplayVendor {
        let clock = LabClock()
        let simulator = ForgeRockSimulator(.init(realm: "/alpha", issuer: "Replay", clock: clock))
        return ReplayVendor(
            simulator: simulator, plugin: { ForgeRock(in: $0) },
            start: { user, kind, fault in
                if case .wrongSignature(let algorithm?) = fault, algorithm != "HS256" {
                    guard algorithm == "HS384" else {
                        throw ReplayFailure("its alg was \(algorithm)")
                    }
                    return try await simulator.startLogin(
                        of: user, asking: kind, spoiledBy: .signedWithHS384)
                }
                return try await simulator.startLogin(
                    of: user, asking: kind,
                    spoiledBy: fault?.made(
                        wrong: .wrongKey, unsigned: .unsigned, missing: { .missing(claim: $0) },
                        of: ["u", "c", "t", "k"], expired: { .expired(ago: $0) }))
            },
            expire: { _ in
                clock.advance(by: .seconds(600))
                await simulator.reap()
            })
    }
}
