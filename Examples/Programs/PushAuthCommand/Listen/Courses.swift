import PushCore

/// What this run has made of the challenges: a cache beside the authenticator's `changes(every:)`,
/// by which each is judged once, and its end told once.
struct Courses {
    /// How far one is.
    enum Course: Equatable {
        /// The policy is asked, and perhaps answers.
        case judging(Task<Void, Never>)
        /// It waits for a person, or its answer for the vendor's word.
        case waits
        /// A rule has answered it, which was told, or ignores it.
        case judged
        /// Its end was told.
        case told
    }

    /// How many are kept for which nothing more is to be done, as somebody may ask late.
    private static let most = 1000

    private var all: [Challenge.ID: Course] = [:]
    private var done: [Challenge.ID] = []

    subscript(id: Challenge.ID) -> Course? {
        get { all[id] }
        set {
            if Self.isDone(newValue), !Self.isDone(all[id]) { done.append(id) }
            all[id] = newValue
            if done.count > Self.most { all[done.removeFirst()] = nil }
        }
    }

    private static func isDone(_ course: Course?) -> Bool { course == .judged || course == .told }

    /// Those whose end is still to be told.
    var waiting: [Challenge.ID] { all.filter { $0.value == .waits }.map(\.key) }
}
