import ArgumentParser
import PushCore
import TerminalIO

struct ApproveCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Say yes to a challenge.")

    @Argument(help: .challenge, completion: .challenges) var id: String?
    @OptionGroup var selection: Selection
    @OptionGroup var verification: VerificationOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws { try selection.check(orChallenge: id) }

    func run() async throws {
        try await answer(id, selection, .approve, verification, options)
    }
}

struct DenyCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "deny", abstract: "Say no to a challenge.")

    @Argument(help: .challenge, completion: .challenges) var id: String?

    @Option(
        help: ArgumentHelp(
            """
            Why: \(DenyReason.plain.map(\.name).joined(separator: ", ")), or a text of one's own \
            where the vendor takes one.
            """,
            valueName: "why"),
        completion: .list(DenyReason.plain.map(\.name)))
    var reason = DenyReason.unexpected.name

    @OptionGroup var selection: Selection
    @OptionGroup var verification: VerificationOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws { try selection.check(orChallenge: id) }

    func run() async throws {
        let reason = DenyReason(name: reason) ?? .custom(reason)
        try await performing(leavesWork: true) { cutoff in
            let session = try await Session(
                options, verifier: CommandUser(verification), cutoff: cutoff)
            let record = try await session.record(id, selection)
            do {
                let outcome = try await session.authenticator.deny(record.id, reason)
                options.reporter.show(
                    OutcomeReport(
                        id: record.id, resolution: .deny(reason), outcome: outcome,
                        subject: await session.subject(record.id)))
                return ExitStatus(outcome)
            } catch {
                throw await session.failure(
                    error, answering: record.id, .deny(reason), options)
            }
        }
    }
}

struct ChooseCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "choose", abstract: "Say yes by the number that the login page shows.")

    @Argument(help: .challenge, completion: .challenges) var id: String?
    @Argument(help: "The number that is shown.") var option: String?
    @OptionGroup var selection: Selection
    @OptionGroup var verification: VerificationOptions
    @OptionGroup var options: GlobalOptions

    mutating func validate() throws {
        (id, option) = try selection.challenge(id, answeredBy: option, "the number")
    }

    func run() async throws {
        try await answer(id, selection, .choose(option ?? ""), verification, options)
    }
}

struct EnterCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "enter", abstract: "Say yes by typing the digits that the login page shows.")

    @Argument(help: .challenge, completion: .challenges) var id: String?
    @Argument(help: "The digits that are shown.") var digits: String?
    @OptionGroup var selection: Selection
    @OptionGroup var verification: VerificationOptions
    @OptionGroup var options: GlobalOptions

    mutating func validate() throws {
        (id, digits) = try selection.challenge(id, answeredBy: digits, "the digits")
    }

    func run() async throws {
        try await answer(id, selection, .enter(digits ?? ""), verification, options)
    }
}

/// Opens a challenge and answers it.
private func answer(
    _ id: String?, _ selection: Selection, _ resolution: Resolution,
    _ verification: VerificationOptions, _ options: GlobalOptions
) async throws {
    try await performing(leavesWork: true) { cutoff in
        let session = try await Session(
            options, verifier: CommandUser(verification), cutoff: cutoff)
        let record = try await session.record(id, selection)
        return try await session.answer(record, resolution, verification, options)
    }
}

extension Session {
    /// Opens a challenge, answers it, and says what came of that.
    ///
    /// - Parameters:
    ///   - record: The challenge.
    ///   - resolution: The answer.
    ///   - verification: Without a yes among it, what is asked is shown before.
    ///   - options: How results are shown.
    /// - Returns: What the command exits with.
    /// - Throws: `Failure` if it can't be answered.
    func answer(
        _ record: ChallengeRecord, _ resolution: Resolution, _ verification: VerificationOptions,
        _ options: GlobalOptions
    ) async throws -> ExitStatus {
        // Once more the same: it tells what came of it, also of a challenge that can't be opened now.
        if case .answered(resolution, let outcome) = record.state {
            options.reporter.show(
                OutcomeReport(
                    id: record.id, resolution: resolution, outcome: outcome,
                    subject: await subject(record.id)))
            return ExitStatus(outcome)
        }
        do {
            let enrollment = try await authenticator.enrollment(record.id.enrollment)
            // One question to the user where looking at it wants the guard open, too.
            let outcome = try await withOpenGuards(
                of: [enrollment].compactMap(\.self), for: .opening
            ) {
                let challenge = try await authenticator.challenge(record.id)
                if !verification.yes, !options.json {
                    options.reporter.tell(
                        ChallengeReport(record: record, challenge: challenge).text(for: .error))
                }
                return try await authenticator.resolve(challenge, by: resolution)
            }
            options.reporter.show(
                OutcomeReport(
                    id: record.id, resolution: resolution, outcome: outcome,
                    subject: await subject(record.id)))
            return ExitStatus(outcome)
        } catch {
            throw await failure(error, answering: record.id, resolution, options)
        }
    }
}

extension ArgumentHelp {
    fileprivate static let challenge: ArgumentHelp =
        "The ID of the challenge; none for the only one of a selection that waits."
}

extension PushAuthenticator {
    /// Answers a challenge, or says which command answers it.
    fileprivate func resolve(
        _ challenge: Challenge, by resolution: Resolution
    ) async throws -> Outcome {
        do throws(PushError) {
            return try await resolve(challenge, with: resolution)
        } catch {
            guard error.code == .invalidResolution else { throw error }
            let id = Abbreviation(challenge.id).text
            let command = challenge.prompt.approval(of: id) ?? "pushauth deny \(id)"
            throw Failure(.failed, error.reason, advice: "Answer it with `\(command)`.")
        }
    }
}
