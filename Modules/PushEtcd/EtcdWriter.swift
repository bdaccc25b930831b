import PushCore

/// Changes, and what became of one whose reply was lost.
///
/// The same transaction, with the same condition and bytes, is sent again: whichever copy comes
/// second fails its condition, so that no doubt about one on its way is left. If the copy fails, the
/// first may have won and been overwritten since. The current value says nothing then; the history
/// does, as it tells which write came right after what was to be replaced.
struct EtcdWriter: Sendable {
    enum End: Sendable {
        case done(revision: UInt64)
        /// Its condition doesn't hold: with the record, if there is one and it could be read.
        case refused(EtcdEntry?)
    }

    private enum Verdict {
        case won(UInt64)
        case lost
        case unknown
    }

    let client: EtcdClient

    /// Whether what is there settles a lost reply instead of the history: for a test, which must find it
    /// out.
    var settlesNaively = false

    /// - Throws: `PushError` with the code `storage` if nothing was done, `storageUnknown` if that can't
    ///   be told, `invalidArgument` if etcd doesn't take it.
    func write(_ change: EtcdChange) async throws(PushError) -> End {
        try await uncancelled { () async throws(PushError) in
            var mayBeDone = false
            do throws(PushError) {
                let end = try await writePatiently(change, &mayBeDone)
                if mayBeDone, case .done = end { tell(.made) }
                if mayBeDone, case .refused = end { tell(.notMade) }
                return end
            } catch {
                if error.code == .storageUnknown { tell(.unknown) }
                throw error
            }
        }
    }

    private func tell(_ settled: SettledWrite) { client.configuration.onSettled?(settled) }

    private func writePatiently(
        _ change: EtcdChange, _ mayBeDone: inout Bool
    ) async throws(PushError) -> End {
        var tries = EtcdTries(for: client.configuration.patience, of: client.count)
        var keysOnly = false
        let before = await client.members.revisions.max() ?? 0
        while true {
            let body = EtcdRequest.transaction(change, keysOnly: keysOnly)
            switch await client.attempt(EtcdRequest.transactionPath, body) {
            case .reply(let reply) where reply.succeeded:
                return .done(revision: reply.revision)
            case .reply(let reply):
                let found = try entry(reply, of: change)
                if mayBeDone {
                    switch try await verdict(on: change, found, since: before) {
                    case .won(let revision): return .done(revision: revision)
                    case .lost: break
                    case .unknown: throw unknown(tries.failure)
                    }
                }
                return .refused(keysOnly ? nil : found)
            case .unknown(let error):
                mayBeDone = true
                // Only a reply that says what is there can be that large.
                if error.code == .oversizedReply { keysOnly = true }
                guard await tries.goOn(after: error) else { throw unknown(tries.failure) }
            case .unsent(let error), .busy(let error):
                guard await tries.goOn(after: error) else {
                    throw mayBeDone ? unknown(tries.failure) : tries.failure
                }
            case .refused(let error), .unauthenticated(let error):
                guard mayBeDone else { throw error }
                return try await settle(
                    change, refusedBy: error, mayBeOnItsWay: true, since: before)
            case .full(let error):
                let end = try await settle(
                    change, refusedBy: error, mayBeOnItsWay: mayBeDone, since: before)
                mayBeDone = true
                return end
            case .foreign(let error):
                throw unknown(error)
            case .compacted:
                throw mayBeDone ? unknown(tries.failure) : tries.failure
            }
        }
    }

    /// What is there.
    private func entry(
        _ reply: EtcdReply, of change: EtcdChange
    ) throws(PushError) -> EtcdEntry? {
        guard let entries = reply.responses.first, reply.responses.count == 1,
            entries.count <= 1, entries.allSatisfy({ $0.key == change.key })
        else {
            throw unknown(PushError(.storage, "etcd replied with other records."))
        }
        return entries.first
    }

    // MARK: Settling

    // It was refused, and may be done all the same: only what is there can tell. An earlier copy may
    // come yet if it is on its way.
    private func settle(
        _ change: EtcdChange, refusedBy error: PushError, mayBeOnItsWay: Bool,
        since before: UInt64
    ) async throws(PushError) -> End {
        let body = EtcdRequest.range(change.key)
        guard let reply = try? await client.ask(EtcdRequest.rangePath, body) else {
            throw unknown(error)
        }
        let found = reply.entries.first { $0.key == change.key }
        if !mayBeOnItsWay, change.holds(for: found) { throw error }
        guard case .won(let revision) = try await verdict(on: change, found, since: before) else {
            throw unknown(error)
        }
        return .done(revision: revision)
    }

    // Before is the store's revision before the change was sent for the first time.
    private func verdict(
        on change: EtcdChange, _ entry: EtcdEntry?, since before: UInt64
    ) async throws(PushError) -> Verdict {
        guard !settlesNaively else { return naiveVerdict(change, entry) }
        // A record that is gone has no history to go back in.
        guard let entry else { return .unknown }
        if change.holds(for: entry) { return .lost }
        guard let winner = try await successor(of: change.replaced, before: entry) else {
            return .unknown
        }
        guard let value = change.value else { return .lost }
        if winner.value == value { return .won(winner.modified) }
        guard change.replaced == 0 else { return .lost }
        let mayBeGone = try await wasThere(change, between: before, and: entry.created)
        return mayBeGone ? .unknown : .lost
    }

    /// Whether a record that was created may have been deleted again before somebody else made it: each
    /// revision between is looked at, if there are few.
    private func wasThere(
        _ change: EtcdChange, between before: UInt64, and made: UInt64
    ) async throws(PushError) -> Bool {
        guard made > before, made - before > 1 else { return false }
        guard made - before - 1 <= EtcdRequest.maximumOperations else { return true }
        do throws(PushError) {
            let body = EtcdRequest.all(
                (before + 1..<made).map { EtcdRequest.range(change.key, at: $0) })
            let found = try await client.ask(EtcdRequest.transactionPath, body).responses
            return found.count != made - before - 1
                || found.joined().contains { $0.key == change.key && $0.value == change.value }
        } catch {
            throw unknown(error)
        }
    }

    /// The write that came right after what was to be replaced, with its value; `nil` if the history
    /// can't tell.
    private func successor(
        of revision: UInt64, before entry: EtcdEntry
    ) async throws(PushError) -> EtcdEntry? {
        guard revision > 0 else { return try await version(of: entry.key, at: entry.created) }
        // Made again since: what came after the revision is gone.
        guard entry.created <= revision else { return nil }
        var winner = entry
        while let earlier = try await version(of: entry.key, at: winner.modified - 1) {
            if earlier.modified == revision {
                return try await version(of: entry.key, at: winner.modified)
            }
            guard earlier.modified > revision, earlier.modified < winner.modified else {
                return nil
            }
            winner = earlier
        }
        return nil
    }

    /// - Throws: `PushError` with the code `storageUnknown` if etcd can't tell.
    private func version(
        of key: [UInt8], at revision: UInt64
    ) async throws(PushError) -> EtcdEntry? {
        do throws(PushError) {
            let body = EtcdRequest.range(key, at: revision)
            return try await client.ask(EtcdRequest.rangePath, body).entries
                .first { $0.key == key }
        } catch {
            throw unknown(error)
        }
    }

    private func naiveVerdict(_ change: EtcdChange, _ entry: EtcdEntry?) -> Verdict {
        guard let entry else { return change.value == nil ? .won(0) : .lost }
        return entry.value == change.value ? .won(entry.modified) : .lost
    }

    private func unknown(_ error: PushError) -> PushError {
        PushError(
            .storageUnknown,
            "Whether etcd made the write isn't known: read the record again. \(error.reason)",
            underlying: error)
    }
}
