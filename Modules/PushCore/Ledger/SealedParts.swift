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

/// How an enrollment that is being made is guarded. The tasks that make it see it.
final class NewGuard: Sendable {
    static let current = TaskLocal<NewGuard?>(wrappedValue: nil)

    let policy: GuardPolicy

    /// What biometry is to unlock, sealed before anything was sent; `nil` if the part is the
    /// credential's own.
    let part: SealedPart?

    /// Whether that is on record, as far as anybody knows.
    let isUsed = Locked(false)

    init(_ policy: GuardPolicy, _ part: SealedPart? = nil) {
        self.policy = policy
        self.part = part
    }
}

/// What guards have opened for a step. Its tasks see it, and it is gone with the step.
final class OpenParts: Sendable {
    typealias Opened = (part: Secret, secrets: [Secret])

    private static let current = TaskLocal<OpenParts?>(wrappedValue: nil)

    /// What was open before.
    private let outer: OpenParts?

    /// `nil` once the step is over: a task that outlives it finds nothing open.
    private let opened: Locked<[Opened]?>

    private init(_ opened: [Opened]) {
        outer = Self.current.get()
        self.opened = Locked(opened)
    }

    /// Runs a step with what is open.
    nonisolated(nonsending) static func lending<Value: Sendable>(
        _ opened: [Opened],
        _ body: nonisolated(nonsending) () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let open = OpenParts(opened)
        let result = await current.withValue(open) {
            await Result { () async throws(PushError) in try await body() }
        }
        open.opened.withLock { $0 = nil }
        return try result.get()
    }

    /// Keeps open what the running step has sealed, for as long as the step goes on.
    static func add(_ opened: Opened) {
        current.get()?.opened.withLock { $0?.append(opened) }
    }

    fileprivate static func secrets(of part: Secret) -> [Secret]? {
        var open = current.get()
        while let step = open {
            let found = step.opened.withLock { opened in
                opened?.first { $0.part.isEqualInConstantTime(to: part) }
            }
            if let found { return found.secrets }
            open = step.outer
        }
        return nil
    }
}

/// The app's guard, as the core uses it.
struct Sealing: Sendable {
    let keyGuard: (any KeyGuard)?

    /// The guard; `unsupported` if there is none.
    @discardableResult
    func requireGuard() throws(PushError) -> any KeyGuard {
        guard let keyGuard else {
            throw PushError(
                .unsupported, "The environment has no key guard (PushEnvironment.keyGuard).")
        }
        return keyGuard
    }

    /// Seals secrets: `unsupported` if there is no guard, or nothing to seal, as nothing is left
    /// unguarded in silence.
    func seal(
        _ secrets: [Secret], under policy: GuardPolicy
    ) async throws(PushError) -> SealedPart {
        let keyGuard = try requireGuard()
        guard !secrets.isEmpty else { throw .nothingToGuard }
        let content = Secret.Record(fields: [:], secrets: secrets).sealed
        return SealedPart(policy: policy, part: try await keyGuard.seal(content, under: policy))
    }

    /// Refuses a policy that the guard can't keep to, before an invitation is spent: some vendors'
    /// records are written, and so sealed, after that.
    func check(_ policy: GuardPolicy) async throws(PushError) {
        await discard(try await seal([Secret(Array("a trial".utf8))], under: policy))
    }

    /// Seals what is to be behind the guard of a half that is stored anew, if somebody has chosen one,
    /// or the half in whose place it comes has one.
    func seal(
        _ half: any ProviderCredential, replacing old: SealedPart? = nil
    ) async throws(PushError) -> SealedPart? {
        let new = NewGuard.current.get()
        if let part = new?.part { return part }
        guard let policy = new?.policy ?? old?.policy else { return nil }
        return try await seal(half.guardable ?? [], under: policy)
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

    /// Notes whether what was sealed for a new record is on record, and forgets it if it isn't. If nobody
    /// can say, it may be needed.
    func settle(_ new: SealedPart?, _ error: PushError?) async {
        let isUsed = error == nil || error?.code == .storageUnknown
        if let making = NewGuard.current.get(), making.part.isSame(as: new) {
            if isUsed { making.isUsed.withLock { $0 = true } }
        } else if !isUsed {
            await discard(new)
        }
    }

    /// The same for what is on record, and forgets which of both isn't any more.
    func settle(_ new: SealedPart?, replacing old: SealedPart?, by now: SealedPart?) async {
        await settle(new, nil)
        for part in [old, new] where !part.isSame(as: now) { await discard(part) }
    }

    /// Forgets what isn't needed any more.
    func discard(_ sealed: SealedPart?) async {
        if let sealed { await keyGuard?.discard(sealed.part) }
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
