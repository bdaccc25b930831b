import Foundation
import PushCore
import Testing

// snippet: exporter
/// Lets enrollments move whose secret the vendor gave, and nothing on this device made.
struct SecretExporter: EnrollmentExporter {
    func exportability(of credential: Credential) throws(PushError) -> Exportability {
        .moves(Secret.Record(fields: [:], secrets: [credential.secret]))
    }

    func credential(
        from content: Secret.Record, for enrollment: Enrollment, known: Credential?
    ) throws(PushError) -> Credential {
        guard content.secrets.count == 1, let secret = content.secrets.first else {
            throw PushError(.malformed, "The export lacks the secret.")
        }
        if let known, !known.secret.isEqualInConstantTime(to: secret) {
            throw PushError(.conflict, "Another enrollment has this name.")
        }
        return Credential(enrollment, secret: secret)
    }
}
// end snippet

struct ExporterTests {
    private let enrollment = Enrollment(id: .ada, state: .active, created: morning)

    private func content(of secret: Secret) throws -> Secret.Record {
        let credential = Credential(enrollment, secret: secret)
        guard case .moves(let content) = try SecretExporter().exportability(of: credential) else {
            throw PushError(.malformed, "It doesn't move.")
        }
        return content
    }

    @Test func `the article's exporter brings the secret along, and mixes up no two`() throws {
        let exporter = SecretExporter()
        let content = try content(of: secret("s"))
        let made = try exporter.credential(from: content, for: enrollment, known: nil)
        #expect(made.secret.isEqualInConstantTime(to: secret("s")))
        #expect(made.enrollment == enrollment)
        let other = Credential(enrollment, secret: secret("t"))
        #expect(
            code { try exporter.credential(from: content, for: enrollment, known: other) }
                == .conflict)
        #expect(
            code {
                try exporter.credential(
                    from: Secret.Record(fields: [:]), for: enrollment, known: nil)
            } == .malformed)
    }

    @Test func `what is bound to its device says why, and takes nothing`() throws {
        let bound = NotExportable("Its key was made here.")
        let credential = Credential(enrollment, secret: secret("s"))
        guard
            case .notExportable("Its key was made here.") = try bound.exportability(of: credential)
        else {
            Issue.record("It leaves.")
            return
        }
        let thrown = code {
            try bound.credential(
                from: Secret.Record(fields: [:]), for: enrollment, known: nil)
        }
        #expect(thrown == .unsupported)
    }
}
