import PushCore
import PushPrivacyIDEA
import PushPrivacyIDEASimulator

extension ReplayVendor {
    static func privacyIDEA() -> ReplayVendor {
        let clock = LabClock()
        var configuration = PrivacyIDEASimulator.Configuration(issuer: "Replay", clock: clock)
        configuration.serverKeys = .pool(of: 4)
        let simulator = PrivacyIDEASimulator(configuration)
        return ReplayVendor(
            simulator: simulator, plugin: { PrivacyIDEA(in: $0) },
            start: { user, kind, fault in
                try await simulator.startLogin(
                    of: user, asking: kind,
                    spoiledBy: fault?.made(wrong: .wrongKey))
            },
            expire: { _ in clock.advance(by: .seconds(3600)) })
    }
}
