import PushCore

/// A way for pushes to come in.
protocol Intake: Sendable {
    /// What events call it.
    var name: String { get }

    /// Begins to take pushes, and returns once it does.
    ///
    /// - Parameter taker: Who takes each; the verdict that it returns is for the sender.
    /// - Returns: Where senders find it, for the event that says so.
    /// - Throws: `Failure`, such as for a port that somebody else uses.
    func start(_ taker: @escaping PushTaker) async throws(Failure) -> JSON.Object

    /// Takes no more, and returns once what it took is done; a sender hears that it ends.
    func drain() async

    /// Lets what it has begun come to an end, and takes no more.
    func stop() async

    /// How many pushes it accepted that aren't done.
    func waiting() async -> Int
}

extension Intake {
    /// None: it takes one after the other.
    func waiting() async -> Int { 0 }

    /// Has nothing that goes on.
    func drain() async {}
}

/// Takes a push, and returns once it is on record, refused or dropped.
typealias PushTaker = @Sendable (IncomingPush) async -> TakenPush

/// A push that was taken.
struct TakenPush: Sendable {
    let verdict: PushVerdict

    /// The vendor whose push it was, if it is one's.
    let provider: ProviderID?

    /// What it leads to, such as a policy's answer. The intake runs it to its end.
    var rest: (@Sendable () async -> Void)?

    /// What is done in its place where too much goes on for that vendor: it leaves to a later look what
    /// waits for an answer, which is on record.
    var left: (@Sendable () async -> Void)?

    /// Waits for its vendor, which tells what is to be made of it.
    let question: (@Sendable () async -> TakenPush)?

    init(
        _ verdict: PushVerdict, of provider: ProviderID? = nil,
        then rest: (@Sendable () async -> Void)? = nil
    ) {
        self.verdict = verdict
        self.provider = provider
        self.rest = rest
        question = nil
    }

    init(asking question: @escaping @Sendable () async -> TakenPush) {
        verdict = .taken(nil)
        provider = nil
        self.question = question
    }

    /// The same once its vendor was asked, if it must be.
    func answered() async -> TakenPush {
        guard let question else { return self }
        return await question()
    }

    /// The same, with something that is done at its end.
    func ending(by end: @escaping @Sendable () async -> Void) -> TakenPush {
        var taken = self
        taken.rest = { [rest] in
            await rest?()
            await end()
        }
        taken.left = { [left] in
            await left?()
            await end()
        }
        return taken
    }

    /// The same, changed as soon as its verdict is known.
    func mapping(_ change: @escaping @Sendable (TakenPush) -> TakenPush) -> TakenPush {
        guard let question else { return change(self) }
        return TakenPush { change(await question()) }
    }
}

/// What was made of a push.
enum PushVerdict: Hashable, Sendable {
    /// Some provider took it, as this many events; `nil` as long as a vendor is asked for them.
    case taken(Int?)
    /// No provider knows its shape: it is an app's own.
    case foreign
    /// It couldn't be trusted, read or put on record.
    case refused(PushError.Code)
    /// Nobody looked at it.
    case dropped(PushDrop)
    /// The device that its token names was removed.
    case gone
}

extension PushVerdict {
    /// Whether it is on no record through no fault of the push: its sender may send it again.
    var mayBeSentAgain: Bool {
        switch self {
        // A server's certificate may be renewed, or a stranger in between gone, the next time.
        case .refused(.untrustedServer), .refused(.pinMismatch): true
        case .refused(let code): [.network, .store].contains(ExitStatus(code))
        case .taken, .foreign, .dropped, .gone: false
        }
    }
}
