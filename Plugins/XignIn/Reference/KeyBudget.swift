import Crypto
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How often a manager may be asked for its keys, as anyone can forge a push with an unknown key.
///
/// In an hour it's asked ten times at the most, and answers twice about one key: a question that
/// brought no answer counts for the total alone, so that an outage doesn't keep out a rotated key. The
/// pause after the first question is short, so that a forged push doesn't keep out the genuine one that
/// follows; each pause is twice as long as the one before, so that a flood of them leaves questions for
/// later. It's kept in the activation's record, and no longer than those questions.
struct KeyBudget {
    private struct Question {
        /// Which key, short enough to keep; empty if the manager didn't answer.
        let key: String
        /// When, by this device's clock, in milliseconds since 1970.
        let time: Int64
    }

    private static let maximumCount = 10
    private static let maximumCountOfKey = 2
    private static let window: Int64 = 3_600_000
    private static let firstPause: Int64 = 3000

    private var questions: [Question] = []

    init() {}

    /// How long a question about a key must wait; `nil` if none may be asked for now.
    func pause(before keyID: String, at now: Date) -> Duration? {
        let (now, key) = (Self.time(now), Self.key(keyID))
        let recent = recent(at: now)
        guard recent.count < Self.maximumCount,
            recent.filter({ $0.key == key }).count < Self.maximumCountOfKey
        else { return nil }
        // After one from the future nobody knows how long ago that was: the total alone counts then.
        guard let last = recent.last, last.time <= now else { return .zero }
        let pause = Self.firstPause << (recent.count - 1)
        return .milliseconds(max(0, pause - (now - last.time)))
    }

    /// Counts a question about a key.
    ///
    /// - Returns: Whether it may be asked now.
    mutating func count(_ keyID: String, at now: Date) -> Bool {
        // The clocks that measure a pause and judge it may differ a little.
        guard let pause = pause(before: keyID, at: now), pause < .milliseconds(500) else {
            return false
        }
        let time = Self.time(now)
        questions = recent(at: time) + [Question(key: Self.key(keyID), time: time)]
        return true
    }

    /// Notes that the last question about a key brought no answer: it wasn't about that key, then.
    mutating func noteUnanswered(_ keyID: String) {
        let key = Self.key(keyID)
        guard let index = questions.lastIndex(where: { $0.key == key }) else { return }
        questions[index] = Question(key: "", time: questions[index].time)
    }

    /// Those of the last hour. One from the future was counted by a clock that has been set back since.
    private func recent(at now: Int64) -> [Question] {
        questions.filter { abs(now - $0.time) < Self.window }
    }

    private static func time(_ date: Date) -> Int64 {
        Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? 0
    }

    private static func key(_ keyID: String) -> String {
        Base64.encode(Data(SHA256.hash(data: Data(keyID.utf8)).prefix(9)), as: .url)
    }

    // MARK: In a record

    /// Reads a budget. An entry that can't be read counts as nothing.
    init(json: JSON?) {
        for value in (json?.array ?? []).suffix(Self.maximumCount) {
            guard let key = value["key"]?.string, let time = value["at"]?.integer else { continue }
            questions.append(Question(key: key, time: time))
        }
    }

    var json: JSON {
        .array(questions.map { ["key": .string($0.key), "at": .number(.init($0.time))] })
    }
}
