import ArgumentParser
import Foundation
import PushCore
import TerminalIO

struct EnrollCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "enroll",
        abstract: "Join an account by the text of its QR code, or a code that is typed.",
        discussion: """
            What it would join is shown first, and nothing is sent until that is confirmed. A text \
            with a secret is better read from standard input (-) than given as an argument.

            With --from, a file has one text a line; blank lines and comments (#) are passed over. \
            Naming the file is the confirmation: nobody is asked about each. Every line has one \
            JSON object on standard output, with its number (line), status, enrollment, user and \
            provider, or an error; an invitation is never printed. Run again, such as after it was \
            killed, it enrolls only what isn't enrolled yet. It exits with 0 if all are enrolled, \
            else with 1. Ctrl-C ends it after what is under way.
            """)

    @Argument(help: "The text of the QR code, or - for standard input.")
    var invitation: String?

    @Option(
        help: ArgumentHelp("Read the QR code from a picture, by zbarimg.", valueName: "file"),
        completion: .file())
    var image: String?

    @Option(
        help: ArgumentHelp(
            "Enroll by each line of a file; - for standard input.", valueName: "file"),
        completion: .file())
    var from: String?

    @Option(
        help: ArgumentHelp(
            "How many lines of --from are followed at the same time: 1 to 64. Default: 4.",
            valueName: "number"))
    var parallel: Int?

    @Option(
        help: ArgumentHelp(
            "A user name, where a vendor asks for one and a password.", valueName: "name"))
    var user: String?

    @Option(help: ArgumentHelp("Read the password from this file descriptor.", valueName: "number"))
    var passwordFd: Int32?

    @Option(
        help: ArgumentHelp("Read the password from this environment variable.", valueName: "name"))
    var passwordEnv: String?

    @Flag(help: "The text was typed, not scanned: a code without a signature is allowed.")
    var typed = false

    @Option(help: "Join by this provider where more than one could.")
    var provider: String?

    @Option(
        name: .customLong("guard"),
        help: ArgumentHelp(
            """
            What opens the keys that answers need: none, presence (a key) or deviceOwner (a \
            passphrase); `pushauth guard --help` says more.
            """, valueName: "policy"))
    var guardChoice = GuardChoice.none

    @OptionGroup var verification: VerificationOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard [invitation, image, user, from].compactMap({ $0 }).count == 1 else {
            throw ValidationError("Give a text, --image, --user or --from: one of them.")
        }
        guard parallel == nil || from != nil else {
            throw ValidationError("--parallel goes with --from.")
        }
        guard 1...64 ~= parallel ?? 1 else { throw ValidationError("--parallel is 1 to 64.") }
        if let passwordFd { try CallersDescriptor(number: passwordFd).check() }
    }

    func run() async throws {
        if let from { return try await enroll(from: from) }
        try await performing(leavesWork: true) { cutoff in
            let user = CommandUser(verification)
            let session = try await Session(
                options.makingStore, verifier: user, cutoff: cutoff)
            let offer = try offer(to: try readInvitation(), in: session)
            if !verification.yes {
                options.reporter.tell(describe(offer))
                let provider = session.providers.first { $0.id == offer.provider }
                if guardChoice != .none, let part = provider?.guarded {
                    options.reporter.tell(part.price)
                }
                try user.prompt.confirm("Join it?")
            }
            let policy = guardChoice.policy
            if let policy { try await session.ground.keyGuard.prepare(policy) }
            let enrollment = try await session.authenticator.enroll(offer, guardedBy: policy)
            options.reporter.show(EnrollmentReport(enrollment: enrollment))
            if !options.json, let next = next(after: enrollment, in: session) {
                options.reporter.tell(next)
            }
            return .done
        }
    }

    /// What is left to do until a login can be answered.
    private func next(after enrollment: Enrollment, in session: Session) -> String? {
        if case .pending(.comparison) = enrollment.state {
            return "Once it is confirmed there, "
                + "`pushauth refresh \(Abbreviation(enrollment.id).text)` looks again."
        }
        guard enrollment.takesDeviceToken else {
            let makesCodes = (try? session.provider(of: enrollment.id))?.codes != nil
            return makesCodes
                ? "`pushauth code \(Abbreviation(enrollment.id).text)` makes its codes."
                : "`pushauth pending` asks its server what waits."
        }
        if enrollment.deviceToken == nil {
            return "The vendor doesn't know yet where pushes reach this device. " + NextStep.listen
        }
        guard let file = session.tokenFile else { return nil }
        let tokens = try? file.read()
        let hasListened = tokens?.fcm != nil || tokens?.apns != nil
        // Whoever wrote a script knows it.
        return Terminal.error.isInteractive && !hasListened ? "Next: " + NextStep.listen : nil
    }

    /// Enrolls by each line of a file.
    private func enroll(from file: String) async throws {
        try await reporting {
            let lines = EnrollmentRun.Line.all(in: try Self.bytes(of: file))
            let session = try await Session(
                options.makingStore, verifier: CommandUser(verification.readOnce()),
                keepsJournal: true)
            let policy = guardChoice.policy
            if let policy { try await session.ground.keyGuard.prepare(policy) }
            let run = EnrollmentRun(lines, in: session, guardedBy: policy) { text in
                try offer(to: typed ? .typed(text: text) : .scanned(text: text), in: session)
            }
            let (interruption, running) = Interruption.cancelling {
                await run.run(width: parallel ?? 4)
            }
            let status = try await running.value
            if let code = interruption.exitCode {
                options.reporter.tell("Interrupted. The same command goes on with the rest.")
                throw ExitCode(code)
            }
            return status
        }
    }

    private static func bytes(of file: String) throws -> Data {
        var input = try BoundedInput(file, limit: 16 << 20)
        return try input.all()
    }

    private func offer(to invitation: Invitation, in session: Session) throws -> Invitation.Offer {
        let offers = try session.authenticator.offers(for: invitation)
            .filter { provider == nil || $0.provider.rawValue == provider }
        guard let offer = offers.first else {
            throw Failure(
                .failed, "No configured provider knows this code.",
                advice: advice(in: session))
        }
        guard offers.count == 1 else {
            let names = offers.map(\.provider.rawValue).joined(separator: ", ")
            throw Failure(
                .failed, "More than one provider could join it: \(names).",
                advice: "Name one with --provider.")
        }
        return offer
    }

    private func advice(in session: Session) -> String {
        let providers = session.providers.map(\.id.rawValue).joined(separator: ", ")
        let lacking = session.linked.lacking
        guard !lacking.isEmpty else { return "Providers: \(providers)." }
        return "Providers: \(providers). Only with a section in the configuration: "
            + "\(lacking.joined(separator: ", ")); `pushauth doctor` says where that is."
    }

    private func readInvitation() throws -> Invitation {
        if let user {
            let prompt = Prompt()
            let password: Secret =
                if let descriptor = passwordFd {
                    try prompt.line(from: descriptor)
                } else if let name = passwordEnv {
                    try prompt.variable(name)
                } else {
                    try prompt.hidden(
                        "Password: ", otherwise: "Give it by --password-fd or --password-env.")
                }
            return .credentials(user: user, password: password)
        }
        if let image { return .scanned(text: try QRImage(path: image).text()) }
        // What is pasted may bring blanks along.
        let text = (invitation == "-" ? try typedLine() : invitation ?? "").withoutByteOrderMark
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else {
            throw Failure(
                .failed,
                invitation == "-"
                    ? "Standard input has no text of a code." : "The text of the code is empty.")
        }
        return typed ? .typed(text: text) : .scanned(text: text)
    }

    /// The first line of standard input: more may follow that isn't this program's.
    private func typedLine() throws -> String {
        var input = try BoundedInput("-", limit: 64 << 10)
        return String(decoding: try input.line() ?? [], as: UTF8.self)
    }

    private func describe(_ offer: Invitation.Offer) -> String {
        let parts = [
            ("Provider", offer.provider.rawValue), ("Issuer", offer.issuer),
            ("Account", offer.account), ("Server", offer.host),
            ("Kind", offer.isGeneric ? "one-time codes, of a form that many makers use" : nil),
        ]
        return parts.filter { $0.1?.isEmpty == false }
            .compactMap { label, value in value.map { "\(label): \(printable($0))" } }
            .joined(separator: "\n")
    }
}
