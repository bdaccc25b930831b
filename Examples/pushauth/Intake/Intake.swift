import PushCore

/// A way for pushes to come in.
protocol Intake: Sendable {
    /// What events call it.
    var name: String { get }

    /// Begins to take pushes, and returns once it does.
    ///
    /// - Parameter taker: Who takes each; what it returns is for the sender.
    /// - Returns: Where senders find it, for the event that says so.
    /// - Throws: `Failure`, such as for a port that somebody else uses.
    func start(_ taker: @escaping PushTaker) async throws(Failure) -> JSON.Object

    /// Lets what it has begun come to an end, and takes no more.
    func stop() async
}

/// Takes a push.
typealias PushTaker = @Sendable (IncomingPush) async -> PushVerdict

/// A push as it came in.
struct IncomingPush: Sendable {
    let message: PushMessage

    /// The intake's name.
    let intake: String

    /// Why nobody wants it any more, if so.
    var drop: PushDrop?
}

/// Why a push service drops a push that it accepted.
enum PushDrop: String, Sendable {
    /// Its sender's time for it was over before it was taken.
    case expired
    /// A newer one with the same collapse identifier took its place.
    case replaced
    /// It was for a topic, and this device follows none.
    case unsubscribed
}

/// What was made of a push.
enum PushVerdict: Hashable, Sendable {
    /// Some provider took it, as this many events.
    case taken(Int)
    /// No provider knows its shape: it is an app's own.
    case foreign
    /// It couldn't be trusted or read.
    case refused(PushError.Code)
    /// Nobody looked at it.
    case dropped(PushDrop)
}
