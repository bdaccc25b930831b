/// One enrollment's document as a step last saw it: the step shares it with whatever keeps its lease.
final class DocumentInHand: Sendable {
    /// Changes a document before whatever else does.
    typealias Note = @Sendable (inout EnrollmentDocument) -> Void

    let id: Enrollment.ID
    let documents: Documents
    private let state: Locked<State>

    private struct State {
        var document: EnrollmentDocument

        /// `nil` if it must be read again.
        var revision: Revision?

        /// Whether this step has read or written it: then it says so if there is nothing to write.
        var isFresh: Bool

        /// How many exchanges there were when it did.
        var exchanges: Int

        /// What goes with the next write, and how many have gone.
        var notes: [Note] = []
        var gone = 0

        /// How often it was read or written: what a call finds out counts only if no other was
        /// faster.
        var edition = 0

        mutating func put(_ document: EnrollmentDocument, _ revision: Revision?, exchanges: Int) {
            self.document = document
            self.revision = revision
            isFresh = true
            self.exchanges = exchanges
            edition += 1
        }
    }

    init(
        _ id: Enrollment.ID, _ document: EnrollmentDocument, _ revision: Revision?,
        in documents: Documents, isFresh: Bool = true
    ) {
        self.id = id
        self.documents = documents
        state = Locked(
            State(
                document: document, revision: revision, isFresh: isFresh,
                exchanges: documents.exchanges.now))
    }

    /// The document as it was last read or written.
    var document: EnrollmentDocument {
        @inline(never) get { state.withLock { $0.document } }
    }

    /// The public half, in use or moved away.
    var enrollment: Enrollment {
        @inline(never) get { state.withLock { $0.document.head.shown } }
    }

    /// The same for a later step, which can't know how old it is.
    var forLater: DocumentInHand {
        let (document, revision) = state.withLock { ($0.document, $0.revision) }
        return DocumentInHand(id, document, revision, in: documents, isFresh: false)
    }

    /// Looks into the document; what it decodes is remembered.
    func look<Value, Failure: Error>(
        _ body: (inout EnrollmentDocument) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try state.withLock { state in
            Result { () throws(Failure) in try body(&state.document) }
        }.get()
    }

    /// Makes a change that goes with the next write, and is dropped if there is none.
    func note(_ note: @escaping Note) {
        state.withLock { $0.notes.append(note) }
    }

    /// Reads it again. Throws `unknownEnrollment` if it is gone, or another enrollment has its name:
    /// what was verified for this one counts for nothing there.
    func reload() async throws(PushError) {
        let edition = state.withLock { $0.edition }
        // Twice, as a key store may miss a record once.
        for _ in 0..<2 {
            if let found = try await documents.store.read(Documents.key(id)) {
                return try take(found, after: edition)
            }
        }
        throw .unknownEnrollment(of: id.provider)
    }

    private func take(
        _ found: (value: Secret, revision: Revision), after edition: Int
    ) throws(PushError) {
        let (known, revision) = state.withLock { ($0.document, $0.revision) }
        // What is as it was isn't decoded again.
        let isKnown = revision == found.revision
        let newest = isKnown ? known : try documents.document(found.value, of: id)
        guard newest.isSameEnrollment(as: known) else {
            throw PushError(
                .unknownEnrollment, "It was enrolled anew meanwhile.", provider: id.provider)
        }
        state.withLock { state in
            guard state.edition == edition else { return }
            state.put(newest, found.revision, exchanges: documents.exchanges.now)
        }
    }

    /// Changes the document: runs `body` on it until the write wins, or there is nothing to write.
    /// So it may run more than once, and must have no other effect. One that is careful leaves
    /// nothing unwritten by what was read before an exchange. Throws `unknownEnrollment` if the
    /// enrollment is gone, `conflict` if others were first a hundred times, `storageUnknown` if
    /// nobody can say whether it was written.
    func change<Value>(
        isCareful: Bool = false, _ body: (inout EnrollmentDocument) throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let attempts = Attempts(self, isCareful: isCareful)
        while true {
            await attempts.begin()
            let result = Result { () throws(PushError) in try body(&attempts.document) }
            if try await attempts.isOver(after: result.error) { return try result.get() }
        }
    }

    /// Changes the document as ``change(isCareful:_:)`` does, and perhaps what is behind its guard, by
    /// what was sealed for it. What isn't on record then is discarded.
    func change<Value>(
        sealing new: SealedPart?, _ body: (inout EnrollmentDocument) throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        var (old, now): (SealedPart?, SealedPart?)
        let value: Value
        do throws(PushError) {
            value = try await change(isCareful: true) { (document) throws(PushError) in
                old = document.guarded
                let value = try body(&document)
                now = document.guarded
                return value
            }
        } catch {
            await documents.sealing.settle(new, error)
            throw error
        }
        await documents.sealing.settle(new, replacing: old, by: now)
        return value
    }

    private func written(
        _ document: EnrollmentDocument, _ revision: Revision?, from start: State
    ) {
        state.withLock { state in
            // If another call was faster, nobody knows which of the two is on record now.
            let isNewest = state.edition == start.edition
            state.put(document, isNewest ? revision : nil, exchanges: documents.exchanges.now)
            let going = start.gone + start.notes.count - state.gone
            guard going > 0 else { return }
            state.notes.removeFirst(going)
            state.gone += going
        }
    }

    /// The tries of one change. What they do stands here once: ``change(isCareful:_:)`` has a copy for
    /// each caller.
    private final class Attempts {
        private let hand: DocumentInHand
        private let isCareful: Bool
        private var start: State
        private var losses = 0
        private var failure: PushError?

        /// What the next try changes.
        var document: EnrollmentDocument

        @inline(never) init(_ hand: DocumentInHand, isCareful: Bool) {
            self.hand = hand
            self.isCareful = isCareful
            start = hand.state.withLock { $0 }
            document = start.document
        }

        /// Begins a try with the document as it is in hand. What it meets ``isOver(after:)`` throws: what
        /// follows an await that throws is compiled twice in a loop.
        @inline(never) func begin() async {
            start = hand.state.withLock { $0 }
            while start.revision == nil, failure == nil {
                failure = await Result { () async throws(PushError) in try await hand.reload() }
                    .error
                start = hand.state.withLock { $0 }
            }
            if isCareful, start.exchanges != hand.documents.exchanges.now { start.isFresh = false }
            document = start.document
            for note in start.notes { note(&document) }
        }

        /// Whether no other try is needed.
        @inline(never) func isOver(after error: PushError?) async throws(PushError) -> Bool {
            if let failure { throw failure }
            let isOther = document.head.enrollment.id != hand.id
            guard error == nil, !isOther, document.hasChanged, let revision = start.revision else {
                // What was in hand may be old: then neither a refusal nor nothing to write counts.
                guard start.isFresh else {
                    try await hand.reload()
                    return false
                }
                if let error { throw error }
                guard !isOther else {
                    throw PushError(.invalidArgument, "It is another enrollment's.")
                }
                hand.state.withLock { if $0.edition == start.edition { $0.document = document } }
                return true
            }
            do throws(PushError) {
                let new = try await hand.documents.write(document, replacing: revision)
                hand.written(document.asRecorded, new, from: start)
                return true
            } catch {
                let isConflict = error.code == .conflict
                hand.state.withLock { state in
                    if !isConflict || state.edition == start.edition { state.revision = nil }
                }
                guard isConflict else { throw error }
                losses += 1
                if let found = error.found { try hand.take(found, after: start.edition) }
            }
            guard losses < 100 else {
                throw PushError(
                    .conflict, "Others kept changing the record; try again.",
                    provider: hand.id.provider)
            }
            return false
        }
    }
}
