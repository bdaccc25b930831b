import Foundation
import PushCore
import PushTesting

@testable import FictionalVendor

/// Acme whose enrollments move from device to device, with codes by a counter.
struct MovingAcme: PushProvider, EnrollmentExporter, CodeGenerator {
    private static let counter = "code"

    let inner: Acme
    /// What may leave of an account.
    var leaves: @Sendable (String, Secret.Record) -> Exportability = { .moves($1) }
    /// Whether an account is enrolled once.
    var claims = false

    var id: ProviderID { inner.id }
    var capabilities: Capabilities { inner.capabilities }
    var pushServices: [DeviceToken.Service] { inner.pushServices }
    var enroller: any Enroller { inner.enroller }
    var resolver: any Resolver { inner.resolver }
    var codes: (any CodeGenerator)? { self }
    var exporter: any EnrollmentExporter { self }

    func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        inner.candidate(in: message)
    }

    func exportability(of credential: Credential) throws(PushError) -> Exportability {
        leaves(
            credential.enrollment.id.name, Secret.Record(fields: [:], secrets: [credential.secret]))
    }

    func credential(
        from content: Secret.Record, for enrollment: Enrollment, known: Credential?
    ) throws(PushError) -> Credential {
        guard let secret = content.secrets.first else {
            throw PushError(.malformed, "The secret is missing.")
        }
        var made = Credential(enrollment, secret: secret)
        if let known {
            var record = try Secret.Record(reading: secret)
            let here = try Secret.Record(reading: known.secret)
            guard record.secrets.map({ $0.copiedText() }) == here.secrets.map({ $0.copiedText() })
            else { throw PushError(.conflict, "Another enrollment has this name.") }
            let counters = [record, here].compactMap { $0.fields[Self.counter]?.integer }
            record.fields[Self.counter] = counters.max().map { .integer($0) }
            made.secret = record.sealed
        }
        return made
    }

    func claim(of credential: Credential) async throws(PushError) -> String? {
        claims ? credential.enrollment.account : nil
    }

    func code(
        of account: Account, evidence: [Evidence]
    ) async throws(PushError) -> OneTimeCode {
        let counter = try await account.change { (record: inout Secret.Record, _) in
            Acme.take(Self.counter, of: &record)
        }
        return OneTimeCode(Secret(copying: "\(counter)"))
    }
}

extension AuthenticatorHarness {
    /// An authenticator whose enrollments may leave.
    func movable(
        in environment: PushEnvironment? = nil, _ options: Acme.Options = .init(),
        change: (inout MovingAcme) -> Void = { _ in }
    ) throws -> PushAuthenticator {
        let environment = environment ?? self.environment
        var acme = MovingAcme(inner: Acme("acme", options, in: environment))
        change(&acme)
        return PushAuthenticator(
            try PluginRegistry([acme]), in: environment, configuration: AuthenticatorHarness.quiet)
    }
}
