#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// All that this device knows of one enrollment, as one record: it is changed by one
/// compare-and-set.
///
/// It is a value: whoever changes a copy writes it if it ``hasChanged``, and changes a newer copy
/// if another process was first. It knows no store and no clock.
struct EnrollmentDocument: Sendable {
    /// How many messages of an inbox are told apart from new ones at the most.
    static let mostTold = 500

    /// Makes names of challenges and of messages. Its key is the document's salt.
    let names: SipHash

    /// How often the enrollment was replaced by another one of its name.
    private(set) var generation: UInt32 = 0

    /// A moment that has certainly passed at the server, by two readings that agreed, as it was
    /// found last; `nil` if there is none. It only forgets and makes room, and refuses nothing.
    /// Whoever writes anyway says it, as it is no reason for a write of its own.
    var passed: CompactDate? {
        didSet { if passed != oldValue { hasChanged = true } }
    }

    /// What the core keeps of the enrollment.
    var head: EnrollmentHead {
        didSet {
            // A provider that makes the public half anew knows nothing of its guard.
            head.enrollment.guardPolicy = guarded?.policy
            sealHead(unlessAs: oldValue)
        }
    }

    @inline(never) private mutating func sealHead(unlessAs old: EnrollmentHead) {
        if head != old { (sealedHead, hasChanged) = (head.sealed, true) }
    }

    /// The bytes of the head.
    private(set) var sealedHead: Secret

    /// The provider's half: opaque to the core.
    private(set) var credential: Secret

    /// The same as a value, once somebody has asked for it.
    private var decoded: (any ProviderCredential)?

    /// What of the provider's half is behind a guard; `nil` if nothing is. The half has none of it.
    private(set) var guarded: SealedPart?

    /// Whether that isn't open in the running step.
    var isLocked: Bool { guarded != nil && guarded?.opened == nil }

    private(set) var rows = DocumentRows()
    private(set) var traces = Traces()

    /// When challenges came.
    var bursts = Bursts() {
        didSet { if bursts != oldValue { hasChanged = true } }
    }

    /// The messages of the inbox that the app was told of, the newest first.
    private(set) var told: [UInt64] = []

    /// Whether it differs from what is on record.
    private(set) var hasChanged: Bool

    /// What was closed since it was read, to make room.
    private(set) var closed: [LedgerRow] = []

    /// A document that isn't on record yet. Its salt is 16 random bytes, which belong to no other.
    init(
        salt: Secret, _ head: EnrollmentHead, _ credential: any ProviderCredential
    ) throws(PushError) {
        guard let names = SipHash(key: salt) else {
            throw PushError(.invalidArgument, "A document's salt has 16 bytes.")
        }
        self.names = names
        self.head = head
        sealedHead = head.sealed
        self.credential = credential.sealed
        decoded = credential
        hasChanged = true
    }

    /// A document as it is on record; `malformed` if its head is damaged.
    init(
        recorded names: SipHash, generation: UInt32, passed: CompactDate?, head: Secret,
        credential: Secret, guarded: Secret?, rows: DocumentRows, traces: Traces, bursts: Bursts,
        told: [UInt64],
        readHead: (Secret) throws(PushError) -> EnrollmentHead = EnrollmentHead.init(reading:)
    ) throws(PushError) {
        self.names = names
        self.generation = generation
        self.passed = passed
        self.head = try readHead(head)
        sealedHead = head
        self.credential = credential
        let policy = self.head.enrollment.guardPolicy
        guard (policy == nil) == (guarded == nil) else {
            throw PushError(.malformed, "A guard has no policy, or a policy has no guard.")
        }
        if let policy, let guarded { self.guarded = SealedPart(policy: policy, part: guarded) }
        self.rows = rows
        self.traces = traces
        self.bursts = bursts
        self.told = told
        hasChanged = false
    }

    /// The same once it is written.
    var asRecorded: EnrollmentDocument {
        var document = self
        document.hasChanged = false
        document.closed = []
        return document
    }

    // MARK: The enrollment

    /// Whether both are of one enrollment: it wasn't removed and made again, nor replaced.
    func isSameEnrollment(as other: EnrollmentDocument) -> Bool {
        generation == other.generation && names.key.isEqualInConstantTime(to: other.names.key)
    }

    /// The provider's half as a value, with what is open of it; `malformed` if it is damaged.
    mutating func readCredential<Credential: ProviderCredential>(
        as _: Credential.Type = Credential.self
    ) throws(PushError) -> Credential {
        let known = decoded as? Credential
        let kept = if let known { known } else { try Credential(reading: credential) }
        decoded = kept
        return guarded?.opened.map(kept.with) ?? kept
    }

    /// Changes the provider's half and the public one: `locked` if that changes what isn't open,
    /// `conflict` if it changes what wasn't sealed before.
    mutating func changeCredential<Credential: ProviderCredential, Value>(
        sealed new: SealedPart? = nil,
        _ body: (inout Credential, inout Enrollment) throws(PushError) -> Value
    ) throws(PushError) -> Value {
        var (changed, enrollment): (Credential, _) = (try readCredential(), head.enrollment)
        let value = try body(&changed, &enrollment)
        if let guarded, let secrets = changed.guardable,
            !secrets.areSame(as: guarded.opened ?? [])
        {
            guard guarded.opened != nil else { throw .locked }
            guard let new, secrets.areSame(as: new.opened ?? []) else {
                throw PushError(.conflict, "What is behind the guard was changed meanwhile.")
            }
            self.guarded = new
            hasChanged = true
        }
        replaceCredential(changed)
        head.enrollment = enrollment
        return value
    }

    /// The one place where a half is written: never with what is behind its guard.
    private mutating func replaceCredential(_ new: any ProviderCredential) {
        let new = guarded == nil ? new : new.with([])
        decoded = new
        let sealed = new.sealed
        guard !sealed.isEqualInConstantTime(to: credential) else { return }
        credential = sealed
        hasChanged = true
    }

    /// Guards an enrollment, or guards it no more; its half comes with its secrets, if it has any.
    mutating func setGuard(_ new: SealedPart?, _ half: (any ProviderCredential)? = nil) {
        guarded = new
        head.enrollment.guardPolicy = new?.policy
        hasChanged = true
        if let half { replaceCredential(half) }
    }

    /// Another enrollment takes the place of this one: what was verified for this one counts no
    /// more.
    mutating func reenroll(
        _ enrollment: Enrollment, _ credential: any ProviderCredential,
        guarded new: SealedPart? = nil
    ) {
        head.enrollment = enrollment
        setGuard(new, credential)
        generation &+= 1
    }

    /// Remembers messages of the inbox by their identifiers as the vendor lists them, the newest
    /// first. Of each, whether the app hasn't been told of it; `false` for those beyond the bound.
    mutating func tell(_ messages: [String]) -> [Bool] {
        let listed = messages.prefix(Self.mostTold).map { names.digest(of: $0.utf8).high }
        let (old, new) = (Set(told), Set(listed))
        // What isn't listed now may be again, after newer ones were read.
        let kept = Array((listed + told.filter { !new.contains($0) }).prefix(Self.mostTold))
        if kept != told {
            told = kept
            hasChanged = true
        }
        return listed.map { !old.contains($0) }
            + Array(repeating: false, count: messages.count - listed.count)
    }

    // MARK: Challenges

    /// The rows that this version can read, and how many it can't.
    mutating func readRows(waiting: Bool = false) -> (rows: [LedgerRow], unreadable: Int) {
        rows.readable(waiting: waiting)
    }

    /// Whether a challenge waits for the user, or for the vendor's word.
    var waits: Bool { rows.waiting > 0 }

    /// What is known of a challenge; `unsupportedRecord` if this version can't read its row.
    mutating func known(_ id: Challenge.ID) throws(PushError) -> Known {
        let name = names.digest(of: id.name.utf8)
        if let row = try rows.row(name) {
            guard row.id == id else {
                throw PushError(.unsupportedRecord, "A row stands under another's name.")
            }
            return .row(row)
        }
        return traces[name].map { .trace($0) } ?? .never
    }

    /// What came of a change of one row, and the row as it is now.
    typealias Change<Value> = (value: Value, row: LedgerRow)

    /// Runs a function of one row, or of a new one if none is on record, and keeps the document
    /// within its bounds; `nil` if only a trace is left of the challenge. Throws `unsupportedRecord` if
    /// this version can't read the row, `storage` if there is no room for one more that waits. Nothing
    /// has changed then.
    mutating func change<Value>(
        _ id: Challenge.ID, by rules: DocumentRules,
        _ body: (inout LedgerRow) throws(PushError) -> Value
    ) throws(PushError) -> Change<Value>? {
        guard var row = try row(id, by: rules) else { return nil }
        let waited = RowSlot.Flags(row) == .waits
        let value = try body(&row)
        guard row.hasChanged else { return (value, row) }
        try put(row, waited: waited, by: rules)
        return (value, row.asRecorded)
    }

    private mutating func row(
        _ id: Challenge.ID, by rules: DocumentRules
    ) throws(PushError) -> LedgerRow? {
        switch try known(id) {
        case .row(let found): return found
        case .trace(let trace):
            return trace.verdict == .mentioned ? LedgerRow(id: id, seen: rules.now) : nil
        case .never: return LedgerRow(id, seen: rules.now)
        }
    }

    private mutating func put(
        _ row: LedgerRow, waited: Bool, by rules: DocumentRules
    ) throws(PushError) {
        if let newer = rules.passed { passed = newer }
        if RowSlot.Flags(row) == .waits, !waited {
            closed += try rows.makeRoom(
                rules.takesLateAnswers ? nil : passed, at: rules.now,
                isSingleUse: rules.isSingleUse)
        }
        let name = names.digest(of: row.id.name.utf8)
        rows.put(row, name)
        traces.remove(name)
        hasChanged = true
        compact(rules.limits)
    }

    /// Makes traces of the rows that ended beyond the limit, and forgets traces that no replay
    /// needs.
    mutating func compact(_ limits: Retention) {
        let new = rows.removeSurplus(beyond: limits.rows)
        let old = traces
        traces.append(new)
        traces.forget(passed, limits)
        if !new.isEmpty || traces != old { hasChanged = true }
    }

    // MARK: Moving

    /// What another device is told of the challenges: enough to know them again.
    mutating func past() -> PastChallenges {
        var traces = traces
        traces.append(rows.traces())
        return PastChallenges(salt: names.key, traces: traces.all.suffix(Traces.most))
    }

    /// Knows the challenges of another device, if their names were made by the same key.
    mutating func adopt(_ past: PastChallenges) {
        guard past.salt.isEqualInConstantTime(to: names.key) else { return }
        let known = Set(traces.all.map(\.name)).union(rows.slots.map(\.name))
        traces.append(past.traces.filter { !known.contains($0.name) })
        hasChanged = true
    }
}
