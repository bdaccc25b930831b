import ArgumentParser
import PushCore
import TerminalIO

struct ListCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the enrollments of the store.")

    @OptionGroup var selection: Selection
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await performing { cutoff in
            let ground = try await Ground(options, cutoff: cutoff)
            if ground.isOfAllDevices {
                return try await FleetListing(ground: ground, reporter: options.reporter)
                    .run(of: FleetListing.enrollments) { session in
                        FleetListing.Part(reports: try await selected(in: session))
                    }
            }
            let session = try Session(
                on: ground, of: try await ground.device(),
                verifier: CommandUser(VerificationOptions()))
            var reports = try await selected(in: session)
            // Says what was named, if anything was.
            if reports.isEmpty {
                reports = try await session.enrollments(selection)
                    .map { EnrollmentReport(enrollment: $0) }
            }
            options.reporter.show(
                reports,
                none: session.damage.items.isEmpty
                    ? "No enrollments. " + NextStep.enroll
                    : "No enrollment can be read.")
            return session.ending(.done)
        }
    }

    private func selected(in session: Session) async throws -> [EnrollmentReport] {
        let enrollments = try await session.authenticator.enrollments().filter(selection.matches)
        // A device of many that has none costs no trip to the store for its tokens.
        let tokens =
            session.device != nil && enrollments.isEmpty
            ? [:] : try await session.deviceTokenStates(of: enrollments)
        let others = try await session.unconfigured().filter(selection.matches)
            .map { EnrollmentReport(enrollment: $0, isConfigured: false) }
        return enrollments.map { EnrollmentReport(enrollment: $0, token: tokens[$0.id]) } + others
    }
}

struct ShowCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an enrollment or a challenge; opens what is open.",
        discussion: """
            Some vendors count a challenge as taken by this device once it is opened; --closed shows \
            what the store remembers, and asks nobody.
            """)

    @Argument(help: "The ID of an enrollment or a challenge.", completion: .shown) var id: String?

    @Flag(help: "Don't open it: show what the store remembers.") var closed = false

    @OptionGroup var selection: Selection
    @OptionGroup var options: GlobalOptions

    func validate() throws { try selection.check(orID: id) }

    func run() async throws {
        try await performing { cutoff in
            let session = try await Session(
                options, verifier: CommandUser(VerificationOptions()), cutoff: cutoff)
            do {
                let enrollment = try await session.enrollment(id, selection)
                options.reporter.show(
                    EnrollmentReport(
                        enrollment: enrollment,
                        token: try await session.deviceTokenState(of: enrollment.id),
                        isWhole: true))
                return .done
            } catch let failure as Failure where failure.status == .notFound {
                guard let id, selection.isEmpty else { throw failure }
                // A challenge, perhaps, or an enrollment that nothing can be done with.
                if let other = try await session.unconfigured(id) {
                    options.reporter.show(
                        EnrollmentReport(enrollment: other, isConfigured: false))
                    return .done
                }
            }
            let record = try await session.record(id ?? "", orEnrollment: true)
            var report = ChallengeReport(
                record: record, subject: await session.subject(record.id))
            if !closed, record.state == .open {
                report.challenge = try await session.authenticator.challenge(record.id)
            }
            options.reporter.show(report)
            return .done
        }
    }
}

struct RefreshCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Ask the vendors how the enrollments stand, and finish what was interrupted.")

    @Argument(help: "The IDs of enrollments; all if there are none.", completion: .enrollments)
    var ids: [String] = []

    @OptionGroup var selection: Selection
    @OptionGroup var verification: VerificationOptions
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await performing(leavesWork: true) { cutoff in
            let session = try await Session(
                options, verifier: CommandUser(verification), cutoff: cutoff)
            var chosen: [Enrollment] = []
            for id in ids { chosen.append(try await session.enrollment(id, selection)) }
            if ids.isEmpty {
                chosen = try await session.enrollments(selection)
                    .filter { $0.state != .movedAway }
            }
            return try await session.withOpenGuards(
                of: chosen, for: [.questions, .delivery]
            ) { [chosen] in try await refresh(chosen, in: session) }
        }
    }

    private func refresh(
        _ chosen: [Enrollment], in session: Session
    ) async throws -> ExitStatus {
        var failures = Failures()
        for enrollment in chosen {
            do {
                let enrollment = try await session.authenticator.refresh(enrollment.id)
                options.reporter.show(EnrollmentReport(enrollment: enrollment))
            } catch {
                failures.add(Failure(error))
            }
        }
        failures.report()
        var status = failures.status
        for (id, outcome) in try await session.authenticator.resume() {
            guard
                let resolution = try await session.authenticator.record(of: id)?
                    .state.resolution
            else { continue }
            options.reporter.show(
                OutcomeReport(
                    id: id, resolution: resolution, outcome: outcome,
                    subject: await session.subject(id)))
            if status == .done { status = ExitStatus(outcome) }
        }
        return session.ending(status)
    }
}

struct RemoveCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "End an enrollment, at the vendor and here.")

    @Argument(help: "The ID of the enrollment.", completion: .enrollments) var id: String?

    @OptionGroup var selection: Selection
    @OptionGroup var verification: VerificationOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws { try selection.check(orID: id) }

    func run() async throws {
        try await performing { cutoff in
            let user = CommandUser(verification)
            let session = try await Session(options, verifier: user, cutoff: cutoff)
            let found = try await session.found(id, selection)
            if !verification.yes {
                options.reporter.tell(describe(found))
                try user.prompt.confirm("End it?")
            }
            try await remove(found, session)
            return .done
        }
    }

    private func describe(_ found: Session.Found) -> String {
        switch found {
        case .whole(let enrollment): EnrollmentReport(enrollment: enrollment).text(for: .error)
        case .damaged(let id): Damage.Item.enrollment(id).text
        }
    }

    private func remove(_ found: Session.Found, _ session: Session) async throws {
        var failure: PushError?
        do throws(PushError) {
            try await session.authenticator.remove(found.id)
        } catch {
            // Many a vendor's enrollment goes even if the vendor couldn't be told.
            let isGone = try? await session.authenticator.enrollment(found.id) == nil
            guard isGone == true else { throw error }
            failure = error
        }
        let ending = session.linked.ending(at: found.id.provider)
        switch found {
        case .whole(let enrollment):
            let isMoved = enrollment.state == .movedAway
            let next = ending ?? (failure == nil ? nil : RemovalReport.advice)
            if failure == nil || options.json {
                options.reporter.show(
                    RemovalReport(
                        enrollment: enrollment,
                        isTold: failure == nil && ending == nil && !isMoved,
                        next: isMoved ? nil : next))
            }
            if let failure {
                throw Failure(ExitStatus(failure.code), failure.reason, advice: next)
            }
        // Without its record, it's all that can be done.
        case .damaged:
            options.reporter.tell("Removed here. " + (ending ?? RemovalReport.advice))
        }
    }
}
