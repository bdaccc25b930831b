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

    private var headContent: DeferredContent<EnrollmentHead>

    /// The provider's half: opaque to the core.
    var credential: Secret {
        didSet { if !credential.isEqualInConstantTime(to: oldValue) { hasChanged = true } }
    }

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

    /// A document that isn't on record yet.
    ///
    /// - Parameters:
    ///   - salt: 16 random bytes, which belong to no other document.
    ///   - head: What the core keeps.
    ///   - credential: What the provider keeps.
    /// - Throws: ``PushError`` with the code `invalidArgument` if the salt has another length.
    init(salt: Secret, _ head: EnrollmentHead, credential: Secret) throws(PushError) {
        guard let names = SipHash(key: salt) else {
            throw PushError(.invalidArgument, "A document's salt has 16 bytes.")
        }
        self.names = names
        headContent = DeferredContent(new: head)
        self.credential = credential
        hasChanged = true
    }

    /// A document as it is on record.
    init(
        recorded names: SipHash, generation: UInt32, passed: CompactDate?, head: Secret,
        credential: Secret, rows: DocumentRows, traces: Traces, bursts: Bursts, told: [UInt64]
    ) {
        self.names = names
        self.generation = generation
        self.passed = passed
        headContent = DeferredContent(head)
        self.credential = credential
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
        return document
    }

    // MARK: The enrollment

    /// The bytes of ``head()``.
    var sealedHead: Secret { headContent.sealed }

    /// What the core keeps of the enrollment.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if it is damaged.
    mutating func head() throws(PushError) -> EnrollmentHead { try headContent.read() }

    mutating func replaceHead(_ head: EnrollmentHead) {
        if let known = try? headContent.read(), known == head { return }
        headContent = DeferredContent(new: head)
        hasChanged = true
    }

    /// Another enrollment takes the place of this one: what was verified for this one counts no
    /// more.
    mutating func reenroll(_ head: EnrollmentHead, credential: Secret) {
        headContent = DeferredContent(new: head)
        self.credential = credential
        generation &+= 1
        hasChanged = true
    }

    /// Remembers messages of the inbox.
    ///
    /// - Parameter messages: Their identifiers as the vendor lists them, the newest first.
    /// - Returns: Of each, whether the app hasn't been told of it; `false` for those beyond the
    ///   bound.
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

    /// What is known of a challenge.
    enum Known: Sendable {
        case row(LedgerRow)
        /// It is over for so long that only a trace is left, or it was only mentioned.
        case trace(Trace)
        case never
    }

    /// Whether a challenge waits for the user, or for the vendor's word.
    var waits: Bool { rows.waiting > 0 }

    /// What is known of a challenge.
    ///
    /// - Throws: ``PushError`` with the code `unsupportedRecord` if this version can't read its
    ///   row.
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

    /// What came of a change of one row.
    struct Change<Value> {
        let value: Value

        /// The row as it is now.
        let row: LedgerRow

        /// What was closed to make room for it.
        var closed = DocumentRows.Closed()
    }

    /// Runs a function of one row, and keeps the document within its bounds.
    ///
    /// - Parameters:
    ///   - id: The challenge.
    ///   - now: The device's time.
    ///   - limits: What bounds the document.
    ///   - isSingleUse: Whether what opens a challenge goes once it is over.
    ///   - body: Gets the row, or a new one if none is on record.
    /// - Returns: What came of it; `nil` if only a trace is left of the challenge.
    /// - Throws: What `body` throws; ``PushError`` with the code `unsupportedRecord` if this
    ///   version can't read the row, `storage` if there is no room for one more that waits. Nothing
    ///   has changed then.
    mutating func change<Value>(
        _ id: Challenge.ID, at now: Date, _ limits: DocumentLimits, isSingleUse: Bool,
        _ body: (inout LedgerRow) throws(PushError) -> Value
    ) throws(PushError) -> Change<Value>? {
        var row: LedgerRow
        switch try known(id) {
        case .row(let found): row = found
        case .trace(let trace):
            guard trace.verdict == .mentioned else { return nil }
            row = LedgerRow(recorded: id, seen: now)
        case .never: row = LedgerRow(id, seen: now)
        }
        let waited = RowSlot.Flags(row) == .waits
        let value = try body(&row)
        guard row.hasChanged else { return Change(value: value, row: row) }
        var change = Change(value: value, row: row.asRecorded)
        if RowSlot.Flags(row) == .waits, !waited {
            change.closed = try rows.makeRoom(passed, at: now, isSingleUse: isSingleUse)
        }
        let name = names.digest(of: id.name.utf8)
        rows.put(row, name)
        traces.remove(name)
        hasChanged = true
        compact(limits)
        return change
    }

    /// Makes traces of the rows that ended beyond the limit, and forgets traces that no replay
    /// needs.
    mutating func compact(_ limits: DocumentLimits) {
        let new = rows.removeSurplus(beyond: limits.rows)
        let old = traces
        traces.append(new)
        traces.forget(passed, limits)
        if !new.isEmpty || traces != old { hasChanged = true }
    }
}
