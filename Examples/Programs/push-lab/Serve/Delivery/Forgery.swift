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

/// Hands pushes on as they are, or spoiled.
struct SpoiledDelivery: Sendable {
    let sender: any PushDelivery

    /// What a push waits for that is to be late.
    let hold: @Sendable () async -> Void

    /// - Returns: What became of it.
    func send(_ push: SimulatedPush, spoiledBy fault: PushFault?) async -> PushFate {
        var push = push
        var copies = 1
        switch fault {
        case .drop: return .untaken(.lost, "lost, as asked")
        case .delay: await hold()
        case .duplicate: copies = 2
        case .forge: push = Forgery.changed(push)
        case nil: break
        }
        var fates: [PushFate] = []
        for _ in 0..<copies { fates.append(await sender.send(push)) }
        return PushFate(of: fates, because: fault.map { " (\($0.words))" } ?? "")
    }
}
