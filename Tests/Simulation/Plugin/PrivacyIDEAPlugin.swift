import PushCore
import PushPrivacyIDEASimulator
import PushTesting

extension Vendor {
    /// privacyIDEA, of releases that take a no and of one that forgets it.
    public static let privacyIDEA = Vendor("privacyIDEA") { site in
        var configuration = PrivacyIDEASimulator.Configuration(
            clock: site.clock, random: site.random)
        let lifetime = site.drawnLifetime()
        configuration.validity = .milliseconds(lifetime)
        configuration.serverKeys = .reusing(RSAPairs.server)
        // 3.9 forgets a no that it said true to.
        let isOld = site.random.bytes(1).withBytes { $0[0] } % 3 == 0
        if isOld { configuration.generation = .v313 }
        let devices = RSAPairs.Devices()
        let simulator = PrivacyIDEASimulator(configuration)
        return Plugin(
            simulator: simulator, provider: { devices.provider(in: $0) },
            kinds: [.confirm, .number], challengeNames: { await simulator.nonces(of: $0) },
            saysYesTooLate: isOld, lifetime: lifetime,
            refuse: { await simulator.setBlocked($0, user: $1) })
    }
}
