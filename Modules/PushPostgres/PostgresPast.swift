import PushCore

/// How far the server had come that a store knows, so that one is noticed that went back: it was restored,
/// or a standby took over that lacked what was confirmed.
///
/// A place in the write-ahead log counts once a write behind it was confirmed: what is before it is then on
/// the standby as well that is waited for, and every server that takes over has it. Places go on across
/// timelines.
///
/// A standby that lacked it may have gone on past that place by then. So a store remembers as well which
/// revisions its own writes replaced, such as those of challenges that it decided: no such record comes back.
final class PostgresPast: Sendable {
    struct Place: Sendable {
        let system: UInt64
        let timeline: UInt32
        var position: UInt64
    }

    /// How many of the latest replaced revisions are remembered.
    private static let memory = 4096

    private struct Replaced {
        var numbers: [Revision: Int] = [:]
        var latest: [Revision] = []
        var count = 0
    }

    private let place = Locked<Place?>(nil)
    private let replaced = Locked(Replaced())

    var known: Place? { place.withLock { $0 } }

    /// How many revisions were replaced so far: a read that begins now must find none of them.
    var replacedCount: Int { replaced.withLock(\.count) }

    /// Notes a confirmed write.
    ///
    /// - Parameters:
    ///   - rows: What it returned.
    ///   - revision: What it replaced or deleted.
    func note(_ rows: [PostgresRow], replacing revision: Revision? = nil) {
        if let revision {
            replaced.withLock { replaced in
                let index = replaced.count % Self.memory
                if replaced.latest.count == Self.memory {
                    replaced.numbers[replaced.latest[index]] = nil
                    replaced.latest[index] = revision
                } else {
                    replaced.latest.append(revision)
                }
                replaced.numbers[revision] = replaced.count
                replaced.count += 1
            }
        }
        guard let position = rows.first?.columns.last.flatMap({ $0 })?.bigEndian else { return }
        place.withLock { place in
            guard let known = place else { return }
            place?.position = max(known.position, position)
        }
    }

    /// Judges what a read found.
    ///
    /// - Parameters:
    ///   - revision: A record's.
    ///   - count: ``replacedCount`` before the read.
    /// - Throws: `PushError` with the code `storage` if a write of this process had replaced it by then.
    func check(_ revision: Revision, since count: Int) throws(PushError) {
        guard let number = replaced.withLock({ $0.numbers[revision] }), number < count else {
            return
        }
        throw PushError(
            .storage,
            "PostgreSQL went back: a record is there as it was before this process changed it: "
                + Self.end)
    }

    private static let end = "decisions may be lost. Start again once you know which."

    /// Judges a new connection by its greeting.
    ///
    /// - Parameters:
    ///   - rows: Its reply: behind the format the system identifier, the name of a file of the log, and
    ///     the place in it.
    ///   - known: What was known before it was asked.
    /// - Returns: Why the server isn't to be used; `nil` if it went on.
    func refusal(of rows: [PostgresRow], after known: Place?) -> PushError? {
        guard let row = rows.first, let system = row.secret(1)?.bigEndian,
            let timeline = row.text(2).flatMap({ UInt32($0.prefix(8), radix: 16) }),
            let position = row.secret(3)?.bigEndian
        else {
            return PushError(
                .storage, "The server doesn't say which one it is, and how far it came.")
        }
        if let known, known.system != system {
            return PushError(
                .storage,
                "The server isn't the one that was there before (system identifier \(system), not "
                    + "\(known.system)): \(Self.end)")
        }
        if let known, timeline < known.timeline || position < known.position {
            return PushError(
                .storage,
                "PostgreSQL went back: an older state was restored, or a standby took over that lacked "
                    + "what was confirmed (timeline \(timeline), place \(position); known were "
                    + "\(known.timeline) and \(known.position)): \(Self.end)")
        }
        place.withLock { place in
            let old = place ?? Place(system: system, timeline: timeline, position: 0)
            place = Place(
                system: system, timeline: max(old.timeline, timeline), position: old.position)
        }
        return nil
    }
}

extension Secret {
    fileprivate var bigEndian: UInt64? {
        withBytes { bytes in bytes.count == 8 ? bytes.reduce(0) { $0 << 8 | UInt64($1) } : nil }
    }
}
