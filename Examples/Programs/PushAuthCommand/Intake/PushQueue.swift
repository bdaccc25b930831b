import Foundation
import PushCore

/// Pushes that intakes took and the listener hasn't put on record yet.
///
/// A sender hears at once, or as soon as its push is on record; what a push leads to, such as a
/// policy's answer, may need longer, and goes on here, in nobody's place. So does the wait for a vendor that
/// must be asked before its sender can hear. Expiry and collapse matter for as long as a push waits here,
/// which it does while others are put on record.
actor PushQueue {
    private let taker: PushTaker
    private let now: @Sendable () -> Date

    /// How many pushes are put on record at the same time.
    private let width: Int

    /// How many pushes may wait.
    private let capacity: Int

    /// Of how many pushes of one vendor what they led to may go on here. More is left to a later look: it
    /// is on record.
    private let share: Int

    /// How long a sender waits for a vendor that is asked about its push; then it is to send it again.
    private let patience: Duration

    private struct Waiting {
        var push: QueuedPush
        let sender: AsyncStream<PushVerdict>.Continuation
    }

    private var waiting: [Waiting] = []
    private var workers: [Int: Task<Void, Never>] = [:]
    private var followers: [Int: Task<Void, Never>] = [:]
    private var shares: [ProviderID?: Int] = [:]
    private var questions: [Int: Task<Void, Never>] = [:]
    private var nextNumber = 0
    private var isClosed = false

    init(
        width: Int = 16, capacity: Int = 1000, share: Int = 1000,
        patience: Duration = .seconds(8),
        now: @escaping @Sendable () -> Date = { Date() },
        taker: @escaping PushTaker
    ) {
        self.width = width
        self.capacity = capacity
        self.share = share
        self.patience = patience
        self.now = now
        self.taker = taker
    }

    /// Why a push isn't accepted.
    enum Refusal: Error {
        case full
        case closed
    }

    /// Takes a push, and returns once it is on record, refused or dropped. A sender that hangs up
    /// doesn't undo what has begun.
    func take(_ push: QueuedPush) async throws(Refusal) -> PushVerdict {
        try await add(push).value
    }

    /// Accepts a push, to be taken soon.
    ///
    /// - Returns: What will be made of it.
    func add(_ push: QueuedPush) throws(Refusal) -> Task<PushVerdict, Never> {
        guard !isClosed else { throw .closed }
        // Before it takes another's place: what was accepted isn't lost to what is refused.
        guard waiting.count < capacity else { throw .full }
        if let name = push.collapse,
            let index = waiting.firstIndex(where: { $0.push.collapse == name })
        {
            waiting[index].push.push.drop = .replaced
            waiting[index].push.collapse = nil
        }
        let (verdicts, sender) = AsyncStream<PushVerdict>.makeStream()
        waiting.append(Waiting(push: push, sender: sender))
        if workers.count < width { begin() }
        return Task {
            for await verdict in verdicts { return verdict }
            return .refused(.cancelled)
        }
    }

    /// How many pushes were accepted and aren't done.
    var count: Int { waiting.count + workers.count + followers.count + questions.count }

    /// Accepts no more, and returns once what was accepted is done.
    func close() async {
        isClosed = true
        while let task = (workers.values.first ?? questions.values.first) ?? followers.values.first
        {
            await task.value
        }
    }

    private func begin() {
        let number = number()
        workers[number] = Task {
            while let next = next() {
                let taken = await taker(next.push.push)
                if taken.question == nil {
                    end(taken, for: next.sender)
                } else {
                    ask(taken, next.sender)
                }
            }
            workers[number] = nil
        }
    }

    private func end(_ taken: TakenPush, for sender: AsyncStream<PushVerdict>.Continuation) {
        follow(taken)
        sender.yield(taken.verdict)
        sender.finish()
    }

    /// The question goes on when its sender has given up: what it leads to is on record then.
    private func ask(_ taken: TakenPush, _ sender: AsyncStream<PushVerdict>.Continuation) {
        let number = number()
        let limit = Task { [patience] in
            try await Task.sleep(for: patience)
            sender.yield(.refused(.unreachable))
            sender.finish()
        }
        questions[number] = Task {
            let answered = await taken.answered()
            limit.cancel()
            end(answered, for: sender)
            questions[number] = nil
        }
    }

    private func follow(_ taken: TakenPush) {
        let provider = taken.provider
        let hasRoom = shares[provider, default: 0] < share
        guard let rest = hasRoom ? taken.rest : taken.left else { return }
        let number = number()
        shares[provider, default: 0] += 1
        followers[number] = Task {
            await rest()
            followers[number] = nil
            let others = shares[provider, default: 1] - 1
            shares[provider] = others == 0 ? nil : others
        }
    }

    private func number() -> Int {
        nextNumber += 1
        return nextNumber
    }

    private func next() -> Waiting? {
        guard !waiting.isEmpty else { return nil }
        let index = waiting.firstIndex(where: \.push.isUrgent) ?? waiting.startIndex
        var next = waiting.remove(at: index)
        if next.push.push.drop == nil, let expiry = next.push.expiry, expiry < now() {
            next.push.push.drop = .expired
        }
        return next
    }
}
