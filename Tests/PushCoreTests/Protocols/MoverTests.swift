import Foundation
import PushCore
import Testing

// snippet: mover
/// Lets enrollments move whose secret the vendor gave, and nothing on this device made.
struct SecretMover: EnrollmentMover {
    func portability(of credential: Credential) throws(PushError) -> Portability {
        .moves(SecretRecord(fields: [:], secrets: [credential.secret]))
    }

    func credential(
        from content: SecretRecord, for enrollment: Enrollment, known: Credential?
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

struct MoverTests {
    private let enrollment = Enrollment(id: .ada, state: .active, created: morning)

    private func content(of secret: Secret) throws -> SecretRecord {
        let credential = Credential(enrollment, secret: secret)
        guard case .moves(let content) = try SecretMover().portability(of: credential) else {
            throw PushError(.malformed, "It doesn't move.")
        }
        return content
    }

    @Test func `the article's mover brings the secret along, and mixes up no two`() throws {
        let mover = SecretMover()
        let content = try content(of: secret("s"))
        let made = try mover.credential(from: content, for: enrollment, known: nil)
        #expect(made.secret.isEqualInConstantTime(to: secret("s")))
        #expect(made.enrollment == enrollment)
        let other = Credential(enrollment, secret: secret("t"))
        #expect(
            code { try mover.credential(from: content, for: enrollment, known: other) }
                == .conflict)
        #expect(
            code {
                try mover.credential(
                    from: SecretRecord(fields: [:]), for: enrollment, known: nil)
            } == .malformed)
    }

    @Test func `what is bound to its device says why, and takes nothing`() throws {
        let bound = DeviceBound("Its key was made here.")
        let credential = Credential(enrollment, secret: secret("s"))
        guard case .stays("Its key was made here.") = try bound.portability(of: credential) else {
            Issue.record("It leaves.")
            return
        }
        let thrown = code {
            try bound.credential(
                from: SecretRecord(fields: [:]), for: enrollment, known: nil)
        }
        #expect(thrown == .unsupported)
    }
}
