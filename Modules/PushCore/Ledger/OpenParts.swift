/// What guards have opened for a step. Its tasks see it, and it is gone with the step.
final class OpenParts: Sendable {
    private static let current = TaskLocal<OpenParts?>(wrappedValue: nil)

    private let documents: Documents

    /// `nil` once the step is over: a task that outlives it finds nothing open.
    private let parts: Locked<[Enrollment.ID: [Secret]]?>

    private init(_ parts: [Enrollment.ID: [Secret]], _ documents: Documents) {
        self.documents = documents
        self.parts = Locked(parts)
    }

    /// Runs a step with what is open, and with what was open around it.
    nonisolated(nonsending) static func lending<Value: Sendable>(
        _ parts: [Enrollment.ID: [Secret]], in documents: Documents,
        _ body: nonisolated(nonsending) () async throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let outer = now(in: documents)?.parts.withLock { $0 } ?? [:]
        let open = OpenParts(outer.merging(parts) { $1 }, documents)
        let result = await current.withValue(open) {
            await Result { () async throws(PushError) in try await body() }
        }
        open.parts.withLock { $0 = nil }
        return try result.get()
    }

    /// The running step's; `nil` if nothing is open, or it is another device's.
    static func now(in documents: Documents) -> OpenParts? {
        current.get().flatMap { $0.documents === documents ? $0 : nil }
    }

    subscript(id: Enrollment.ID) -> [Secret]? {
        get { parts.withLock { $0?[id] } }
        set { parts.withLock { $0?[id] = newValue } }
    }
}

/// How an enrollment that is being made is guarded.
struct NewGuard: Sendable {
    static let current = TaskLocal<NewGuard?>(wrappedValue: nil)

    let policy: GuardPolicy

    /// What biometry is to unlock; `nil` if the part is the credential's own.
    let secret: Secret?
}

/// What of a credential is behind a guard, as it is stored.
struct SealedPart: Sendable {
    let policy: GuardPolicy
    let part: Secret
}
