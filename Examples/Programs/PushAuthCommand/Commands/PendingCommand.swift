import ArgumentParser
import PushCore
import TerminalIO

struct PendingCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "pending",
        abstract: "List what waits for an answer; asks the vendors that can tell.")

    @Flag(help: "List what the store remembers, and ask nobody.") var offline = false

    @OptionGroup var selection: Selection
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await performing { cutoff in
            let ground = try await Ground(options, cutoff: cutoff)
            if ground.isOfAllDevices {
                return try await FleetListing(ground: ground, reporter: options.reporter)
                    .run(of: FleetListing.waiting, onlyWaiting: offline) { session in
                        try await found(in: session)
                    }
            }
            let session = try Session(
                on: ground, of: try await ground.device(),
                verifier: CommandUser(VerificationOptions()))
            let part = try await found(in: session)
            part.failures.report()
            // Only then, as it lists what is over as well.
            let isNothing = part.reports.isEmpty && !options.json
            options.reporter.show(
                part.reports, none: isNothing ? try await nothing(in: session) : "")
            return session.ending(part.failures.status)
        }
    }

    /// Asks the vendors, unless nobody is to be asked.
    private func found(in session: Session) async throws -> FleetListing.Part<ChallengeReport> {
        var failures = Failures()
        // Of a device of many, that it has none of the selection is no failure.
        let isOneOfMany = session.device != nil && options.device == nil
        let enrollments =
            isOneOfMany
            ? try await session.authenticator.enrollments().filter(selection.matches)
            : try await session.enrollments(selection)
        if !offline, !(isOneOfMany && enrollments.isEmpty) {
            // Nobody is asked at the terminal for one device after the other.
            let guarded = isOneOfMany ? [] : enrollments
            let failed = try await session.withOpenGuards(of: guarded, for: .questions) {
                try await session.ask(selection, among: enrollments)
            }
            for error in failed.values {
                // Some vendors have no list: nothing failed there.
                if error.code == .unsupported { continue }
                failures.add(Failure(error))
            }
        }
        return FleetListing.Part(
            reports: try await session.open(selection, among: enrollments), failures: failures)
    }

    private func nothing(in session: Session) async throws -> String {
        guard session.damage.items.isEmpty else {
            return "Nothing that can be read waits for an answer."
        }
        let words = "Nothing waits for an answer."
        if try await session.isNew() {
            return words + " There is no enrollment yet.\n" + NextStep.enroll
        }
        // Whether any ever came isn't looked up: the store would list all that are over.
        return words + " Most vendors announce it by a push alone.\n" + NextStep.listen
    }
}

extension Session {
    /// What of a selection waits for an answer.
    ///
    /// - Parameters:
    ///   - selection: What is selected.
    ///   - enrollments: The enrollments that it selects.
    /// - Returns: The challenges that are open.
    /// - Throws: `PushError` if the store can't be read.
    func open(
        _ selection: Selection, among enrollments: [Enrollment]
    ) async throws -> [ChallengeReport] {
        let known = Dictionary(enrollments.map { ($0.id, $0) }) { $1 }
        var reports: [ChallengeReport] = []
        for record in try await authenticator.unfinishedRecords() where record.state == .open {
            if let enrollment = known[record.id.enrollment] {
                let subject = Subject(enrollment, record.id)
                reports.append(ChallengeReport(record: record, subject: subject))
            } else if selection.isEmpty {
                // Another process has just enrolled it.
                reports.append(ChallengeReport(record: record, subject: await subject(record.id)))
            }
        }
        return reports
    }
}

struct WatchCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show what comes up for an answer, as it comes.",
        discussion: "It asks the vendors that can tell, again and again, until Ctrl-C.")

    @Option(
        help: ArgumentHelp(
            "How long to wait between two questions: at least 5 seconds.", valueName: "seconds"))
    var interval = 7

    @Option(help: ArgumentHelp("When to give up.", valueName: "seconds")) var timeout: Int?

    @OptionGroup var selection: Selection
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard interval >= 5 else {
            throw ValidationError(
                "--interval must be at least 5 seconds; vendors aren't asked more often.")
        }
    }

    func run() async throws {
        try await performing { cutoff in
            var behavior = PushConfiguration()
            behavior.polling = Polling(busy: .seconds(interval), idle: .seconds(interval))
            let session = try await Session(
                options, verifier: CommandUser(VerificationOptions()), behavior: behavior,
                cutoff: cutoff)
            return try await watch(session)
        }
    }

    private func watch(_ session: Session) async throws -> ExitStatus {
        // That nothing matches is said at once.
        let enrollments = try await session.enrollments(selection)
        let selected = Set(enrollments.map(\.id))
        let takesAll = selection.isEmpty
        let (moments, moment) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let authenticator = session.authenticator
        let updates = await authenticator.updates()
        let (failures, failure) = AsyncStream.makeStream(of: (Enrollment.ID, PushError).self)
        let work = [
            Task {
                await authenticator.poll(where: { takesAll || selected.contains($0) }) {
                    guard $1.code != .unsupported, $1.code != .cancelled else { return }
                    failure.yield(($0, $1))
                }
            },
            Task {
                var news = RepeatedFailures(
                    of: enrollments, isOverAfter: .seconds(3 * interval + 10))
                for await (id, error) in failures {
                    if let count = news.count(error, of: id) {
                        Failure(error).report(concerning: count)
                    }
                }
            },
            Task { for await _ in updates { moment.yield() } },
            // Another process may put on record what came.
            ListenClocks.eachSecond { moment.yield() },
            ListenClocks.after(timeout.map { .seconds($0) }) { moment.finish() },
        ]
        var shown: Set<Challenge.ID> = []
        do {
            try await show(session, besides: &shown)
            for await _ in moments { try await show(session, besides: &shown) }
            // What came in the last moment.
            if !Task.isCancelled { try await show(session, besides: &shown) }
        } catch {
            await end(work)
            throw error
        }
        await end(work)
        return session.ending(Task.isCancelled || !shown.isEmpty ? .done : .nothingCame)
    }

    private func end(_ work: [Task<Void, Never>]) async {
        for task in work { task.cancel() }
        for task in work { await task.value }
    }

    /// Shows what is open and wasn't shown yet.
    private func show(_ session: Session, besides shown: inout Set<Challenge.ID>) async throws {
        let enrollments = try await session.enrollments(selection)
        for report in try await session.open(selection, among: enrollments)
        where shown.insert(report.record.id).inserted {
            options.reporter.show(report)
        }
        _ = session.ending(.done)
    }
}
