import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// An app with one provider beside its vendor's server, of which a check hears everything.
struct CheckedPhone: Sendable {
    let fixtures: VendorFixtures
    let network: SpoiledNetwork
    let provider: any PushProvider
    let authenticator: PushAuthenticator
    let accounts: Accounts
    let keyGuard = ScriptedGuard()
    let store = ListeningStore()
    private let observer = RecordingObserver()
    private let heard = Locked<Set<Heard>>([])
    private let invitations = Locked<[Invitation]>([])

    init(_ fixtures: VendorFixtures) async throws(PushError) {
        self.fixtures = fixtures
        network = SpoiledNetwork(to: fixtures.simulator)
        let environment = PushEnvironment(
            transport: network, store: store, verifier: ScriptedVerifier.willing(pin: fixtures.pin),
            clock: fixtures.clock, device: Device(name: "A phone", platform: .android),
            observer: observer, keyGuard: keyGuard)
        provider = try fixtures.provider(environment)
        await network.listen(for: provider.id)
        accounts = environment.accounts(for: provider.id)
        authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment, configuration: .checked)
        try await authenticator.deviceTokenChanged(fixtures.deviceToken)
    }

    /// A phone that one of the users has enrolled.
    static func enrolled(
        at fixtures: VendorFixtures
    ) async throws(PushError) -> (phone: CheckedPhone, id: Enrollment.ID) {
        let phone = try await CheckedPhone(fixtures)
        return (phone, try await phone.enroll(fixtures.users.one))
    }

    // MARK: Using it

    func invitation(for user: String) async throws(PushError) -> Invitation {
        let invitation = try await fixtures.simulator.invitation(for: user)
        invitations.withLock { $0.append(invitation) }
        return invitation
    }

    func enroll(_ user: String) async throws(PushError) -> Enrollment.ID {
        try await enroll(with: invitation(for: user))
    }

    @discardableResult
    func enroll(
        with invitation: Invitation, guardedBy policy: GuardPolicy? = nil
    ) async throws(PushError) -> Enrollment.ID {
        guard let offer = try authenticator.offers(for: invitation).first else {
            throw PushError(.notFound, "The vendor's invitation leads to no offer.")
        }
        hear("an offer", offer)
        let enrollment = try await authenticator.enroll(offer, guardedBy: policy)
        if enrollment.state != .active {
            try await authenticator.withOpenGuards(of: [enrollment.id]) {
                () async throws(PushError) in _ = try await authenticator.refresh(enrollment.id)
            }
        }
        // Some vendors get the device token only then.
        try await authenticator.resume()
        return enrollment.id
    }

    /// Starts a login, and hands the phone its push.
    func login(
        of user: String, asking kind: SimulatedLogin.Kind = .confirm
    ) async throws(PushError) -> (login: SimulatedLogin, challenge: Challenge) {
        try await shown(fixtures.simulator.startLogin(of: user, asking: kind))
    }

    private func shown(
        _ login: SimulatedLogin
    ) async throws(PushError) -> (login: SimulatedLogin, challenge: Challenge) {
        let known = Set(try await authenticator.records().map(\.id))
        try await receive(await fixtures.simulator.takePushes())
        guard
            let record = try await authenticator.records()
                .first(where: { !known.contains($0.id) })
        else { throw PushError(.notFound, "A login's push leads to no challenge.") }
        hear("a notice", record.notice)
        let challenge = try await authenticator.challenge(record.id)
        hear("a challenge", challenge)
        return (login, challenge)
    }

    /// Starts a login of a kind, once none waits; `nil` if the vendor has none of this kind.
    func loginIfAny(
        asking kind: SimulatedLogin.Kind
    ) async throws(PushError) -> (login: SimulatedLogin, challenge: Challenge)? {
        fixtures.outlastLogins()
        let login: SimulatedLogin
        do throws(PushError) {
            login = try await fixtures.simulator.startLogin(of: fixtures.users.one, asking: kind)
        } catch {
            guard error.code == .unsupported || error.code == .invalidArgument else { throw error }
            return nil
        }
        return try await shown(login)
    }

    func receive(_ pushes: [SimulatedPush]) async throws(PushError) {
        for push in pushes {
            for reception in try await authenticator.receive(push.message()) {
                hear("a reception", reception)
            }
        }
    }

    /// What the user does of which the login page then shows whether it was taken.
    func resolution(isYes: Bool, _ login: SimulatedLogin, _ prompt: Challenge.Prompt) -> Resolution
    {
        switch prompt {
        case _ where !isYes: .deny(.unexpected)
        case .choose: .choose(login.shown ?? "")
        case .enter: .enter(login.shown ?? "")
        case .approve, .denyOnly: .approve
        }
    }

    func resolve(
        _ challenge: Challenge, with resolution: Resolution
    ) async -> Result<Outcome, PushError> {
        await attempt { () async throws(PushError) in
            try await authenticator.resolve(challenge, with: resolution)
        }
    }

    /// Whether the login page shows what the user chose.
    func isTaken(_ login: SimulatedLogin, isYes: Bool) async throws(PushError) -> Bool {
        try await fixtures.simulator.status(of: login.id) == (isYes ? .approved : .denied)
    }

    /// Runs something that may fail, and hears how.
    func attempt<Value: Sendable>(
        _ body: () async throws(PushError) -> Value
    ) async -> Result<Value, PushError> {
        let result = await Result { () async throws(PushError) in try await body() }
        switch result {
        case .success(let value): hear("a result", value)
        case .failure(let error): hear("an error", error)
        }
        return result
    }

    // MARK: Secrets

    func hear(_ what: String, _ value: Any) {
        var dumped = ""
        dump(value, to: &dumped)
        let texts = ["\(value)", String(reflecting: value), dumped]
        heard.withLock { $0.formUnion(texts.map { Heard(what: what, text: $0) }) }
    }

    /// Looks for secrets in all that was heard.
    func searchForSecrets(_ findings: inout Findings) async throws(PushError) {
        for enrollment in try await authenticator.enrollments() {
            hear("an enrollment", enrollment)
        }
        for record in try await authenticator.records() { hear("a record", record) }
        for observation in observer.observations { hear("an observation", observation) }
        for name in await store.written { hear("the name of a record in the store", name) }
        var secrets = invitations.withLock { $0 }.flatMap { invitation in
            [invitation.scannedText].compactMap(\.self) + fixtures.secrets(invitation)
        }
        for enrollment in try await authenticator.enrollments() {
            let credential: Secret = try await accounts.existing(enrollment.id).credential()
            let parts = (try? Secret.Record(reading: credential))?.secrets ?? []
            secrets += (parts + [credential]).flatMap(\.spellings)
        }
        let texts = heard.withLock { $0 }
        let leaks = texts.filter { heard in secrets.contains(where: heard.text.holds) }
        for what in Set(leaks.map(\.what)).sorted() { findings.note("\(what) tells a secret") }
    }
}

private struct Heard: Hashable {
    let what: String
    let text: String
}

extension UnsafeRawBufferPointer {
    /// Whether other bytes are anywhere among these. `contains` and `firstRange` take over twenty times
    /// as long, which was most of a check's time.
    func holds(_ other: UnsafeRawBufferPointer) -> Bool {
        guard var start = baseAddress, let wanted = other.baseAddress, let first = other.first
        else { return other.isEmpty }
        let end = start + count
        while end - start >= other.count,
            let found = memchr(start, Int32(first), end - start - other.count + 1)
        {
            if memcmp(found, wanted, other.count) == 0 { return true }
            start = UnsafeRawPointer(found) + 1
        }
        return false
    }
}

extension String {
    fileprivate func holds(_ text: String) -> Bool {
        var (own, other) = (self, text)
        return own.withUTF8 { own in
            other.withUTF8 { UnsafeRawBufferPointer(own).holds(UnsafeRawBufferPointer($0)) }
        }
    }
}

extension Secret {
    /// The texts that would tell it, unless it's so short that one may hold it by chance.
    fileprivate var spellings: [String] {
        guard count >= 8 else { return [] }
        return withBytes { bytes in
            let data = Data(bytes)
            let hex = Hexadecimal.text(bytes)
            let base64 = data.base64EncodedString().prefix { $0 != "=" }
            let url = base64.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
            let text = String(data: data, encoding: .utf8).map { [$0] } ?? []
            return text + [hex, hex.uppercased(), String(base64), String(url)]
        }
    }
}

/// A store that remembers what was written to it.
actor ListeningStore: CredentialStore {
    private let store = InMemoryStore()

    /// The names of all records that were ever written.
    private(set) var written: Set<String> = []

    /// All that was ever written into them.
    private(set) var values: [[UInt8]] = []

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try await store.read(key)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        written.insert("\(key.collection) \(key.name)")
        if let value { values.append(value.withBytes { Array($0) }) }
        return try await store.write(value, for: key, replacing: revision, waits: waits)
    }

    func discard(_ key: RecordKey) async throws(PushError) { try await store.discard(key) }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await store.names(in: collection, waiting: waiting, after: name, limit: limit)
    }
}
