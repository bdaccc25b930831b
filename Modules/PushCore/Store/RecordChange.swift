/// The content of a record, in the form that a change works on.
protocol RecordContent: Sendable {
    /// Reads it from a record.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if the record is damaged.
    init(reading sealed: Secret) throws(PushError)

    /// The record's value.
    var sealed: Secret { get }

    /// Whether work waits in it.
    var waits: Bool { get }
}

extension RecordContent {
    var waits: Bool { false }
}

extension Secret: RecordContent {}

/// A record as it was last read or written: what a change may start from, so that it needn't be read
/// again. If it is old, compare-and-set finds out.
struct RecordInHand<Content: RecordContent>: Sendable {
    /// What it holds; `nil` if there is no record.
    let content: Content?

    /// `nil` if there is no record.
    let revision: Revision?

    /// Of a ledger row: its entry in the index of what isn't finished.
    var place = IndexPlace.unknown

    /// No record, as far as is known.
    static var absent: RecordInHand {
        RecordInHand(content: nil, revision: nil, place: .none)
    }
}

/// What is known of the entry of a row in the index.
enum IndexPlace: Sendable {
    /// Nothing.
    case unknown
    /// That there is none.
    case none
    /// That it has this revision.
    case at(Revision)
}

/// What becomes of a record that was looked at.
enum RecordChange<Content: RecordContent> {
    case keep
    case replace(Content)
    case delete
}

extension CredentialStore {
    /// Reads a record for a change to start from.
    ///
    /// - Throws: ``PushError``, as ``read(_:)``.
    func inHand<Content: RecordContent>(
        _ key: RecordKey
    ) async throws(PushError) -> RecordInHand<Content> {
        guard let (value, revision) = try await read(key) else { return .absent }
        return RecordInHand(content: try Content(reading: value), revision: revision)
    }

    /// Changes a record: runs `body` on its newest content until the write wins, or there is nothing
    /// to write.
    ///
    /// - Parameters:
    ///   - key: The record.
    ///   - inHand: The record as it was last seen. `body` runs on it first; unless a write of that
    ///     wins, `body` runs on what there is now.
    ///   - body: Gets the content, `nil` if there is no record. It may run more than once, so it must
    ///     have no other effect.
    /// - Returns: What the last run of `body` returned, and the record as it is then; `nil` if the
    ///   store can't tell that without being read.
    /// - Throws: ``PushError``; `conflict` if others were first a hundred times.
    func change<Content, Value>(
        _ key: RecordKey, from inHand: RecordInHand<Content>?,
        _ body: (Content?) throws(PushError) -> (change: RecordChange<Content>, value: Value)
    ) async throws(PushError) -> (value: Value, inHand: RecordInHand<Content>?) {
        if let inHand, let (change, value) = try? body(inHand.content),
            case .made(let new) = try await make(change, of: key, inHand)
        {
            return (value, new)
        }
        for _ in 0..<100 {
            let found: RecordInHand<Content> = try await self.inHand(key)
            let (change, value) = try body(found.content)
            switch try await make(change, of: key, found) {
            case .made(let new): return (value, new)
            case .none: return (value, found)
            case .lost: continue
            }
        }
        throw PushError(.conflict, "Others kept changing the record; try again.")
    }

    /// Changes a record's value: runs `body` on the newest one until the write wins, or there is
    /// nothing to write.
    ///
    /// - Throws: ``PushError``; `conflict` if others were first a hundred times.
    func change<Value>(
        _ key: RecordKey,
        _ body: (Secret?) throws(PushError) -> (change: RecordChange<Secret>, value: Value)
    ) async throws(PushError) -> Value {
        try await change(key, from: nil, body).value
    }

    private func make<Content>(
        _ change: RecordChange<Content>, of key: RecordKey, _ found: RecordInHand<Content>
    ) async throws(PushError) -> Attempt<Content> {
        do throws(PushError) {
            switch change {
            case .keep:
                return .none
            case .replace(let new):
                let revision = try await write(
                    new.sealed, for: key, replacing: found.revision, waits: new.waits)
                return .made(revision.map { RecordInHand(content: new, revision: $0) })
            case .delete:
                guard let revision = found.revision else { return .none }
                try await write(nil, for: key, replacing: revision)
                return .made(.absent)
            }
        } catch  where error.code == .conflict {
            return .lost
        }
    }

    /// Makes a record new from what there is, unless `body` returns `nil`; one that is damaged is as
    /// good as none.
    ///
    /// - Parameters:
    ///   - key: The record.
    ///   - inHand: The record as it was last seen.
    ///   - body: Gets the value, `nil` if there is no record. It may run more than once.
    /// - Returns: Whether a damaged one was discarded, and the record as it is then, if known.
    /// - Throws: What `body` throws; ``PushError`` with the code `storage` if the store can't be
    ///   used, `conflict` if others were first a hundred times.
    func replace(
        _ key: RecordKey, from inHand: RecordInHand<Secret>? = nil,
        _ body: (Secret?) throws(PushError) -> Secret?
    ) async throws(PushError) -> (wasDamaged: Bool, inHand: RecordInHand<Secret>?) {
        let change = { (found: Secret?) throws(PushError) -> (RecordChange<Secret>, Void) in
            (try body(found).map { .replace($0) } ?? .keep, ())
        }
        do throws(PushError) {
            return (false, try await self.change(key, from: inHand, change).inHand)
        } catch  where error.code == .malformed {
            try await discardDamaged(key)
            // Another process may have made it new meanwhile.
            return (true, try await self.change(key, from: nil, change).inHand)
        }
    }

    /// Deletes a record, if it is there, damaged or not.
    func delete(_ key: RecordKey) async throws(PushError) {
        do throws(PushError) {
            try await change(key) { _ in (.delete, ()) }
        } catch  where error.code == .malformed {
            try await discardDamaged(key)
            // Another process may have made it new meanwhile.
            try await change(key) { _ in (.delete, ()) }
        }
    }

    /// Takes a damaged record away, unless another process was first: then there is nothing to do.
    func discardDamaged(_ key: RecordKey) async throws(PushError) {
        do throws(PushError) {
            try await discard(key)
        } catch  where error.code == .conflict {}
    }
}

/// What came of one try at a change.
private enum Attempt<Content: RecordContent> {
    /// It was made; and the record as it is now, if the store can tell.
    case made(RecordInHand<Content>?)
    /// There was nothing to change.
    case none
    /// Another writer was first.
    case lost
}
