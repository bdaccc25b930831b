public import PushCore

extension ProviderConformance {
    /// Checks the provider behind an authenticator: the replayed, withdrawn and expired come to
    /// nothing, and what is refused leaves no trace.
    ///
    /// It uses an authenticator of its own, with the given one's plugins and store, that does
    /// nothing in the background and doesn't wait for time to pass. So what a vendor's list brings
    /// isn't taken for a message's result, whatever the given one is configured for. It fills the
    /// store's ledger, so use a fresh store for each run.
    ///
    /// - Parameter authenticator: An authenticator whose registry holds the provider, and whose
    ///   store has received none of the fixtures yet.
    /// - Returns: What doesn't hold, as sentences; empty if the provider conforms.
    public func check(behind authenticator: PushAuthenticator) async -> [String] {
        await AuthenticatorConformance(
            authenticator: authenticator.sibling(.checked), fixtures: fixtures,
            topic: "\(provider.id.rawValue) behind an authenticator"
        ).check()
    }
}

extension PushConfiguration {
    /// Nothing goes on in the background, and nothing waits for time to pass, so that a check knows
    /// what led to what.
    static var checked: PushConfiguration {
        var configuration = PushConfiguration()
        configuration.asksAfterPush = false
        configuration.bursts = .off
        configuration.hintInterval = .zero
        configuration.backoff.tries = 0
        return configuration
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
            // A message that proves nothing may still lead to the vendor's list, whose challenges aren't the
            // message's.
            _ = try await authenticator.pending()
            try await checkRefused(&findings)
            try await checkWithdrawals(&findings)
            await checkExpired(&findings)
            try await checkReplays(&findings)
            try await checkMutations(&findings)
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
                let found = await receptions(of: message)
                findings.expect(
                    found.isEmpty,
                    "something comes of \(kind) message \(index): expected nothing; came "
                        + "\(found.map(\.kind))")
                let after = try await authenticator.revisions()
                let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
                findings.expect(
                    changed.isEmpty,
                    "\(kind) message \(index) leaves a trace in the store: expected no change; "
                        + "came one of \(changed.map { "\($0.collection) \($0.name)" }.sorted())")
            }
        }
    }

    private func checkWithdrawals(_ findings: inout Findings) async throws(PushError) {
        for (index, pair) in fixtures.withdrawals.enumerated() {
            if case .failure(let error) = await received(pair.withdrawal) {
                findings.note("withdrawal \(index) is refused: \(error.code)")
            }
            let late = await receptions(of: pair.announcement)
            let shown = late.filter { $0.isNew || $0.isNotice }.map(\.kind)
            findings.expect(
                shown.isEmpty,
                "announcement \(index) is shown although it was withdrawn before it came: expected "
                    + "nothing to show; came \(shown)")
            for id in late.compactMap(\.challenge) {
                let state = try await authenticator.record(of: id)?.state
                findings.expect(
                    state != .open, "announcement \(index) stays open although it was withdrawn")
            }
        }
    }

    private func checkExpired(_ findings: inout Findings) async {
        for (index, message) in fixtures.expired.enumerated() {
            for reception in await receptions(of: message) {
                if case .notice(_, .valid) = reception.kind {
                    findings.note(
                        "expired message \(index) is shown as if it had time left: expected "
                            + "expired or uncertain; came valid")
                }
            }
        }
    }

    private func checkReplays(_ findings: inout Findings) async throws(PushError) {
        for (index, message) in fixtures.genuine.enumerated() {
            if case .failure(let error) = await received(message) {
                findings.note("genuine message \(index) is refused: \(error.code)")
            }
            let rows = try await authenticator.records().count
            let news = await news(of: message)
            findings.expect(
                news.isEmpty,
                "a replay of genuine message \(index) is taken for new: expected nothing new; came "
                    + "\(news)")
            let count = try await authenticator.records().count
            findings.expect(
                count == rows,
                "a replay of genuine message \(index) makes another row: expected \(rows) in all; "
                    + "came \(count)")
        }
    }

    private func checkMutations(_ findings: inout Findings) async throws(PushError) {
        // What genuine messages have led to is on the list as well.
        _ = try await authenticator.pending()
        let rows = try await authenticator.records().count
        for (index, message) in fixtures.genuine.enumerated() {
            for mutation in ProviderConformance.mutations(of: message) {
                let news = await news(of: mutation.message)
                findings.expect(
                    news.isEmpty,
                    "genuine message \(index) is taken for new with \(mutation.summary): expected "
                        + "nothing new; came \(news)")
            }
        }
        let count = try await authenticator.records().count
        findings.expect(
            count == rows,
            "changed copies of genuine messages make rows of their own: expected \(rows) in all; "
                + "came \(count)")
    }

    /// What of a message is new about challenges that the ledger keeps.
    private func news(of message: PushMessage) async -> [Reception.Kind] {
        await receptions(of: message).filter { $0.isNew && $0.isAboutRow }.map(\.kind)
    }

    /// What comes of a message; nothing if it is refused.
    private func receptions(of message: PushMessage) async -> [Reception] {
        (try? await received(message).get()) ?? []
    }

    private func received(_ message: PushMessage) async -> Result<[Reception], PushError> {
        await Result { () async throws(PushError) in
            try await authenticator.receive(message).receptions
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
        case .incompatible, .enrollment, .inbox: false
        }
    }
}
