/// What of a credential is behind a guard, as it is stored.
struct SealedPart: Sendable {
    let policy: GuardPolicy
    let part: Secret

    /// What is behind it, if the running step has opened it.
    var opened: [Secret]? { OpenParts.secrets(of: part) }
}

extension SealedPart? {
    func isSame(as other: SealedPart?) -> Bool {
        guard let own = self?.part, let others = other?.part else {
            return self == nil && other == nil
        }
        return own.isEqualInConstantTime(to: others)
    }
}

/// How an enrollment that is being made is guarded.
struct NewGuard: Sendable {
    let policy: GuardPolicy

    /// What biometry is to unlock; `nil` if the part is the credential's own.
    var secret: Secret?

    /// The running step's.
    static var current: NewGuard? { OpenParts.newGuard }
}

/// What guards have opened for a step. Its tasks see it, and it is gone with the step.
final class OpenParts: Sendable {
    typealias Opened = (part: Secret, secrets: [Secret])

    private static let current = TaskLocal<OpenParts?>(wrappedValue: nil)

    /// What was open before.
    private let outer: OpenParts?

    /// `nil` once the step is over: a task that outlives it finds nothing open.
    private let content: Locked<(opened: [Opened], new: NewGuard?)?>

    private init(_ opened: [Opened], _ new: NewGuard?) {
        outer = Self.current.get()
        content = Locked((opened, new))
    }

    /// Runs a step with what is open, or is to be sealed.
    nonisolated(nonsending) static func lending<Value: Sendable>(
        _ opened: [Opened] = [], new: NewGuard? = nil,
        _ body: nonisolated(nonsending) () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let open = OpenParts(opened, new)
        let result = await current.withValue(open) {
            await Result { () async throws(PushError) in try await body() }
        }
        open.content.withLock { $0 = nil }
        return try result.get()
    }

    /// Keeps open what the running step has sealed, for as long as the step goes on.
    static func add(_ opened: Opened) {
        current.get()?.content.withLock { $0?.opened.append(opened) }
    }

    fileprivate static func secrets(of part: Secret) -> [Secret]? {
        current.get()?.first { content in
            content.opened.first { $0.part.isEqualInConstantTime(to: part) }?.secrets
        }
    }

    fileprivate static var newGuard: NewGuard? { current.get()?.first(\.new) }

    private func first<Value: Sendable>(
        _ find: @Sendable ((opened: [Opened], new: NewGuard?)) -> Value?
    ) -> Value? {
        content.withLock { $0.flatMap(find) } ?? outer?.first(find)
    }
}

/// The app's guard, as the core uses it.
struct Sealing: Sendable {
    let keyGuard: (any KeyGuard)?

    /// Seals secrets: `unsupported` if there is no guard, or nothing to seal, as nothing is left
    /// unguarded in silence.
    func seal(
        _ secrets: [Secret], under policy: GuardPolicy
    ) async throws(PushError) -> SealedPart {
        guard let keyGuard else {
            throw PushError(
                .unsupported, "The environment has no key guard (PushEnvironment.keyGuard).")
        }
        guard !secrets.isEmpty else { throw .nothingToGuard }
        let content = Secret.Record(fields: [:], secrets: secrets).sealed
        return SealedPart(policy: policy, part: try await keyGuard.seal(content, under: policy))
    }

    /// Seals what is to be behind the guard of a half that is stored anew, if somebody has chosen one,
    /// or the half in whose place it comes has one.
    func seal(
        _ half: any ProviderCredential, replacing old: SealedPart? = nil
    ) async throws(PushError) -> SealedPart? {
        let new = NewGuard.current
        guard let policy = new?.policy ?? old?.policy else { return nil }
        return try await seal(new?.secret.map { [$0] } ?? half.guardable ?? [], under: policy)
    }

    /// What is behind each, in the same order. What isn't open yet is opened, with one question to the
    /// user; `locked` if there is no guard.
    func open(
        _ sealed: [SealedPart], for purpose: VerificationRequest.Purpose, title: String?
    ) async throws(PushError) -> [OpenParts.Opened] {
        var opened: [OpenParts.Opened] = []
        for part in sealed {
            if let secrets = part.opened { opened.append((part.part, secrets)) }
        }
        guard opened.count < sealed.count else { return opened }
        guard let keyGuard else { throw .locked }
        let parts = sealed.map(\.part)
        let records = try await keyGuard.open(parts, for: purpose, title: title)
        guard records.count == parts.count else {
            throw PushError(.malformed, "The guard opened another number of parts.")
        }
        opened = []
        for (part, record) in zip(parts, records) {
            opened.append((part, try Secret.Record(reading: record).secrets))
        }
        return opened
    }

    /// Forgets what isn't needed any more.
    func discard(_ sealed: SealedPart?) async {
        if let sealed { await keyGuard?.discard(sealed.part) }
    }
}

extension ProviderCredential {
    /// The secrets that only answers need; `nil` if it has none that could be guarded.
    var guardable: [Secret]? { (self as? any GuardedCredential)?.answerSecrets }

    /// The same with these in their place.
    func with(_ secrets: [Secret]) -> Self {
        guard var guarded = self as? any GuardedCredential else { return self }
        guarded.answerSecrets = secrets
        return guarded as? Self ?? self
    }
}

extension [Secret] {
    func areSame(as other: [Secret]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.isEqualInConstantTime(to: $1) }
    }
}

extension PushError {
    static let nothingToGuard = PushError(
        .unsupported, "The vendor's plugin leaves nothing of it to a guard, or not so.")
}
