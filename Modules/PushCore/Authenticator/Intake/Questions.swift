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

    struct Slot {
        var running: Answer?
        var waiting: Answer?

        /// How many wait for the question that waits.
        var callers = 0

        /// When the last question began, by the monotonic clock.
        fileprivate(set) var started: Duration?
        fileprivate var hints: [PushEvent.Hint] = []

        /// The last answers whose news were told.
        fileprivate var told: [Answer] = []

        fileprivate var isBusy: Bool { running != nil || waiting != nil }
    }

    /// How many messages with contents of their own one question waits for at the most.
    private static let maximumHints = 4

    private var slots: [Key: Slot] = [:]

    /// What is asked about a matter.
    subscript(key: Key) -> Slot {
        get { slots[key] ?? Slot() }
        set { slots[key] = newValue }
    }

    /// How many matters are remembered before those that nobody asks about are forgotten.
    private static let maximumSlots = 256

    /// Adds to what a question will be about. Messages with equal contents are one; of those with
    /// contents of their own a few stay. Which gives way, if one does, is drawn by chance (from 0
    /// to 1, 1 excluded), so that a flood can't tell.
    mutating func add(_ hint: PushEvent.Hint, to key: Key, draw: Double) -> Bool {
        forgetIdle()
        var hints = self[key].hints
        hints.removeAll { $0.hasSameContext(as: hint) }
        hints.append(hint)
        let isFull = hints.count > Self.maximumHints
        if isFull { hints.remove(at: Int(draw * Double(hints.count))) }
        self[key].hints = hints
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

    /// Whether the news of an answer are the caller's: they are told to the first who takes them,
    /// and to nobody else.
    mutating func tellNews(of answer: Answer, for key: Key) -> Bool {
        guard !self[key].told.contains(answer) else { return false }
        // Those of earlier questions have had theirs.
        self[key].told = self[key].told.suffix(3) + [answer]
        return true
    }

    /// Begins the question that waits, and tells what it is about.
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
