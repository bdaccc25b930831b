import ArgumentParser
import Foundation
import PushCore
import PushJOSE
import TerminalIO

struct ExportCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write what may leave this store into a file.",
        discussion: """
            The file is sealed under a password. What may live only once isn't copied but moved: it is \
            of no use here afterwards, until the file is imported here. What isn't exportable is \
            listed with the reason. If the file couldn't be written, the same command \
            writes it again; a file that was imported elsewhere must not be written twice.
            """)

    @Argument(help: "The file; there must be none of its name.", completion: .file())
    var file: String

    @Argument(help: "The IDs of enrollments; all if there are none.", completion: .enrollments)
    var ids: [String] = []

    @Flag(help: "Only say what would leave, and change nothing.") var dryRun = false

    @Flag(name: .shortAndLong, help: "Don't ask whether it is meant.") var yes = false

    @OptionGroup var selection: Selection
    @OptionGroup var password: ExportPassword
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await performing { cutoff in
            let target = ExportTarget(path: file)
            if !dryRun { try target.check() }
            let session = try await Session(
                options, verifier: CommandUser(VerificationOptions()), cutoff: cutoff)
            let chosen = try await chosen(in: session)
            let preview = try await session.authenticator.exportPreview(chosen)
            guard !dryRun else {
                options.reporter.show(preview.map(MovingReport.init), none: NextStep.enroll)
                return session.ending(MovingReport.status(of: preview))
            }
            guard preview.contains(where: \.result.leaves) else {
                options.reporter.show(preview.map(MovingReport.init), none: NextStep.enroll)
                throw Failure(.failed, "Nothing may leave, so no file was written.")
            }
            try consent(to: preview)
            let password = try password.chosen()
            let export = try await session.authenticator.export(
                preview.filter(\.result.leaves).map(\.enrollment.id))
            try await target.write(
                export.content, under: password,
                hasMoved: export.entries.contains(where: \.result.moves))
            let others = preview.filter { !$0.result.leaves }
            let entries = export.entries + others
            options.reporter.show(entries.map(MovingReport.init), none: "")
            return session.ending(MovingReport.status(of: entries))
        }
    }

    private func chosen(in session: Session) async throws -> [Enrollment.ID] {
        if ids.isEmpty {
            guard !selection.isEmpty else {
                return try await session.authenticator.enrollments().map(\.id)
            }
            return try await session.enrollments(selection).map(\.id)
        }
        var chosen: [Enrollment.ID] = []
        for id in ids {
            let found = try await session.enrollment(id, selection).id
            if !chosen.contains(found) { chosen.append(found) }
        }
        return chosen
    }

    private func consent(to preview: [EnrollmentExport.Entry]) throws {
        guard !yes else { return }
        for entry in preview { options.reporter.tell(MovingReport(entry).text(for: .error)) }
        try Prompt().confirm(
            preview.contains(where: \.result.moves)
                ? "What moves is of no use here afterwards. Go on?" : "Write the file?")
    }
}

struct ImportCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Take the enrollments of a file that `export` wrote.",
        discussion: """
            What is in it is shown first, with the servers that it would talk to, and nothing is taken \
            until that is confirmed. A second import changes nothing. What couldn't be taken is listed \
            with the reason. Vendors are told this device's token, so that pushes come here.
            """)

    @Argument(help: "The file.", completion: .file()) var file: String

    @Flag(name: .shortAndLong, help: "Don't ask whether it is meant.") var yes = false

    @OptionGroup var password: ExportPassword
    @OptionGroup var options: GlobalOptions

    func run() async throws {
        try await performing(leavesWork: true) { cutoff in
            let sealed = try ExportTarget(path: file).read()
            let session = try await Session(
                options.makingStore, verifier: CommandUser(VerificationOptions()), cutoff: cutoff)
            let content = try await opened(sealed)
            try consent(to: try await session.authenticator.importPreview(of: content))
            let imported = try await session.authenticator.importEnrollments(from: content)
            options.reporter.show(
                imported.map(MovingReport.init), none: "The file holds no enrollment.")
            let reports = imported.map(MovingReport.init)
            // The pushes of what was taken still go to the other device.
            if reports.contains(where: { $0.result == "taken" }) {
                _ = try await session.authenticator.resume()
            }
            return reports.first { $0.status != .done }?.status ?? .done
        }
    }

    /// Whoever wrote the file chose the servers.
    private func consent(to enrollments: [Enrollment]) throws {
        guard !yes, !enrollments.isEmpty else { return }
        for enrollment in enrollments {
            let server = enrollment.host.map { "\($0):\(enrollment.port)" }
            let words = [
                enrollment.id.provider.rawValue, enrollment.issuer, enrollment.account,
                server ?? "no server",
            ]
            options.reporter.tell(
                words.compactMap { $0 }.filter { !$0.isEmpty }.map { printable($0) }
                    .joined(separator: "  "))
        }
        try Prompt().confirm("Take them?")
    }

    private func opened(_ sealed: Data) async throws -> Secret {
        let password = try password.typed()
        do throws(PushError) {
            return try await PasswordSeal.open(sealed, with: password)
        } catch {
            if error.code == .unsupportedRecord {
                throw Failure(.failed, error.reason, advice: "Update pushauth.")
            }
            throw Failure(
                ExitStatus(error.code), error.reason, advice: "Nothing has changed. Try again.")
        }
    }
}

/// Where the password of an export comes from. It is never an argument: others on this machine could
/// read it.
struct ExportPassword: ParsableArguments {
    @Option(help: ArgumentHelp("Read the password from this file descriptor.", valueName: "number"))
    var passwordFd: Int32?

    @Option(
        help: ArgumentHelp("Read the password from this environment variable.", valueName: "name"))
    var passwordEnv: String?

    func validate() throws {
        if let passwordFd { try CallersDescriptor(number: passwordFd).check() }
    }

    /// The password of a file that was written.
    func typed() throws(PushError) -> Secret {
        let prompt = Prompt()
        if let passwordFd { return try prompt.line(from: passwordFd) }
        if let passwordEnv { return try prompt.variable(passwordEnv) }
        return try prompt.hidden("Password: ", otherwise: Self.advice)
    }

    /// The password of a file that is to be written.
    func chosen() throws -> Secret {
        let first = try typed()
        guard first.count >= PasswordSeal.shortestPassword else {
            throw Failure(
                .verification,
                "The password has fewer than \(PasswordSeal.shortestPassword) bytes.",
                advice: "Nothing was written. The file is as safe as it is hard to guess.")
        }
        guard passwordFd == nil, passwordEnv == nil else { return first }
        let second = try Prompt().hidden("The same again: ", otherwise: Self.advice)
        guard first.isEqualInConstantTime(to: second) else {
            throw Failure(
                .verification, "The two differ.", advice: "Nothing was written. Try again.")
        }
        return first
    }

    private static let advice = "Give the password by --password-fd or --password-env."
}

/// The file of an export.
private struct ExportTarget {
    let path: String

    /// Looks ahead: once something is marked as moved, its file should be written.
    func check() throws(Failure) {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw Failure(
                .failed, "There is a file \(path).",
                advice: "It may hold enrollments that are nowhere else: name another.")
        }
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard FileManager.default.isWritableFile(atPath: directory) else {
            throw Failure(
                .store, "The directory \(directory) can't be written.",
                advice: "Nothing was exported. Name another.")
        }
    }

    func write(
        _ content: Secret, under password: Secret, hasMoved: Bool
    ) async throws(Failure) {
        do {
            let sealed = try await PasswordSeal.seal(
                content, under: password, random: SystemRandom())
            try PrivateFile(path: path, isOwn: false).create(sealed)
        } catch {
            let failure = Failure(error)
            let moved =
                hasMoved
                ? "What was to move is marked as moved. `pushauth export` writes it again, and "
                    + "`pushauth import` of that brings it back."
                : "Nothing has changed in the store."
            throw Failure(
                failure.status, failure.text,
                advice: [failure.advice, moved].compactMap { $0 }.joined(separator: " "))
        }
    }

    func read() throws(Failure) -> Data {
        let bytes: Data
        do throws(BoundedInput.Fault) {
            var input = try BoundedInput(
                file: path, limit: PasswordSeal.largestFile, isText: false)
            bytes = try input.all()
        } catch {
            throw Failure(error)
        }
        guard !bytes.isEmpty else { throw Failure(.failed, "The file \(path) is empty.") }
        return bytes
    }
}
