public import PushCore

extension ProviderConformance {
    /// Checks the provider behind an authenticator: the replayed, withdrawn and expired come to
    /// nothing, and what is refused leaves no trace.
    ///
    /// It fills the authenticator's ledger, so use a fresh store for each run.
    ///
    /// - Parameter authenticator: An authenticator whose registry holds the provider, and whose
    ///   store has received none of the fixtures yet.
    /// - Returns: What doesn't hold, as sentences; empty if the provider conforms.
    public func check(behind authenticator: PushAuthenticator) async -> [String] {
        await AuthenticatorConformance(
            authenticator: authenticator, fixtures: fixtures,
            topic: "\(provider.id.rawValue) behind an authenticator"
        ).check()
    }
}

/// One check of a provider behind an authenticator.
private struct AuthenticatorConformance {
    let authenticator: PushAuthenticator
    let fixtures: ProviderFixtures
    let topic: String

    func check() async -> [String] {
        var findings = Findings(topic)
        do throws(PushError) {
            try await checkRefused(&findings)
            try await checkWithdrawals(&findings)
            try await checkExpired(&findings)
            try await checkReplays(&findings)
        } catch {
            findings.note("an unexpected error: \(error)")
        }
        return findings.sentences
    }

    private func checkRefused(_ findings: inout Findings) async throws(PushError) {
        let kinds = [
            ("forged", fixtures.forged), ("malformed", fixtures.malformed),
            ("foreign", fixtures.foreign),
        ]
        for (kind, messages) in kinds {
            for (index, message) in messages.enumerated() {
                let before = try await authenticator.revisions()
                let receptions = await received(message)
                findings.expect(
                    receptions?.isEmpty ?? true, "something comes of \(kind) message \(index)")
                findings.expect(
                    try await authenticator.revisions() == before,
                    "\(kind) message \(index) leaves a trace in the store")
            }
        }
    }

    private func checkWithdrawals(_ findings: inout Findings) async throws(PushError) {
        for (index, pair) in fixtures.withdrawals.enumerated() {
            findings.expect(
                await received(pair.withdrawal) != nil,
                "withdrawal \(index) is refused")
            let late = await received(pair.announcement) ?? []
            findings.expect(
                late.allSatisfy { !$0.isNew && !$0.isNotice },
                "announcement \(index) is shown although it was withdrawn before it came")
            for id in late.compactMap(\.challenge) {
                let state = try await authenticator.record(of: id)?.state
                findings.expect(
                    state != .open, "announcement \(index) stays open although it was withdrawn")
            }
        }
    }

    private func checkExpired(_ findings: inout Findings) async throws(PushError) {
        for (index, message) in fixtures.expired.enumerated() {
            for reception in await received(message) ?? [] {
                if case .notice(_, .valid) = reception.kind {
                    findings.note("expired message \(index) is shown as if it had time left")
                }
            }
        }
    }

    private func checkReplays(_ findings: inout Findings) async throws(PushError) {
        for (index, message) in fixtures.genuine.enumerated() {
            findings.expect(
                await received(message) != nil,
                "genuine message \(index) is refused")
            let rows = try await authenticator.records().count
            let again = await received(message) ?? []
            findings.expect(
                again.allSatisfy { !$0.isNew || !$0.isAboutRow },
                "a replay of genuine message \(index) is taken for new")
            findings.expect(
                try await authenticator.records().count == rows,
                "a replay of genuine message \(index) makes another row")
        }
        let rows = try await authenticator.records().count
        for (index, message) in fixtures.genuine.enumerated() {
            for mutation in ProviderConformance.mutations(of: message) {
                let receptions = await received(mutation.message) ?? []
                findings.expect(
                    receptions.allSatisfy { !$0.isNew || !$0.isAboutRow },
                    "genuine message \(index) is taken for new with \(mutation.summary)")
            }
        }
        findings.expect(
            try await authenticator.records().count == rows,
            "changed copies of genuine messages make rows of their own")
    }

    /// What comes of a message; `nil` if it is refused.
    private func received(_ message: PushMessage) async -> [Reception]? {
        do throws(PushError) {
            return try await authenticator.receive(message).receptions
        } catch {
            return nil
        }
    }
}

extension Reception {
    fileprivate var isNotice: Bool {
        if case .notice = kind { true } else { false }
    }

    /// Whether it tells of a challenge that the ledger keeps.
    fileprivate var isAboutRow: Bool {
        switch kind {
        case .notice, .answered, .over: true
        default: false
        }
    }
}
