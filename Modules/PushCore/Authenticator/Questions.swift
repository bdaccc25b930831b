/// What pushes that prove nothing make the device ask: for each enrollment and topic one question is
/// under way, and at most one waits.
struct Questions {
    /// A matter of an enrollment that a vendor can be asked about.
    struct Key: Hashable {
        let enrollment: Enrollment.ID
        let topic: Hint.Topic
    }

    /// What is found, for all who wait for it.
    typealias Answer = Task<Result<[Reception], PushError>, Never>

    private struct Slot {
        var running: Answer?
        var waiting: Answer?
        var hints: [Hint] = []
        var started: Duration?
        /// How many wait for the question that waits.
        var callers = 0
        /// The last answers whose news were told.
        var told: [Answer] = []
    }

    /// How many messages with contents of their own one question waits for at the most.
    private static let mostHints = 4

    private var slots: [Key: Slot] = [:]

    /// Adds to what a question will be about. Of messages with contents of their own the newest few
    /// stay; all others are one.
    mutating func add(_ hint: Hint, to key: Key) {
        var slot = slots[key] ?? Slot()
        slot.hints.removeAll { $0.hasSameContent(as: hint) }
        slot.hints.append(hint)
        if slot.hints.count > Self.mostHints { slot.hints.removeFirst() }
        slots[key] = slot
    }

    /// The question that waits, if one does.
    func waiting(for key: Key) -> Answer? { slots[key]?.waiting }

    /// The question that is under way, if one is.
    func running(for key: Key) -> Answer? { slots[key]?.running }

    /// How many wait for the question that waits.
    func callers(of key: Key) -> Int { slots[key]?.callers ?? 0 }

    /// Counts one who waits for the question that waits.
    mutating func join(_ key: Key) { slots[key, default: Slot()].callers += 1 }

    /// Tells the news of an answer: to the first who takes it, and to nobody else.
    ///
    /// - Returns: Whether it's news to the caller.
    mutating func tellNews(of answer: Answer, for key: Key) -> Bool {
        var slot = slots[key] ?? Slot()
        guard !slot.told.contains(answer) else { return false }
        // Those of earlier questions have had theirs.
        slot.told = slot.told.suffix(3) + [answer]
        slots[key] = slot
        return true
    }

    /// Remembers the question that waits from now on.
    mutating func wait(_ answer: Answer, for key: Key) {
        slots[key, default: Slot()].waiting = answer
    }

    /// When the last question began, by the monotonic clock.
    func lastStart(of key: Key) -> Duration? { slots[key]?.started }

    /// Begins the question that waits.
    ///
    /// - Returns: What it is about.
    mutating func begin(_ key: Key, at elapsed: Duration) -> [Hint] {
        guard var slot = slots[key] else { return [] }
        let hints = slot.hints
        slot.running = slot.waiting
        slot.waiting = nil
        slot.hints = []
        slot.callers = 0
        slot.started = elapsed
        slots[key] = slot
        return hints
    }

    /// Ends the question that is under way.
    mutating func end(_ key: Key) { slots[key]?.running = nil }
}

extension Hint {
    /// Whether the provider would ask the same for both.
    fileprivate func hasSameContent(as other: Hint) -> Bool {
        switch (context, other.context) {
        case (nil, nil): true
        case (let mine?, let theirs?): mine.isEqualInConstantTime(to: theirs)
        default: false
        }
    }
}
