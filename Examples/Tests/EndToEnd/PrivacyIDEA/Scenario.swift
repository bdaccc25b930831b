import PushCore
import Testing

/// Something that happens between a device, a server and a login page.
struct Scenario: Sendable, CustomTestStringConvertible {
    let name: String
    /// The first release that can do it.
    let since: PrivacyIDEARelease
    let play: @Sendable (Stage) async throws -> Void

    init(
        _ name: String, since: PrivacyIDEARelease = .v313,
        _ play: @escaping @Sendable (Stage) async throws -> Void
    ) {
        self.name = name
        self.since = since
        self.play = play
    }

    var testDescription: String { name }

    /// Each has a user of its own.
    var user: String { name.split { !$0.isLetter }.joined(separator: "-").lowercased() }

    static let all =
        enrolling + answering + presence + losing + killing + passingTime + managingTokens
        + pushing

    /// Those that a release can do.
    static func all(of release: PrivacyIDEARelease) -> [Scenario] {
        all.filter { $0.since <= release }
    }

    /// Everybody who must be known to the server.
    static let users =
        all.map(\.user) + ["two-servers", "firebase-intake", "http-intake", "early-push"]
}
