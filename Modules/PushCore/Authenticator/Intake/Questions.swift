/// What pushes that prove nothing make the device ask: for each enrollment and topic one question
/// is under way, and at most one waits.
struct Questions {
    /// A matter of an enrollment that a vendor can be asked about.
    struct Key: Hashable {
        let enrollment: Enrollment.ID
        let topic: PushEvent.Hint.Topic
    }

    /// What is found, for all who wait for it.
    typealias Answer = Task<Result<[Reception], PushError>, Never>

    private struct Slot {
        var running: Answer?
        var waiting: Answer?
        var hints: [PushEvent.Hint] = []
        var started: Duration?
        /// How many wait for the question that waits.
        var callers = 0
        /// The last answers whose news were told.
        var told: [Answer] = []

        var isBusy: Bool { running != nil || waiting != nil }
    }

    /// How many messages with contents of their own one question waits for at the most.
    private static let maximumHints = 4

    private var slots: [Key: Slot] = [:]

    /// How many matters are remembered before those that nobody asks about are forgotten.
    private static let maximumSlots = 256

    /// Adds to what a question will be about. Messages with equal contents are one; of those with
    /// contents of their own a few stay, drawn by chance, so that a flood can't tell which.
    ///
    /// - Parameters:
    ///   - hint: The message.
    ///   - key: What it is about.
    ///   - draw: A number from 0 to 1, 1 excluded, that chooses which gives way.
    /// - Returns: Whether one gave way.
    mutating func add(_ hint: PushEvent.Hint, to key: Key, draw: Double) -> Bool {
        forgetIdle()
        var slot = slots[key] ?? Slot()
        slot.hints.removeAll { $0.hasSameContext(as: hint) }
        slot.hints.append(hint)
        let isFull = slot.hints.count > Self.maximumHints
        if isFull { slot.hints.remove(at: Int(draw * Double(slot.hints.count))) }
        slots[key] = slot
        return isFull
    }

    /// Forgets the matters of an enrollment that is gone.
    mutating func forget(_ enrollment: Enrollment.ID) {
        slots = slots.filter { $0.key.enrollment != enrollment || $0.value.isBusy }
    }

    private mutating func forgetIdle() {
        guard slots.count >= Self.maximumSlots else { return }
        slots = slots.filter(\.value.isBusy)
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
    mutating func begin(_ key: Key, at elapsed: Duration) -> [PushEvent.Hint] {
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

extension PushEvent.Hint {
    /// Whether what a provider needs to ask is the same.
    fileprivate func hasSameContext(as other: PushEvent.Hint) -> Bool {
        switch (context, other.context) {
        case (nil, nil): true
        case (let one?, let other?): one.isEqualInConstantTime(to: other)
        default: false
        }
    }
}
