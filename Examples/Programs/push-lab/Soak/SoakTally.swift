import PushCore

/// What a soak counts, in the order it counts it.
struct SoakTally: Sendable {
    /// How far a decision was when its process was killed.
    enum Point: String, CaseIterable, Sendable {
        case before = "killed before the decision was on disk"
        case recorded = "killed with it on disk, before it came to the server"
        case sent = "killed after it came, before the reply was on disk"
        case settled = "killed with the reply on disk, before the caller knew"
        case after = "killed after the caller knew"
    }

    /// What became of an answer that was kept in part, and had no last word when its process was
    /// killed.
    enum Part: String, CaseIterable, Sendable {
        case kept = "answers kept in part when killed"
        case asked = "of these, asked about after a kill"
        case known = "of these, known by asking"
        case again = "of these, made again by the user"
    }

    private(set) var counts: [(name: String, count: Int)]

    /// Creates a tally.
    ///
    /// - Parameter names: What is shown even if it never happened, and first.
    init(_ names: [String] = []) {
        counts = names.map { ($0, 0) }
    }

    mutating func add(_ name: String, _ count: Int = 1) {
        if let index = counts.firstIndex(where: { $0.name == name }) {
            counts[index].count += count
        } else {
            counts.append((name, count))
        }
    }

    mutating func add(_ point: Point) {
        add(point.rawValue)
    }

    mutating func add(_ part: Part) {
        add(part.rawValue)
    }

    subscript(name: String) -> Int { counts.first { $0.name == name }?.count ?? 0 }

    var json: JSON {
        .object(JSON.Object(counts.map { ($0.name, .number(JSON.Number(Int64($0.count)))) }))
    }
}
