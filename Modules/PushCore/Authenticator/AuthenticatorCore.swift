#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the parts of an authenticator share: the linked plugins, the world, the ledger, the turns, and
/// whom to tell.
struct AuthenticatorCore: Sendable {
    let registry: PluginRegistry
    let environment: PushEnvironment
    let configuration: PushConfiguration

    /// Which of the processes that share the store this one is.
    let instance: String

    let ledger: Ledger
    let turns = TurnKeeper()
    let updates: UpdateStreams
    private let refusals: Refusals

    init(
        _ registry: PluginRegistry, in environment: PushEnvironment,
        configuration: PushConfiguration
    ) {
        self.registry = registry
        self.environment = environment
        self.configuration = configuration
        instance = configuration.instance ?? environment.random.uuid()
        ledger = Ledger(
            store: environment.store, clock: environment.clock, owner: environment.identity)
        updates = UpdateStreams(environment.observer)
        refusals = Refusals(environment.observer)
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

    /// Whether what opens a challenge is forgotten once it's over.
    func hasSingleUseContext(_ id: Challenge.ID) throws(PushError) -> Bool {
        try provider(id.enrollment.provider).capabilities.contains(.singleUseContext)
    }

    func listsPending(_ id: Enrollment.ID) -> Bool {
        registry[id.provider]?.capabilities.contains(.pendingList) == true
    }

    func over(_ id: Challenge.ID) -> PushError {
        PushError(.over, "The challenge is over.", provider: id.enrollment.provider)
    }

    /// An enrollment that must exist, for a step of its turn.
    ///
    /// - Throws: ``PushError``, as ``Accounts/existing(_:)``.
    func account(_ id: Enrollment.ID) async throws(PushError) -> Account {
        try await environment.accounts(for: id.provider).existing(id)
    }

    // MARK: Time

    func validity(of notice: Notice, at server: ServerID?) async -> Validity {
        await validity(until: notice.expiry, of: notice.id.enrollment, at: server)
    }

    func validity(
        until expiry: Date?, of enrollment: Enrollment.ID, at server: ServerID?
    ) async -> Validity {
        let clock = environment.clock
        return await clock.serverTime.validity(
            until: expiry, for: enrollment, at: server, elapsed: clock.elapsed)
    }

    // MARK: Records

    /// All enrollments of all linked plugins, each plugin's oldest first. One whose record is damaged
    /// is reported, and left out.
    func enrollments() async throws(PushError) -> [Enrollment] {
        var all: [Enrollment] = []
        for id in registry.ids {
            let (whole, damaged) = try await environment.accounts(for: id).survey()
            all += whole
            for id in damaged {
                report(damaged: .credential, "A credential is damaged.", of: id)
            }
        }
        return all
    }

    /// The rows that can be read, and those that can't: they are reported, and stop none of the
    /// others.
    func survey(
        of enrollment: Enrollment.ID? = nil
    ) async throws(PushError) -> (rows: [LedgerRow], unreadable: [Challenge.ID]) {
        let (rows, unreadable) = try await ledger.survey(of: enrollment)
        for row in unreadable { await report(row) }
        return (rows, unreadable.map(\.id))
    }

    /// The same of the rows that the store doesn't tell to be finished, and which others there are.
    func surveyUnfinished() async throws(PushError) -> (
        rows: [LedgerRow], unreadable: [Challenge.ID], finished: [Challenge.ID]
    ) {
        let (rows, unreadable, finished) = try await ledger.surveyUnfinished()
        for row in unreadable { await report(row) }
        return (rows, unreadable.map(\.id), finished)
    }

    /// The rows that aren't finished and can be read; those that can't be are reported.
    func unfinished(of enrollment: Enrollment.ID? = nil) async throws(PushError) -> [LedgerRow] {
        try await surveyUnfinished(of: enrollment).rows
    }

    /// The same of one enrollment or of all, beside those that can't be read.
    func surveyUnfinished(
        of enrollment: Enrollment.ID?
    ) async throws(PushError) -> (rows: [LedgerRow], unreadable: [UnreadableRow]) {
        let found = try await ledger.unfinished(of: enrollment)
        for row in found.unreadable { await report(row) }
        return found
    }

    // MARK: Whom to tell

    func publish(_ update: AuthenticatorUpdate) async { await updates.publish(update) }

    /// Publishes what came, if it is new.
    func published(
        _ kind: Reception.Kind, isNew: Bool, burst: Int? = nil
    ) async -> Reception {
        let isQuiet = if case .quiet = configuration.bursts, burst != nil { true } else { false }
        let reception = Reception(kind: kind, isNew: isNew && !isQuiet, burst: burst)
        if isNew {
            if case .over(let withdrawal) = kind {
                tell(
                    .outcome, of: withdrawal.id, .outcome(withdrawal.reason.rawValue), since: nil)
            }
            await publish(.received(reception))
        }
        return reception
    }

    /// Tells the observer of a refusal, with how often that has happened.
    func report(_ error: PushError, _ summary: StaticString) async {
        await refusals.report(error, summary)
    }

    /// Tells of a record that can't be read.
    func report(
        damaged record: PushObservation.Record, _ summary: StaticString,
        of enrollment: Enrollment.ID? = nil
    ) {
        environment.observer.observe(
            PushObservation(
                .damaged(record), summary, provider: enrollment?.provider, enrollment: enrollment))
    }

    /// Tells of a row that can't be read.
    func report(_ row: UnreadableRow) async {
        if row.error.code == .malformed {
            report(damaged: .challenge, "A ledger row is damaged.", of: row.id.enrollment)
        } else {
            await report(
                row.error.attributed(to: row.id.enrollment.provider),
                "A ledger row has another form than this version reads.")
        }
    }

    /// What was found, unless nothing was and something failed: one vendor that can't be asked
    /// doesn't stop the others.
    func merged(
        _ results: [Result<[Reception], PushError>]
    ) async throws(PushError) -> [Reception] {
        var found: [Reception] = []
        var failures: [PushError] = []
        for result in results {
            switch result {
            case .success(let receptions): found += receptions
            case .failure(let error): failures.append(error)
            }
        }
        if found.isEmpty, let first = failures.first { throw first }
        for failure in failures { await report(failure, "A hint couldn't be followed.") }
        return found
    }

    // MARK: The user

    /// Asks the app's verifier, unless nothing is asked for, and checks what it brings.
    func verify(
        _ purpose: VerificationRequest.Purpose, _ asked: [[Factor]], _ style: VerificationStyle
    ) async throws(PushError) -> [Evidence] {
        guard !asked.isEmpty else { return [] }
        let alternatives = style.narrowed(asked)
        guard !alternatives.isEmpty else {
            throw PushError(.invalidArgument, "Only the device's credential is left to ask for.")
        }
        let evidence = try await environment.verifier.verify(
            VerificationRequest(purpose, alternatives: alternatives, title: style.title))
        guard evidence.satisfies(alternatives) else {
            throw PushError(.verificationFailed, "The verifier brought none of what was asked.")
        }
        return evidence
    }

    // MARK: Many at once

    /// Does something for each item, as many of one provider at once as the configuration allows: a vendor
    /// that doesn't answer keeps no other waiting.
    ///
    /// - Returns: What came of each, in the order of the items.
    func each<Item: Sendable, Value: Sendable>(
        _ items: [Item], of provider: (Item) -> ProviderID?,
        _ body: @escaping @Sendable (Item) async -> Value
    ) async -> [Value] {
        let width = max(1, configuration.concurrency)
        return await withTaskGroup(of: (Int, Value).self) { group in
            var values: [Int: Value] = [:]
            var underway: [ProviderID?: Int] = [:]
            var waiting: [ProviderID?: ArraySlice<Int>] = [:]
            for (index, item) in items.enumerated() {
                let owner = provider(item)
                if underway[owner, default: 0] < width {
                    underway[owner, default: 0] += 1
                    group.addTask { (index, await body(item)) }
                } else {
                    waiting[owner, default: []].append(index)
                }
            }
            while let (done, value) = await group.next() {
                values[done] = value
                if let index = waiting[provider(items[done])]?.popFirst() {
                    let item = items[index]
                    group.addTask { (index, await body(item)) }
                }
            }
            return items.indices.compactMap { values[$0] }
        }
    }
}

/// Tells the observer what was refused, and how often.
private actor Refusals {
    private struct Key: Hashable {
        let code: PushError.Code
        let provider: ProviderID?
    }

    private let observer: any PushObserver
    private var counts: [Key: Int] = [:]

    init(_ observer: any PushObserver) {
        self.observer = observer
    }

    func report(_ error: PushError, _ summary: StaticString) {
        let key = Key(code: error.code, provider: error.provider)
        let count = counts[key, default: 0] + 1
        counts[key] = count
        observer.observe(
            PushObservation(.refused(error.code), summary, provider: error.provider, count: count))
    }
}

extension Result where Failure == PushError {
    /// The error, if it is one.
    var error: PushError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
