import Foundation

/// What a push service has accepted and the listener hasn't taken yet.
///
/// The service answers its sender at once; a policy may need seconds. Expiry and collapse matter
/// for as long as a push waits here, which it does while others are being taken.
actor PushQueue {
    private let taker: PushTaker
    private let now: @Sendable () -> Date

    /// How many pushes are taken at the same time, and how many may wait.
    private let width: Int
    private let capacity: Int

    private var waiting: [QueuedPush] = []
    private var workers: [Int: Task<Void, Never>] = [:]
    private var guests: [Int: Task<Void, Never>] = [:]
    private var nextNumber = 0
    private var isClosed = false

    init(
        width: Int = 4, capacity: Int = 1000, now: @escaping @Sendable () -> Date = { Date() },
        taker: @escaping PushTaker
    ) {
        self.width = width
        self.capacity = capacity
        self.now = now
        self.taker = taker
    }

    /// Why a push isn't accepted.
    enum Refusal: Error {
        case full
        case closed
    }

    /// Accepts a push, to be taken soon.
    func add(_ push: QueuedPush) throws(Refusal) {
        guard !isClosed else { throw .closed }
        // Before it takes another's place: what was accepted isn't lost to what is refused.
        guard waiting.count < capacity else { throw .full }
        if let name = push.collapse,
            let index = waiting.firstIndex(where: { $0.collapse == name })
        {
            waiting[index].push.drop = .replaced
            waiting[index].collapse = nil
        }
        waiting.append(push)
        if workers.count < width { begin() }
    }

    /// Takes a push now, for a sender that waits for what is made of it.
    func take(_ push: IncomingPush) async throws(Refusal) -> PushVerdict {
        guard !isClosed else { throw .closed }
        guard guests.count < capacity else { throw .full }
        let (taker, number) = (taker, number())
        // A task of its own: a sender that hangs up doesn't undo what has begun.
        let work = Task {
            let verdict = await taker(push)
            guests[number] = nil
            return verdict
        }
        guests[number] = Task { _ = await work.value }
        return await work.value
    }

    /// Accepts no more, and returns once what was accepted is taken.
    func close() async {
        isClosed = true
        while let task = workers.values.first ?? guests.values.first { await task.value }
    }

    private func begin() {
        let number = number()
        workers[number] = Task {
            while let push = next() { _ = await taker(push) }
            workers[number] = nil
        }
    }

    private func number() -> Int {
        nextNumber += 1
        return nextNumber
    }

    private func next() -> IncomingPush? {
        guard !waiting.isEmpty else { return nil }
        let index = waiting.firstIndex(where: \.isUrgent) ?? waiting.startIndex
        var next = waiting.remove(at: index)
        if next.push.drop == nil, let expiry = next.expiry, expiry < now() {
            next.push.drop = .expired
        }
        return next.push
    }
}
