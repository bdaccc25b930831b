import PushCore

/// The message identifiers under which the newest challenges came.
///
/// AM finds a login by its message identifier, which nothing signs: anyone who has seen a push can
/// send it again under another one, and be first. The ledger keeps the first alone, so all are kept
/// here, within bounds, and an answer is tried under each.
///
/// A push that comes again adds nothing. One that was forgotten for newer ones adds nothing either,
/// as AM signs when it made a push; pushes without that time, of AM up to 7.1, take an old one's place
/// once in ten minutes. An entry from a future that a clock once showed would never age: it goes first.
struct ChallengeMessageIDs: Sendable {
    private static let maximumChallenges = 8
    private static let maximumIDs = 8
    private static let maximumLength = 128
    private static let patience = 600_000.0
    private static let farAhead = 600_000.0

    private struct Entry {
        let challenge: String
        let time: Double
        var ids: [String]
    }

    private var entries: [Entry] = []

    init() {}

    /// The identifiers of a challenge, in the order in which they came.
    func ids(of challenge: String) -> [String] {
        entries.first { $0.challenge == challenge }?.ids ?? []
    }

    /// Takes what a verified push says.
    ///
    /// - Parameters:
    ///   - id: The message identifier beside the push.
    ///   - challenge: The challenge's name.
    ///   - time: When AM made the push, or when it arrived, in milliseconds since 1970.
    ///   - isSigned: Whether AM signed that time.
    ///   - now: This device's clock, in milliseconds since 1970.
    /// - Returns: Whether it is news that is kept.
    mutating func note(
        _ id: String, of challenge: String, at time: Double, isSigned: Bool, now: Double
    ) -> Bool {
        let index = entries.firstIndex { $0.challenge == challenge }
        // The same push, once more: it needs no closer look.
        if let index, entries[index].ids.contains(id) { return false }
        guard id.utf8.count <= Self.maximumLength, id.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
        else { return false }
        if let index {
            guard entries[index].ids.count < Self.maximumIDs else { return false }
            entries[index].ids.append(id)
            return true
        }
        if entries.count >= Self.maximumChallenges {
            let ages = entries.map { entry in
                Self.isFarAhead(entry.time, of: time, now: now) ? -.infinity : entry.time
            }
            guard let oldest = ages.indices.min(by: { ages[$0] < ages[$1] }),
                time > ages[oldest] + (isSigned ? 0 : Self.patience)
            else { return false }
            entries.remove(at: oldest)
        }
        entries.append(Entry(challenge: challenge, time: time, ids: [id]))
        return true
    }

    /// Whether a time is more than ten minutes ahead of a new push's and of this device's clock.
    static func isFarAhead(_ time: Double, of newer: Double, now: Double) -> Bool {
        time > max(newer, now) + farAhead
    }

    // MARK: The record

    init(json: JSON?) {
        entries = (json?.array ?? []).compactMap { entry in
            guard let challenge = entry["c"]?.string, let time = entry["t"]?.double,
                let ids = entry["m"]?.array
            else { return nil }
            return Entry(challenge: challenge, time: time, ids: ids.compactMap(\.string))
        }
    }

    /// `nil` if there is nothing to keep.
    var json: JSON? {
        guard !entries.isEmpty else { return nil }
        return .array(
            entries.map { entry in
                [
                    "c": .string(entry.challenge),
                    "t": JSON(milliseconds: entry.time),
                    "m": .array(entry.ids.map(JSON.string)),
                ]
            })
    }
}

extension JSON {
    /// A time in milliseconds, as the integer that it nearly always is.
    init(milliseconds: Double) {
        let integer = Int64(exactly: milliseconds).map { Number($0) }
        self = (integer ?? Number(milliseconds)).map(JSON.number) ?? 0
    }
}
