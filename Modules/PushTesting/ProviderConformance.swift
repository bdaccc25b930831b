public import PushCore

/// Checks that a provider keeps the promises of `PushProvider`: it reads the genuine, refuses the
/// forged, leaves the foreign alone, and takes nothing from outside what was proved.
///
/// ```swift
/// let conformance = ProviderConformance(provider, in: environment, fixtures: fixtures)
/// let findings = await conformance.check() + conformance.check(behind: authenticator)
/// #expect(findings == [])
/// ```
///
/// A finding says what came, and what was expected where that isn't its opposite. Swift Testing
/// prints them all, unless the expectation itself has an `await`.
public struct ProviderConformance: Sendable {
    let provider: any PushProvider
    private let accounts: Accounts
    let fixtures: ProviderFixtures

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - provider: The provider, with the enrollments in its store that the fixtures are for.
    ///   - environment: The provider's.
    ///   - fixtures: What it is checked with.
    public init(
        _ provider: any PushProvider, in environment: PushEnvironment, fixtures: ProviderFixtures
    ) {
        self.provider = provider
        accounts = environment.accounts(for: provider.id)
        self.fixtures = fixtures
    }

    /// Checks the provider alone: what it recognizes, verifies, and offers to approve.
    ///
    /// It may ask the vendor, or its simulator, as ``check(behind:)`` does.
    ///
    /// - Returns: What the provider breaks, as sentences; empty if it conforms.
    public func check() async -> [String] {
        var findings = Findings("\(provider.id.rawValue) alone")
        findings.expect(!fixtures.genuine.isEmpty, "there is no genuine message to check with")
        for (index, message) in fixtures.foreign.enumerated()
        where provider.candidate(in: message) != nil {
            findings.note("foreign message \(index) is recognized: expected no candidate")
        }
        await checkRefused(&findings)
        await checkGenuine(&findings)
        await checkUnknownPrompts(&findings)
        await checkSigned(&findings)
        return findings.sentences
    }

    private func checkRefused(_ findings: inout Findings) async {
        for (kind, messages) in [("forged", fixtures.forged), ("malformed", fixtures.malformed)] {
            for (index, message) in messages.enumerated() {
                if case .event(let event) = await verdict(on: message) {
                    findings.note(
                        "\(kind) message \(index) is taken: expected an error; came "
                            + "\(Meaning(event))")
                }
            }
        }
    }

    /// A message that comes twice says nothing new, whatever two that differ say together.
    private func checkMerged(
        _ announcement: Announcement, _ index: Int, _ findings: inout Findings
    ) {
        do throws(PushError) {
            let merged = try provider.merged(announcement, announcement) ?? announcement
            findings.expect(
                merged.notice == announcement.notice,
                "genuine message \(index) changes when it comes again: expected "
                    + "\(announcement.notice); came \(merged.notice)")
            findings.expect(
                merged.context.isEqualInConstantTime(to: announcement.context),
                "genuine message \(index) changes when it comes again: expected the same context; "
                    + "came another")
        } catch {
            findings.note(
                "genuine message \(index) is refused when it comes again: \(error.code)")
        }
    }

    // MARK: Mutations outside the signature

    private func checkGenuine(_ findings: inout Findings) async {
        var meanings: [Int: Meaning] = [:]
        for (index, message) in fixtures.genuine.enumerated() {
            switch await verdict(on: message) {
            case .event(let event):
                meanings[index] = Meaning(event)
                if case .notice(let announcement) = event {
                    checkMerged(announcement, index, &findings)
                }
            case .refused(let error):
                findings.note("genuine message \(index) is refused: \(error.code)")
            case .unrecognized: findings.note("genuine message \(index) isn't recognized")
            }
        }
        for (index, message) in fixtures.genuine.enumerated() {
            guard let meaning = meanings[index] else { continue }
            for mutation in Self.mutations(of: message) {
                guard let found = await self.meaning(of: mutation.message) else { continue }
                findings.expect(
                    found == meaning,
                    "genuine message \(index) means something else with \(mutation.summary): "
                        + "expected \(meaning) or a refusal; came \(found)")
            }
            for (donor, other) in fixtures.genuine.enumerated() where donor != index {
                for mutation in Self.swaps(of: message, with: other) {
                    guard let found = await self.meaning(of: mutation.message) else { continue }
                    findings.expect(
                        found == meaning || found == meanings[donor],
                        "genuine message \(index) means something else with "
                            + "\(mutation.summary) with message \(donor): expected what one of "
                            + "them means, or a refusal; came \(found)")
                }
            }
        }
    }

    // MARK: Prompts

    private func checkUnknownPrompts(_ findings: inout Findings) async {
        for (index, message) in fixtures.unknownPrompts.enumerated() {
            guard case .event(.notice(let announcement)) = await verdict(on: message),
                let challenge = await opened(announcement)
            else { continue }
            if case .denyOnly = challenge.prompt {
            } else {
                findings.note(
                    "unknown prompt \(index) can be answered with a yes: expected denyOnly; came "
                        + "\(challenge.prompt)")
            }
            let approval = await Result { () async throws(PushError) -> Answer in
                let account = try await accounts.existing(announcement.notice.id.enrollment)
                let signing = try await provider.resolver.prepare(
                    Decision(
                        announcement, .approve, challenge: challenge, evidence: [.presence],
                        extras: nil), of: account)
                return try await account.signed(signing)
            }
            if case .success = approval {
                findings.note(
                    "an approval of unknown prompt \(index) is prepared: expected an error; came "
                        + "an answer")
            }
        }
    }

    private func checkSigned(_ findings: inout Findings) async {
        guard let signing = fixtures.signing else { return }
        for (index, claims) in signing.claims.enumerated() {
            let demand = await demand(of: claims, signing)
            for mutation in JSONMutation.all(of: claims) {
                guard let changed = await self.demand(of: mutation.value, signing) else { continue }
                // A claim that lacks may mean its default; what nobody knows means nothing.
                let isBelow =
                    [.reworded, .unreadable].contains(mutation.kind)
                    && demand.map(changed.isBelow) ?? false
                findings.expect(
                    !isBelow && !changed.hasEasierPrompt(than: demand),
                    "claims \(index) are more easily approved with \(mutation.summary): expected "
                        + "\(demand?.description ?? "no challenge"), or denyOnly; came \(changed)")
            }
        }
    }

    /// What signed claims ask of the user; `nil` if they don't become a challenge.
    private func demand(of claims: JSON, _ signing: ProviderFixtures.Signing) async -> Demand? {
        let message = await Result { () async throws(PushError) -> PushMessage in
            try await signing.sign(claims)
        }
        guard case .success(let message) = message,
            case .event(.notice(let announcement)) = await verdict(on: message)
        else { return nil }
        return await opened(announcement).map(Demand.init)
    }

    private func opened(_ announcement: Announcement) async -> Challenge? {
        let challenge = await Result { () async throws(PushError) -> Challenge in
            var announcement = announcement
            let account = try await accounts.existing(announcement.notice.id.enrollment)
            return try await provider.resolver.challenge(for: &announcement, of: account)
        }
        return try? challenge.get()
    }
}

extension ProviderConformance {
    /// What a provider makes of one message.
    enum Verdict {
        case unrecognized
        case refused(PushError)
        case event(PushEvent)
    }

    /// What an event tells, apart from how it will be answered.
    enum Meaning: Hashable {
        case notice(Notice)
        case withdrawal(Withdrawal)
        case incompatible(PushEvent.Incompatible)
        /// A hint proves nothing, so one is as good as another.
        case hint
        case unknown

        init(_ event: PushEvent) {
            switch event {
            case .notice(let announcement): self = .notice(announcement.notice)
            case .withdrawal(let withdrawal): self = .withdrawal(withdrawal)
            case .incompatible(let incompatible): self = .incompatible(incompatible)
            case .hint: self = .hint
            @unknown default: self = .unknown
            }
        }
    }

    func verdict(on message: PushMessage) async -> Verdict {
        guard let candidate = provider.candidate(in: message) else { return .unrecognized }
        do throws(PushError) {
            return .event(try await candidate.verified(with: accounts))
        } catch {
            return .refused(error)
        }
    }

    /// What a message tells; `nil` if the provider doesn't recognize or trust it.
    func meaning(of message: PushMessage) async -> Meaning? {
        guard case .event(let event) = await verdict(on: message) else { return nil }
        return Meaning(event)
    }

    static func mutations(
        of message: PushMessage
    ) -> [(summary: String, message: PushMessage)] {
        guard case .string(let text) = message.content else {
            return JSONMutation.all(of: message.content).compactMap(message.replaced)
        }
        let others = [("the text doubled", text + text), ("no text", "")]
        let flips = JSONMutation.flips(of: text)
            .map { ("the text changed at character \($0.position)", $0.text) }
        return (others + flips).map { ($0, PushMessage(text: $1, by: message.channel)) }
    }

    static func swaps(
        of message: PushMessage, with other: PushMessage
    ) -> [(summary: String, message: PushMessage)] {
        JSONMutation.swaps(of: message.content, with: other.content).compactMap(message.replaced)
    }
}

extension PushMessage {
    /// A push with other content; `nil` if the content can't be a push's.
    fileprivate func replaced(
        _ mutation: JSONMutation
    ) -> (summary: String, message: PushMessage)? {
        let limits = JSON.Limits(bytes: 1 << 20)
        guard let message = try? PushMessage(json: mutation.value.data, limits: limits) else {
            return nil
        }
        return (mutation.summary, message)
    }
}
