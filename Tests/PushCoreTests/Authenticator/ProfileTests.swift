import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// What a published guideline forbids can only be denied.
@Suite struct ProfileTests {
    private let harness = AuthenticatorHarness()

    /// Acme's prompts by the words of its pushes, and who allows them.
    private static let prompts: [(word: String, nist: Bool, cisa: Bool)] = [
        ("approve", false, false), ("choose", false, false), ("enter1", false, false),
        ("enter2", false, true), ("enter5", false, true), ("enter6", true, true),
        ("enter8", true, true), ("riddle", false, false),
    ]

    private func authenticator(_ profile: ApprovalProfile?) async throws -> PushAuthenticator {
        var configuration = AuthenticatorHarness.quiet
        configuration.profile = profile
        let authenticator = try harness.authenticator(configuration: configuration)
        _ = try await authenticator.join("ada")
        return authenticator
    }

    private static func isDenyOnly(_ challenge: Challenge) -> Bool {
        if case .denyOnly = challenge.prompt { true } else { false }
    }

    /// A yes that fits a prompt.
    private static func yes(to word: String) -> Resolution {
        switch word {
        case "approve", "riddle": .approve
        case "choose": .choose("34")
        default: .enter(String(repeating: "7", count: Int(word.dropFirst(5)) ?? 0))
        }
    }

    @Test(arguments: ApprovalProfile.allCases, prompts)
    func `each profile allows the prompts of its table, and makes all others deny-only`(
        _ profile: ApprovalProfile, _ prompt: (word: String, nist: Bool, cisa: Bool)
    ) async throws {
        let authenticator = try await authenticator(profile)
        let challenge = try await authenticator.open(try AcmeWire.ask("1", prompt: prompt.word))
        let isAllowed = profile == .nist80063b4 ? prompt.nist : prompt.cisa
        #expect(Self.isDenyOnly(challenge) != isAllowed, "\(challenge.prompt)")
        let refused = await code {
            try await authenticator.resolve(challenge, with: Self.yes(to: prompt.word))
        }
        #expect(refused == (isAllowed ? nil : .unsupported))
    }

    @Test(arguments: prompts) func `without a profile only what isn't understood is deny-only`(
        _ prompt: (word: String, nist: Bool, cisa: Bool)
    ) async throws {
        let challenge = try await authenticator(nil)
            .open(try AcmeWire.ask("1", prompt: prompt.word))
        #expect(Self.isDenyOnly(challenge) == (prompt.word == "riddle"))
    }

    @Test func `what a profile forbids can be denied, and says why it can't be approved`()
        async throws
    {
        let authenticator = try await authenticator(.nist80063b4)
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        guard case .denyOnly(let why) = challenge.prompt else {
            Issue.record("\(challenge.prompt)")
            return
        }
        #expect(why == "NIST SP 800-63B-4 doesn't allow a yes without a number.")
        #expect(try await authenticator.resolve(challenge, with: .deny(.fraud)) == .delivered)
    }

    @Test func `a challenge that was opened without the profile isn't approved under it`()
        async throws
    {
        let lenient = try await authenticator(nil)
        let challenge = try await lenient.open(try AcmeWire.ask("1"))
        var configuration = AuthenticatorHarness.quiet
        configuration.profile = .cisaNumberMatching
        let strict = try harness.authenticator(configuration: configuration)
        #expect(await code { try await strict.resolve(challenge, with: .approve) } == .unsupported)
        #expect(await harness.server.answers.isEmpty)
    }

    @Test func `a challenge's own reason stays`() async throws {
        let challenge = try await authenticator(.cisaNumberMatching)
            .open(try AcmeWire.ask("1", prompt: "riddle"))
        #expect(challenge.prompt == .denyOnly("an unknown prompt"))
    }

    @Test func `a profile is found by its name, and an unknown one is an error that lists them`() {
        #expect(throws: Never.self) { try ApprovalProfile(named: "cisa") }
        #expect(ApprovalProfile.allCases.map(\.rawValue) == ["nist", "cisa"])
        for name in ["", "NIST", "pci"] {
            let error = #expect(throws: PushError.self) { try ApprovalProfile(named: name) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.reason == "The profile is 'nist' or 'cisa', and not '\(name)'.")
        }
    }
}
