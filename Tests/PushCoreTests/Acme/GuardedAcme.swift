import PushTesting

@testable import FictionalVendor
@testable import PushCore

/// An Acme with a key of its own for what a guard may keep, or with a factor that biometry unlocks.
struct GuardedAcme: AcmeVariant, CodeGenerator, EnrollmentExporter {
    static let key = "the key of Ada's answers"

    let acme: Acme
    let guarded: Capabilities.GuardedPart?

    /// What biometry unlocks, as the vendor learned it when the enrollment was made.
    let biometry = Locked<Secret?>(nil)

    /// What is done while an answer is prepared.
    var whilePreparing: @Sendable (Account) async throws(PushError) -> Void = {
        (_) async throws(PushError) in
    }

    /// The key is needed for these; `nil` for an Acme that takes biometry.
    init(
        _ uses: Capabilities.GuardedPart.Uses?, _ options: Acme.Options = .init(),
        in environment: PushEnvironment
    ) {
        acme = Acme("acme", options, in: environment)
        guarded = uses.map { Capabilities.GuardedPart(of: Half.self, for: $0) } ?? .biometry
    }

    /// Acme's record, with the key behind the one that all the rest goes by.
    struct Half: GuardedCredential {
        private(set) var record: Secret.Record

        init(reading sealed: Secret) throws(PushError) {
            record = try Secret.Record(reading: sealed)
        }

        init(_ secrets: Secret...) { record = Secret.Record(fields: [:], secrets: secrets) }

        var sealed: Secret { record.sealed }

        var answerSecrets: [Secret] {
            get { Array(record.secrets.dropFirst()) }
            set { record.secrets = record.secrets.prefix(1) + newValue }
        }

        var note: JSON? {
            get { record.fields["note"] }
            set { record.fields["note"] = newValue }
        }
    }

    var codes: (any CodeGenerator)? { self }
    var exporter: any EnrollmentExporter { self }

    /// Takes the key, if something needs it.
    @discardableResult
    func key(
        for use: Capabilities.GuardedPart.Uses, of account: Account
    ) throws(PushError) -> String {
        let half: Half = try account.credential()
        guard guarded?.uses.contains(use) == true else { return "" }
        guard let key = half.answerSecrets.first else { throw .locked }
        return key.copiedText()
    }

    // MARK: Enroller

    func enroll(
        _ offer: Invitation.Offer, with evidence: [Evidence], deviceToken: DeviceToken?
    ) async throws(PushError) -> Enrollment {
        let name = offer.account ?? ""
        let (made, push) = (Enrollment.ID(name, of: id), AcmeWire.key(of: name))
        _ = try await acme.post("/enroll", ["pin": false], of: made, key: push)
        biometry.withLock { $0 = evidence.biometricSecret }
        let own = guarded?.isBiometry == false ? [secret(Self.key)] : []
        var half = Half(secret(push))
        half.answerSecrets = own
        let enrollment = Enrollment(
            id: made, host: acme.host, state: .active, created: acme.environment.clock.now)
        try await acme.accounts.create(enrollment, half)
        // As a plugin may that doesn't look at what became of it.
        return enrollment
    }

    func update(_ deviceToken: DeviceToken?, of account: Account) async throws(PushError) {
        try key(for: .questions, of: account)
        try await acme.update(deviceToken, of: account)
    }

    func refresh(_ account: Account) async throws(PushError) -> Enrollment {
        try key(for: .questions, of: account)
        return try await acme.refresh(account)
    }

    // MARK: Resolver

    func challenge(
        for announcement: inout Announcement, of account: Account
    ) async throws(PushError) -> Challenge {
        try key(for: .opening, of: account)
        return try await acme.challenge(for: &announcement, of: account)
    }

    func prepare(_ decision: Decision, of account: Account) async throws(PushError) -> Signing {
        try key(for: decision.resolution.isDenial ? .denial : .approval, of: account)
        if !decision.resolution.isDenial, decision.evidence.holdsBiometry,
            guarded?.isBiometry == true
        {
            let known = biometry.withLock { $0?.copiedText() }
            guard decision.evidence.biometricSecret?.copiedText() == known else {
                throw PushError(.verificationFailed, "That is another secret.")
            }
        }
        try await whilePreparing(account)
        return try await acme.prepare(decision, of: account)
    }

    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
    ) async throws(PushError) -> Outcome {
        try key(for: .delivery, of: account)
        return try await acme.send(answer, for: &announcement, of: account, again: again)
    }

    func status(
        for announcement: inout Announcement, of account: Account, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        try key(for: .questions, of: account)
        return try await acme.status(for: &announcement, of: account, kept: kept)
    }

    func pending(
        of account: Account, after hint: PushEvent.Hint?
    ) async throws(PushError) -> Pending {
        try key(for: .questions, of: account)
        return try await acme.pending(of: account, after: hint)
    }

    // MARK: Codes and exports

    func code(
        of account: Account, evidence: [Evidence]
    ) async throws(PushError) -> OneTimeCode {
        OneTimeCode(secret("code by " + (try key(for: .codes, of: account))))
    }

    func exportability(of credential: Credential) throws(PushError) -> Exportability {
        .moves(Secret.Record(fields: [:], secrets: [credential.secret]))
    }

    func credential(
        from content: Secret.Record, for enrollment: Enrollment, known: Credential?
    ) throws(PushError) -> Credential {
        guard let secret = content.secrets.first else {
            throw PushError(.malformed, "The secret is missing.")
        }
        return Credential(enrollment, secret: secret)
    }
}

/// A guarded Acme with an app around it.
struct GuardedApp {
    let keyGuard = ScriptedGuard()
    let store = HoardingStore()
    let harness: AuthenticatorHarness
    var acme: GuardedAcme
    let authenticator: PushAuthenticator

    init(
        _ uses: Capabilities.GuardedPart.Uses?, _ options: Acme.Options = .init(),
        verifier: ScriptedVerifier = .willing(),
        whilePreparing: @escaping @Sendable (Account) async throws(PushError) -> Void = {
            (_) async throws(PushError) in
        }
    ) throws {
        harness = AuthenticatorHarness(verifier: verifier, store: store, keyGuard: keyGuard)
        acme = GuardedAcme(uses, options, in: harness.environment)
        acme.whilePreparing = whilePreparing
        authenticator = try harness.authenticator(of: acme)
    }

    /// An app at whose Acme accounts are enrolled under a policy.
    static func enrolled(
        _ uses: Capabilities.GuardedPart.Uses?, _ policy: GuardPolicy? = .currentBiometry,
        _ accounts: [String] = ["ada"], _ options: Acme.Options = .init(),
        verifier: ScriptedVerifier = .willing(),
        whilePreparing: @escaping @Sendable (Account) async throws(PushError) -> Void = {
            (_) async throws(PushError) in
        }
    ) async throws -> GuardedApp {
        let app = try GuardedApp(
            uses, options, verifier: verifier, whilePreparing: whilePreparing)
        for account in accounts {
            _ = try await app.authenticator.join(account, guardedBy: policy)
        }
        return app
    }

    /// For how many things its guard was asked.
    var questions: Int { get async { await keyGuard.requests.count } }

    /// Whether any write ever held a text.
    func hasWritten(_ text: String) async -> Bool {
        await store.written.contains { bytes($0, hold: text) }
    }

    /// The authenticator of another process, with the same store and guard.
    func otherProcess(keyGuard: (any KeyGuard)?) throws -> PushAuthenticator {
        let environment = PushEnvironment(
            transport: harness.transport, store: store, verifier: harness.verifier,
            clock: harness.clock, device: Device(name: "test"), keyGuard: keyGuard)
        let uses = acme.guarded.flatMap { $0.isBiometry ? nil : $0.uses }
        return PushAuthenticator(
            try PluginRegistry([GuardedAcme(uses, acme.acme.options, in: environment)]),
            in: environment, configuration: AuthenticatorHarness.quiet)
    }
}
