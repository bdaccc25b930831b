import PushCore
import PushJOSE
import PushPlusAuth
import PushPlusAuthSimulator
import PushTesting

extension Vendor {
    /// PlusAuth, whose accounts have keys on P-256.
    public static let plusAuth = Vendor("plusAuth") { site in
        var configuration = PlusAuthSimulator.Configuration(
            clock: site.clock, random: site.random)
        let lifetime = site.drawnLifetime()
        configuration.challengeLifetime = .milliseconds(lifetime)
        configuration.simBinding = .noSettings
        var choices = PlusAuth.Configuration()
        // An RSA pair takes longer than a whole schedule.
        choices.keyAlgorithm = .es256
        // An account is named after its key, so the schedule draws that as well.
        let random = site.random
        let keys = AccountKeySource { (_) async throws(PushError) in
            let key = try ES256PrivateKey(random.bytes(32))
            return try ExportableAccountKey(privateJWK: try key.privateJWK())
        }
        return Plugin(
            simulator: PlusAuthSimulator(configuration),
            provider: { [choices] in PlusAuth(configuration: choices, keys: keys, in: $0) },
            kinds: [.confirm, .number], lifetime: lifetime)
    }
}
