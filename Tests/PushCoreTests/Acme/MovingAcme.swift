import Foundation
import PushCore
import PushTesting

/// Acme whose enrollments move from device to device, with codes by a counter.
struct MovingAcme: PushProvider, EnrollmentMover, CodeGenerator {
    let inner: Acme
    /// What may leave of an account.
    var leaves: @Sendable (String, SecretRecord) -> Portability = { .moves($1) }
    /// Whether an account is enrolled once.
    var claims = false

    var id: ProviderID { inner.id }
    var capabilities: Capabilities { inner.capabilities }
    var pushServices: [PushService] { inner.pushServices }
    var enroller: any Enroller { inner.enroller }
    var resolver: any Resolver { inner.resolver }
    var codes: (any CodeGenerator)? { self }
    var mover: any EnrollmentMover { self }

    func candidate(in message: PushMessage) -> PushCandidate? { inner.candidate(in: message) }

    func portability(of credential: Credential) throws(PushError) -> Portability {
        leaves(
            credential.enrollment.id.name, SecretRecord(fields: [:], secrets: [credential.secret]))
    }

    func credential(
        from content: SecretRecord, for enrollment: Enrollment, known: Credential?
    ) throws(PushError) -> Credential {
        guard let secret = content.secrets.first else {
            throw PushError(.malformed, "The secret is missing.")
        }
        var made = Credential(enrollment, secret: secret)
        if let known {
            var (key, other) = (AcmeKey(made), AcmeKey(known))
            guard key.key == other.key else {
                throw PushError(.conflict, "Another enrollment has this name.")
            }
            key.counter = max(key.counter, other.counter)
            other.counter = key.counter
            made.secret = key.secret
        }
        return made
    }

    func claim(of credential: Credential) async throws(PushError) -> String? {
        claims ? credential.enrollment.account : nil
    }

    func code(
        for enrollment: Enrollment.ID, evidence: [Evidence]
    ) async throws(PushError) -> OneTimeCode {
        let counter = try await inner.vault.update(enrollment) { credential in
            var key = AcmeKey(credential)
            key.counter += 1
            credential.secret = key.secret
            return key.counter
        }
        return OneTimeCode(Secret(copying: "\(counter)"))
    }
}

extension AuthenticatorHarness {
    /// An authenticator whose enrollments may leave.
    func movable(
        in environment: Environment? = nil, _ options: Acme.Options = .init(),
        change: (inout MovingAcme) -> Void = { _ in }
    ) throws -> PushAuthenticator {
        let environment = environment ?? self.environment
        var acme = MovingAcme(inner: Acme("acme", options, in: environment))
        change(&acme)
        return PushAuthenticator(
            try PluginRegistry([acme]), in: environment, policies: AuthenticatorHarness.quiet)
    }
}
