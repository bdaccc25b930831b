import ArgumentParser
import PushCore
import TerminalIO

struct InboxCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "inbox", abstract: "List the messages that a vendor keeps for an enrollment.")

    @Argument(help: "The ID of the enrollment.", completion: .enrollments) var id: String?
    @OptionGroup var selection: Selection
    @OptionGroup var options: GlobalOptions

    func validate() throws { try selection.check(orID: id) }

    func run() async throws {
        try await performing { cutoff in
            let session = try await Session(
                options, verifier: CommandUser(VerificationOptions()), cutoff: cutoff)
            let enrollment = try await session.enrollment(id, selection).id
            guard let inbox = try session.provider(of: enrollment).inbox else {
                throw Failure(.failed, "\(enrollment.provider.rawValue) has no inbox.")
            }
            let messages = try await session.authenticator.turn(of: enrollment) {
                (account) async throws(PushError) in try await inbox.messages(of: account)
            }
            let subject = await session.subject(enrollment)
            options.reporter.show(
                messages.map { InboxReport(message: $0, subject: subject) },
                none: "The inbox is empty.")
            return .done
        }
    }
}

/// A message of an inbox.
struct InboxReport: Report {
    let message: InboxMessage
    let subject: Subject?

    var json: JSON {
        [
            "id": .string(message.id), "subject": .string(message.subject),
            "read": .bool(message.isRead),
        ]
    }

    func text(for terminal: Terminal) -> String {
        let mark = message.isRead ? "read  " : terminal.colored("unread", .yellow)
        return "\(printable(message.id))  \(mark)  \(printable(message.subject))"
    }
}

struct HistoryCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "List what was answered before, as the vendor keeps it.")

    @Argument(help: "The ID of the enrollment.", completion: .enrollments) var id: String?
    @OptionGroup var selection: Selection
    @OptionGroup var verification: VerificationOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws { try selection.check(orID: id) }

    func run() async throws {
        try await performing { cutoff in
            let user = CommandUser(verification)
            let session = try await Session(options, verifier: user, cutoff: cutoff)
            let enrollment = try await session.enrollment(id, selection).id
            guard let history = try session.provider(of: enrollment).history else {
                throw Failure(.failed, "\(enrollment.provider.rawValue) keeps no history.")
            }
            let alternatives = try await session.authenticator.turn(of: enrollment) {
                (account) async throws(PushError) in try await history.verification(of: account)
            }
            // Outside the turn: a user who takes their time mustn't keep an answer waiting.
            let evidence = try await user.verify(
                VerificationRequest(.manage(enrollment, "history"), alternatives: alternatives))
            let challenges = try await session.authenticator.turn(of: enrollment) {
                (account) async throws(PushError) in
                try await history.history(of: account, evidence: evidence)
            }
            let subject = await session.subject(enrollment)
            options.reporter.show(
                challenges.map { HistoryReport(challenge: $0, subject: subject) },
                none: "There is no history.")
            return .done
        }
    }
}

/// Something that was answered before.
struct HistoryReport: Report {
    let challenge: Challenge
    let subject: Subject?

    var json: JSON {
        [
            "name": .string(challenge.id.name),
            "fields": challenge.fields.json,
        ]
    }

    func text(for terminal: Terminal) -> String {
        ([printable(challenge.id.name)] + challenge.lines.dropLast().map { "  " + $0 })
            .joined(separator: "\n")
    }
}
