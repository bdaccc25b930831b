import PushCore

/// What becomes of a step of a process.
enum ScheduleEvent: Hashable, Sendable {
    case passes
    /// The process dies before the step.
    case killedBefore
    /// The process dies after the step, before it can know of it.
    case killedAfter
    /// Nothing is done, and the process knows.
    case refused
    /// It isn't done, and the process can't know.
    case requestLost
    /// It is done, and the process can't know.
    case replyLost
    /// The process can't know, and the vendor gets the request when all else is over.
    case late
    /// Half of the lease passes first, so that the process renews it.
    case renewal
    /// Another process comes first: the scenario's visit of this number.
    case visit(Int)
}

/// A step of a process: before it, a schedule chooses what becomes of it.
struct SchedulePoint: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case read, write, exchange

        /// What else than passing may become of it.
        ///
        /// A kill after a reading is to everybody else the same as a kill before it.
        var events: [ScheduleEvent] {
            switch self {
            case .read: [.killedBefore, .refused]
            case .write: [.killedBefore, .killedAfter, .refused, .requestLost, .replyLost]
            case .exchange:
                [.killedBefore, .killedAfter, .refused, .requestLost, .replyLost, .late]
            }
        }

        /// What the process hears if nothing was done.
        var refusal: PushError {
            switch self {
            case .read, .write: PushError(.storage, "The store can't be used.")
            case .exchange: PushError(.unreachable, "The vendor can't be reached.")
            }
        }

        /// What the process hears if nobody can say whether it was done.
        var loss: PushError {
            switch self {
            case .read, .write: PushError(.storageUnknown, "The store can't tell.")
            case .exchange: PushError(.interrupted, "The connection broke.")
            }
        }
    }

    let kind: Kind
    /// A collection of the store, or a path of the vendor's.
    let place: String
}

/// Goes through all choices depth first: it repeats a run with the last choice that has a next one.
///
/// A run asks for each choice in turn. Whatever it chose before decides what it asks next.
struct ChoiceWalk: Sendable {
    private var path: [(value: Int, count: Int)] = []
    private var place = 0

    /// Whether a run asked for other choices than the run before, which had chosen the same.
    private(set) var isUnsteady = false

    /// A number below `count`; 0 in the first run that gets here.
    mutating func choose(_ count: Int) -> Int {
        defer { place += 1 }
        if place == path.count { path.append((0, count)) }
        guard path[place].count == count else {
            isUnsteady = true
            return 0
        }
        return path[place].value
    }

    /// Prepares the next run; `false` if there is none.
    mutating func advance() -> Bool {
        path.removeLast(path.count - min(place, path.count))
        place = 0
        while let last = path.popLast() {
            guard last.value + 1 < last.count else { continue }
            path.append((last.value + 1, last.count))
            return true
        }
        return false
    }
}
