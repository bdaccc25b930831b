import Foundation

@testable import PushAuthCommand

/// Takes pushes and remembers them.
struct Recorder: Sendable {
    private let pushes: AsyncStream<IncomingPush>
    private let source: AsyncStream<IncomingPush>.Continuation

    init() {
        (pushes, source) = AsyncStream.makeStream()
    }

    /// As intakes want it.
    var taker: PushTaker {
        { push in
            source.yield(push)
            return TakenPush(.taken(1))
        }
    }

    /// The next push, once it comes.
    func next() async -> IncomingPush? {
        for await push in pushes { return push }
        return nil
    }
}
