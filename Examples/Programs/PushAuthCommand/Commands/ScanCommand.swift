import ArgumentParser
import Foundation
import PushCore
import TerminalIO

struct ScanCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Take what is scanned into an account that is enrolled, and show what it asks.",
        discussion: """
            Some vendors have a QR code or a link for a challenge: one that comes without a network, \
            or one that proves that the user sits before the screen. A code that joins an account is \
            for `enroll`. The challenge waits then like any other; --approve answers it at once.
            """)

    @Argument(help: "The text of the QR code or the link, or - for standard input.")
    var text: String?

    @Option(
        help: ArgumentHelp("Read the QR code from a picture, by zbarimg.", valueName: "file"),
        completion: .file())
    var image: String?

    @Flag(help: "The text came as a link that was opened, not by a camera.")
    var link = false

    @Flag(help: "Say yes to what it asks, as `approve` does.")
    var approve = false

    @OptionGroup var selection: Selection
    @OptionGroup var verification: VerificationOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard [text, image].compactMap({ $0 }).count == 1 else {
            throw ValidationError("Give a text or --image: one of them.")
        }
        guard image == nil || !link else {
            throw ValidationError("A picture is scanned: --link goes with a text.")
        }
    }

    func run() async throws {
        try await performing(leavesWork: true) { cutoff in
            let session = try await Session(
                options, verifier: CommandUser(verification), cutoff: cutoff)
            let records = try await session.records(
                scanning: try read(), by: link ? .link : .scanned, selection)
            if approve {
                return try await session.answer(
                    try only(records, in: session), .approve, verification, options)
            }
            var statuses: [ExitStatus] = []
            for record in records { statuses.append(try await show(record, in: session)) }
            return session.ending(statuses.first { $0 != .done } ?? .done)
        }
    }

    private func read() throws -> String {
        if let image { return try QRImage(path: image).wholeText() }
        guard text == "-" else { return String((text ?? "").withoutByteOrderMark) }
        var input = try BoundedInput("-", limit: 64 << 10)
        guard var text = String(validUTF8: try input.all()) else {
            throw Failure(.failed, "What standard input has is no text in UTF-8.")
        }
        // Line ends within it belong to it.
        while text.last?.isNewline == true { text.removeLast() }
        return text
    }

    private func only(_ records: [ChallengeRecord], in session: Session) throws -> ChallengeRecord {
        guard records.count == 1, let record = records.first else {
            let ids = records.map { Abbreviation($0.id).text }.joined(separator: ", ")
            throw Failure(
                .notFound, "More than one challenge waits after it: \(ids).",
                advice: "Answer the one that is meant by its ID: `pushauth approve ID`.")
        }
        return record
    }

    /// Opens what waits, and shows it.
    private func show(_ record: ChallengeRecord, in session: Session) async throws -> ExitStatus {
        let subject = await session.subject(record.id)
        guard record.state == .open else {
            options.reporter.show(ChallengeReport(record: record, subject: subject))
            if case .over = record.state { return .over }
            return .done
        }
        let challenge = try await session.authenticator.challenge(record.id)
        options.reporter.show(
            ChallengeReport(record: record, challenge: challenge, subject: subject))
        if !options.json {
            let id = Abbreviation(record.id).text
            let approval = challenge.prompt.approval(of: id).map { "`\($0)` or " } ?? ""
            options.reporter.tell("Answer it with \(approval)`pushauth deny \(id)`.")
        }
        return .done
    }
}

extension Session {
    /// What a scanned text leads to.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - channel: How it came.
    ///   - selection: The enrollments that may be meant.
    /// - Returns: The challenges, at least one.
    /// - Throws: `Failure` with the status `notFound` if there is none, `failed` if no provider knows
    ///   the text; `PushError` if it can't be trusted, or its vendor can't be asked.
    func records(
        scanning text: String, by channel: PushMessage.Channel, _ selection: Selection
    ) async throws -> [ChallengeRecord] {
        let message = PushMessage(text: text, by: channel)
        guard providers.contains(where: { $0.candidate(in: message) != nil }) else {
            throw unknown(text)
        }
        let selected = Set(try await enrollments(selection).map(\.id))
        let receptions = try await authenticator.receive(message)
        if receptions.contains(where: \.isIncompatible) {
            throw Failure(.failed, "It is genuine, and newer than this program.")
        }
        var records: [ChallengeRecord] = []
        for id in receptions.compactMap(\.challenge) where selected.contains(id.enrollment) {
            if let record = try await authenticator.record(of: id) { records.append(record) }
        }
        guard !records.isEmpty else {
            throw Failure(
                .notFound, "No challenge came of it.",
                advice: "It may be over, or another account's. `pushauth pending` shows what waits."
            )
        }
        return records
    }

    private func unknown(_ text: String) -> Failure {
        let offers = (try? authenticator.offers(for: .scanned(text: text))) ?? []
        return Failure(
            .failed, "No configured provider knows this text as a challenge.",
            advice: offers.isEmpty
                ? "Providers: \(providers.map(\.id.rawValue).joined(separator: ", "))."
                : "It joins an account: `pushauth enroll -`.")
    }
}

extension Reception {
    fileprivate var isIncompatible: Bool {
        if case .incompatible = kind { true } else { false }
    }
}
