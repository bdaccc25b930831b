import Foundation
import PushTesting

/// Changes a push as somebody on the way could.
enum Forgery {
    /// The same push with another character in the middle of its longest text.
    static func changed(_ push: SimulatedPush) -> SimulatedPush {
        let text = String(decoding: push.payload, as: UTF8.self)
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        guard let longest = parts.max(by: { $0.utf8.count < $1.utf8.count }) else { return push }
        let middle = longest.index(longest.startIndex, offsetBy: longest.count / 2)
        var changed = text
        changed.replaceSubrange(middle...middle, with: text[middle] == "A" ? "B" : "A")
        return SimulatedPush(to: push.deviceToken, payload: Data(changed.utf8))
    }
}
