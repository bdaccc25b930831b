/// How often things happened in schedules, so that a test can see that they did.
public struct Tally: Sendable {
    /// What is counted.
    public enum Event: String, CaseIterable, Sendable {
        // What went wrong on the network.
        case unreachable, droppedBefore, droppedAfter, late, gateway, gatewayAfter, tooMany
        case refusedFar, duplicate, slow, truncated, corrupted, offline
        case stranger, strangerAfter, echo, lyingDate
        // In the store.
        case readFailed, writeFailed, conflict, damaged, rowOfAnotherVersion, locked
        case unknownMade, unknownUnmade, readTogether, namedByMark, trace
        // In the processes.
        case start, kill, callGivenUp, clockSet
        // What reached the device.
        case push, replay, forgery, withdrawal, flood, farPush, endedUnpushed, refusedForNow
        // What the user did, and what the server made of it.
        case decision, doubleTap, contradiction, errand
        case taken, takenBefore, wrongStillOpen, wrongForGood, over, refused
        case enrolled, removed, tokenTold, secondService, verifiedAgain, deliveredAlone
    }

    private var counts: [Event: Int] = [:]

    init() {}

    /// How often something happened.
    public subscript(event: Event) -> Int { counts[event, default: 0] }

    mutating func count(_ event: Event) { counts[event, default: 0] += 1 }

    mutating func add(_ other: Tally) { counts.merge(other.counts, uniquingKeysWith: +) }
}
