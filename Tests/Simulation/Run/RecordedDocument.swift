import PushCore

/// An enrollment's record, read by its layout and not by the device's own reader: what is on
/// record, whatever the device makes of it.
struct RecordedDocument {
    /// A challenge's row.
    struct Row {
        /// What stands for the challenge's name.
        let digest: [UInt8]

        /// Whether it waits for the user, or for the vendor's word.
        let waits: Bool
        fileprivate let place: Range<Int>
    }

    /// What became of a challenge of which only a trace is left.
    enum Verdict: UInt8 {
        case mentioned, over, approved, denied
    }

    private(set) var bytes: [UInt8]
    private let credentialPlace: Range<Int>
    private let challengePlace: Range<Int>
    let rows: [Row]
    let traces: [[UInt8]: Verdict]

    /// Reads a record; `nil` if it has another layout.
    init?(_ record: Secret) {
        bytes = record.withBytes { Array($0) }
        guard bytes.starts(with: [0x50, 0x45, 1]) else { return nil }
        var reader = Reader(bytes: bytes)
        // The salt, the generation, the time passed and the alarm; then the head.
        guard reader.take(31) != nil, reader.block() != nil, let credential = reader.block() else {
            return nil
        }
        let start = reader.place
        guard let rowCount = reader.number(4) else { return nil }
        var rows: [Row] = []
        for _ in 0..<rowCount {
            guard let digest = reader.take(16), let flags = reader.number(1),
                let place = reader.block()
            else { return nil }
            rows.append(Row(digest: Array(bytes[digest]), waits: flags & 1 != 0, place: place))
        }
        guard let traceCount = reader.number(2) else { return nil }
        var traces: [[UInt8]: Verdict] = [:]
        for _ in 0..<traceCount {
            guard let digest = reader.take(16), reader.take(4) != nil,
                let verdict = reader.number(1)
            else { return nil }
            traces[Array(bytes[digest])] = Verdict(rawValue: UInt8(verdict)) ?? .over
        }
        credentialPlace = credential
        challengePlace = start..<reader.place
        self.rows = rows
        self.traces = traces
    }

    /// The provider's half.
    var credential: ArraySlice<UInt8> { bytes[credentialPlace] }

    /// All that is known of challenges.
    var challenges: ArraySlice<UInt8> { bytes[challengePlace] }

    /// Whether a challenge waits in it.
    var waits: Bool { rows.contains(where: \.waits) }

    /// What a row says, if it can be read at all.
    func fields(of row: Row) -> JSON.Object? {
        try? Secret.Record(reading: Secret(Array(bytes[row.place]))).fields
    }

    /// The same record, as a store has it that forgot all challenges.
    var withoutChallenges: Secret {
        Secret(
            bytes[..<challengePlace.lowerBound] + Array(repeating: 0, count: 6)
                + bytes[challengePlace.upperBound...])
    }

    /// The same record with a row that a later version wrote; `nil` if the row has no version.
    func making(rowOfAnotherVersion row: Row) -> Secret? {
        let version = Array(#""version":1"#.utf8)
        guard let place = bytes[row.place].firstRange(of: version) else { return nil }
        var changed = bytes
        changed[place.upperBound - 1] = UInt8(ascii: "9")
        return Secret(changed)
    }

    /// Takes numbers, most significant byte first, and blocks with their length before them.
    private struct Reader {
        let bytes: [UInt8]
        var place = 0

        mutating func take(_ count: Int) -> Range<Int>? {
            guard count <= bytes.count - place else { return nil }
            defer { place += count }
            return place..<place + count
        }

        mutating func number(_ count: Int) -> Int? {
            take(count).map { bytes[$0].reduce(0) { $0 << 8 | Int($1) } }
        }

        mutating func block() -> Range<Int>? {
            guard let count = number(4) else { return nil }
            return take(count)
        }
    }
}
