#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the parts of an authenticator share: the linked plugins, the world, the turns, and whom to
/// tell.
final class AuthenticatorCore: Sendable {
    let registry: PluginRegistry
    let environment: PushEnvironment
    let configuration: PushConfiguration

    /// Which of the processes that share the store this one is.
    let instance: String

    let turns = TurnKeeper()
    let updates: UpdateStreams

    /// How often each refusal has happened.
    private let refusals = Locked<[Refusal: Int]>([:])

    private struct Refusal: Hashable {
        let code: PushError.Code
        let provider: ProviderID?
    }

    init(
        _ registry: PluginRegistry, in environment: PushEnvironment,
        configuration: PushConfiguration
    ) {
        self.registry = registry
        self.environment = environment
        self.configuration = configuration
        instance = configuration.instance ?? environment.random.uuid()
        updates = UpdateStreams(environment.observer)
    }

    // MARK: Plugins

    func provider(_ id: ProviderID) throws(PushError) -> any PushProvider {
        guard let provider = registry[id] else {
            throw PushError(.notFound, "No such plugin is linked.", provider: id)
        }
        return provider
    }

    func resolver(of id: Challenge.ID) throws(PushError) -> any Resolver {
        try provider(id.enrollment.provider).resolver
    }

    func takesLateAnswers(_ id: Challenge.ID) throws(PushError) -> Bool {
        try provider(id.enrollment.provider).capabilities.contains(.lateAnswers)
    }

    func listsPending(_ id: Enrollment.ID) -> Bool {
        registry[id.provider]?.capabilities.contains(.pendingList) == true
    }

    func over(_ id: Challenge.ID) -> PushError {
        PushError(.over, "The challenge is over.", provider: id.enrollment.provider)
    }

    // MARK: Time

    func validity(of notice: Notice, at server: Endpoint.ServerID?) async -> Validity {
        await validity(until: notice.expiry, of: notice.id.enrollment, at: server)
    }

    func validity(
        until expiry: Date?, of enrollment: Enrollment.ID, at server: Endpoint.ServerID?
    ) async -> Validity {
        let clock = environment.clock
        return await clock.serverTime.validity(
            until: expiry, for: enrollment, at: server, elapsed: clock.elapsed)
    }

    // MARK: Whom to tell

    func publish(_ update: AuthenticatorUpdate) async { await updates.publish(update) }

    /// Publishes the vendor's word on a decision, with what the document in hand has of it.
    func publish(_ outcome: Outcome, on id: Challenge.ID, in hand: DocumentInHand) async {
        await updates.publish(.outcome(id, outcome)) {
            // One that isn't final may be old already: who hears of it reads it.
            guard case .row(let row)? = try? hand.known(id), row.isFinished else { return nil }
            return ChallengeRecord(row)
        }
    }

    /// Publishes what came, if it is new.
    @inline(never) func published(
        _ kind: Reception.Kind, isNew: Bool, burst: Int? = nil
    ) async -> Reception {
        let reception = reception(of: kind, isNew: isNew, burst: burst)
        if isNew {
            if case .over(let withdrawal) = kind {
                tell(
                    .outcome, of: withdrawal.id, .outcome(withdrawal.reason.rawValue), since: nil)
            }
            await publish(.received(reception))
        }
        return reception
    }

    /// What came. In a burst it may be held back, as if it weren't new.
    @inline(never) func reception(of kind: Reception.Kind, isNew: Bool, burst: Int?) -> Reception {
        let isQuiet = if case .quiet = configuration.bursts, burst != nil { true } else { false }
        return Reception(kind: kind, isNew: isNew && !isQuiet, burst: burst)
    }

    /// Tells the observer of a refusal, and how often it has happened. A locked guard is no refusal.
    @inline(never)
    func report(_ error: PushError, _ summary: StaticString, by provider: ProviderID? = nil) {
        // That waits for the user, each time.
        guard error.code != .locked else { return }
        let refusal = Refusal(code: error.code, provider: error.provider ?? provider)
        let count = refusals.withLock { counts in
            counts[refusal, default: 0] += 1
            return counts[refusal, default: 0]
        }
        environment.observer.observe(
            PushObservation(
                .refused(error.code), summary, provider: refusal.provider, count: count))
    }

    /// Does something whose failure only the observer hears of.
    @discardableResult
    func reporting<Value>(
        _ summary: StaticString, by provider: ProviderID,
        _ body: () async throws(PushError) -> Value
    ) async -> Value? {
        do throws(PushError) {
            return try await body()
        } catch {
            report(error, summary, by: provider)
            return nil
        }
    }

    /// Tells the observer what is odd, such as a record that can't be read.
    @inline(never) func observe(
        _ kind: PushObservation.Kind, _ summary: StaticString, of enrollment: Enrollment.ID? = nil
    ) {
        environment.observer.observe(
            PushObservation(
                kind, summary, provider: enrollment?.provider, enrollment: enrollment))
    }

    /// What was found, unless nothing was and something failed: one vendor that can't be asked
    /// doesn't stop the others.
    func merged(
        _ results: [Result<[Reception], PushError>]
    ) throws(PushError) -> [Reception] {
        let found = results.flatMap { (try? $0.get()) ?? [] }
        let failures = results.compactMap(\.error)
        if found.isEmpty, let first = failures.first { throw first }
        for failure in failures { report(failure, "A hint couldn't be followed.") }
        return found
    }

    // MARK: The user

    /// Asks the app's verifier, unless nothing is asked for, and checks what it brings.
    func verify(
        _ purpose: VerificationRequest.Purpose, _ asked: [[Factor]], _ style: VerificationStyle
    ) async throws(PushError) -> [Evidence] {
        guard !asked.isEmpty else { return [] }
        let alternatives = try style.narrowed(asked)
        let evidence = try await environment.verifier.verify(
            VerificationRequest(purpose, alternatives: alternatives, title: style.title))
        guard evidence.satisfies(alternatives) else {
            throw PushError(.verificationFailed, "The verifier brought none of what was asked.")
        }
        return evidence
    }

    // MARK: Many at once

    /// Does something for each item, as many of one provider at once as the configuration allows: a
    /// vendor that doesn't answer keeps no other waiting. What came of each stands in the order of
    /// the items.
    func each<Item: Sendable, Value: Sendable>(
        _ items: [Item], of provider: (Item) -> ProviderID?,
        _ body: @escaping @Sendable (Item) async -> Value
    ) async -> [Value] {
        let values = Locked([Value?](repeating: nil, count: items.count))
        await each(of: items.map(provider)) { index in
            let value = await body(items[index])
            values.withLock { $0[index] = value }
        }
        return values.withLock { $0.compactMap(\.self) }
    }

    private func each(
        of owners: [ProviderID?], _ body: @escaping @Sendable (Int) async -> Void
    ) async {
        let width = max(1, configuration.concurrency)
        await withTaskGroup(of: Int.self) { group in
            var underway: [ProviderID?: Int] = [:]
            var waiting: [ProviderID?: ArraySlice<Int>] = [:]
            func start(_ index: Int) {
                group.addTask {
                    await body(index)
                    return index
                }
            }
            for (index, owner) in owners.enumerated() {
                if underway[owner, default: 0] < width {
                    underway[owner, default: 0] += 1
                    start(index)
                } else {
                    waiting[owner, default: []].append(index)
                }
            }
            while let done = await group.next() {
                if let index = waiting[owners[done]]?.popFirst() { start(index) }
            }
        }
    }
}

extension Result where Failure == PushError {
    /// The error, if it is one.
    var error: PushError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
