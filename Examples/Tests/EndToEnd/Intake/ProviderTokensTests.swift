import Crypto
import Foundation
import PushCore
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// The tokens of push-lab's sender, as the APNs intake judges them.
struct ProviderTokensTests {
    private let key = ProviderKey(keyID: "K", teamID: "T", topic: "x", key: .init())

    @Test func `a token is used for 40 minutes, and its successor is no update too many`()
        async throws
    {
        let tokens = ProviderTokens()
        var texts: [String] = []
        for later in [0.0, 1, 2399, 2400, 4799, 4800] {
            let now = IntakeFixture.now + later
            let text = try await tokens.token(of: "T", by: key.key, named: "K", at: now)
            try key.check(text, at: now)
            texts.append(text)
        }
        #expect(Set(texts).count == 3)
        #expect(texts[0] == texts[2] && texts[3] == texts[4])
    }

    @Test func `another key, name or team gets a token of its own, and so does an earlier clock`()
        async throws
    {
        let tokens = ProviderTokens()
        let now = IntakeFixture.now
        var texts: Set<String> = []
        for (team, key, name, now) in [
            ("T", key.key, "K", now), ("U", key.key, "K", now), ("U", key.key, "L", now),
            ("U", P256.Signing.PrivateKey(), "L", now), ("T", key.key, "K", now - 1),
        ] {
            texts.insert(try await tokens.token(of: team, by: key, named: name, at: now))
        }
        #expect(texts.count == 5)
    }
}
