public import PushCore

extension ProviderConformance {
    /// Checks a provider against its vendor's server: enrolling, answering, asking what waits, and
    /// that nothing of it tells a secret.
    ///
    /// In each part a phone uses the server as a user would, then again with one exchange after the
    /// other spoiled: refused, lost on either way, or answered by a portal or a gateway. Then the
    /// server's replies say something else, one member after the other: what can't be read, or says
    /// what nobody knows, is no word of the vendor's.
    ///
    /// ```swift
    /// let findings = await ProviderConformance.check { () async throws(PushError) in
    ///     let clock = ManualClock(.now)
    ///     return VendorFixtures(simulator: AcmeSimulator(clock: clock), clock: clock) { Acme(in: $0) }
    /// }
    /// #expect(findings == [])
    /// ```
    ///
    /// - Parameter vendor: Makes a new server of the vendor's; some dozens of them are made.
    /// - Returns: What the provider breaks, as sentences; empty if it conforms.
    public static func check(
        against vendor: @Sendable () async throws(PushError) -> VendorFixtures
    ) async -> [String] {
        await check(against: vendor, parts)
    }

    private static var parts: [any VendorCheck.Type] {
        [
            EnrollmentCheck.self, TroubledEnrollmentCheck.self, ChangedEnrollmentCheck.self,
            AnswerCheck.self, TroubledAnswerCheck.self, ChangedAnswerCheck.self,
            WrongNumberCheck.self, SpoiledOpeningCheck.self, ListCheck.self, ForeignListCheck.self,
            SpoiledListCheck.self, MovingCheck.self, GuardCheck.self,
        ]
    }

    /// What the parts of these topics find, all by default: a test of a flaw knows which finds it.
    package static func check(
        _ topics: Set<String>?,
        against vendor: @Sendable () async throws(PushError) -> VendorFixtures
    ) async -> [String] {
        await check(against: vendor, parts.filter { topics?.contains($0.topic) ?? true })
    }

    private static func check(
        against vendor: @Sendable () async throws(PushError) -> VendorFixtures,
        _ parts: [any VendorCheck.Type]
    ) async -> [String] {
        var sentences: [String] = []
        for part in parts {
            var findings = Findings(part.topic)
            let pace = Pace()
            do throws(PushError) {
                try await part.run(
                    { () async throws(PushError) in try await pace.keeping(vendor()) }, &findings)
            } catch {
                findings.note("an unexpected error: \(error)")
            }
            pace.stop()
            // What several logins or exchanges break alike is said once.
            sentences += findings.sentences.reduce(into: []) { said, sentence in
                if !said.contains(sentence) { said.append(sentence) }
            }
        }
        return sentences
    }
}

/// Lets pauses end that a provider or a server makes, which no check is about: where somebody sleeps,
/// a second passes every few milliseconds.
private final class Pace: Sendable {
    private let tasks = Locked<[Task<Void, Never>]>([])

    func keeping(_ fixtures: VendorFixtures) -> VendorFixtures {
        let clock = fixtures.clock
        let task = Task {
            while !Task.isCancelled {
                await clock.sleeper()
                // Time enough for what else goes on, whose limit the sleeper may be.
                try? await Task.sleep(for: .milliseconds(20))
                if clock.sleepers > 0 { clock.advance(by: .seconds(1)) }
            }
        }
        tasks.withLock { $0.append(task) }
        return fixtures
    }

    func stop() {
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }
}

/// One part of the check against a server.
protocol VendorCheck {
    typealias MakeVendor = @Sendable () async throws(PushError) -> VendorFixtures

    static var topic: String { get }

    /// Adds what is broken.
    ///
    /// - Throws: What a sound provider never throws here.
    static func run(
        _ vendor: MakeVendor, _ findings: inout Findings
    ) async throws(PushError)
}

extension VendorCheck {
    typealias Trial =
        (_ exchange: Int, SpoiledNetwork.Trouble) async throws(PushError) -> SpoiledNetwork.Heard

    /// More exchanges than any call of a provider makes.
    private static var exchangeLimit: Int { 16 }

    /// Spoils one exchange after the other as a whole.
    static func spoilExchanges(
        by trouble: SpoiledNetwork.Trouble, _ trial: Trial
    ) async throws(PushError) {
        for exchange in 0..<exchangeLimit {
            guard try await trial(exchange, trouble).isSpoiled else { return }
        }
    }

    /// Changes each reply in each way.
    static func changeReplies(_ trial: Trial) async throws(PushError) {
        for exchange in 0..<exchangeLimit {
            var number = 0
            while true {
                let heard = try await trial(exchange, .changedReply(number))
                guard heard.count > exchange else { return }
                guard heard.isSpoiled else { break }
                number += 1
            }
        }
    }
}
