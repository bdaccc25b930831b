import ArgumentParser
import Foundation
import PushCore
import TerminalIO

struct CodeCommand: LinkingCommand {
    static let configuration = CommandConfiguration(
        commandName: "code", abstract: "Make a one-time code, without any network.")

    @Argument(help: "The ID of the enrollment.", completion: .enrollments) var id: String?
    @OptionGroup var selection: Selection
    @OptionGroup var verification: VerificationOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws { try selection.check(orID: id) }

    func run() async throws {
        try await performing { cutoff in
            let session = try await Session(
                options, verifier: CommandUser(verification), cutoff: cutoff)
            let enrollment = try await session.enrollment(id, selection)
            let code = try await Self.code(for: enrollment.id, in: session)
            options.reporter.show(CodeReport(code: code, subject: Subject(enrollment)))
            return .done
        }
    }
}

extension CodeCommand {
    private static func code(
        for id: Enrollment.ID, in session: Session
    ) async throws -> OneTimeCode {
        do throws(PushError) {
            return try await session.authenticator.code(for: id)
        } catch  where error.code == .unsupported {
            throw Failure(
                .failed, error.reason,
                advice:
                    "It answers pushes alone: `pushauth pending`. Codes come with a QR code for "
                    + "them: `pushauth enroll`.")
        }
    }
}

/// A one-time code: what the user asked for, so it is shown.
struct CodeReport: Report {
    let code: OneTimeCode
    let subject: Subject?

    private var digits: String {
        code.text.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    var json: JSON {
        var object: JSON.Object = ["code": .string(digits)]
        object["expires"] = code.expiry.map { .string(timestamp($0)) }
        return .object(object)
    }

    func text(for terminal: Terminal) -> String { digits }
}
