import Foundation
import PushCore
import Testing

@testable import push_lab

extension Scenario {
    /// A device is a process of its own here, and is killed with SIGKILL between its decision, which is on
    /// record, and the server's reply. The next process goes on.
    static let killing: [Scenario] = [
        Scenario("a process killed before its yes arrives") {
            try await kill(losing: .request, "REJECT pending", then: "taken", at: $0)
        },
        Scenario("a process killed before the reply to its yes") {
            try await kill(losing: .reply, "ACCEPT accept", then: "ended", at: $0)
        },
    ]

    private static func kill(
        losing loss: UnreliableWay.Loss, _ word: String, then outcome: String, at stage: Stage
    ) async throws {
        try await stage.set(.gateway(.firebase))
        let way = try await stage.putUnreliableWay()
        let token = "token-\(stage.user)"
        let first = try await stage.process()
        try await first.call("token", ["token": .string(token), "service": "fcm"])
        let code = try await stage.server.code(for: stage.user, serial: nil)
        try await first.call("enroll", ["code": .string(code.text)])
        let login = try await stage.server.startLogin(of: stage.user)
        let push = try #require(try await stage.server.takePushes(to: token).first)
        let found = try await first.call(
            "receive", ["payload": .string(String(decoding: push, as: UTF8.self))])
        var answer: JSON.Object = ["choice": "approve", "vendor": "privacyidea"]
        for name in ["challenge", "mechanism"] { answer[name] = found[name] }
        let end = Event()
        let lost = await way.lose(loss, until: end)
        let answering = Task { [answer] in try await first.call("answer", answer) }
        await lost.wait()
        await first.kill()
        end.happen()
        _ = await answering.result
        try await stage.sees(login, word)
        var second = try await stage.process()
        if outcome == "ended" {
            // One list ends nothing.
            try await stage.note("the next process", try await Self.resumed(second), "unknown")
            await second.kill()
            try await Task.sleep(for: .seconds(6))
            second = try await stage.process()
        }
        try await stage.note("the next process", try await Self.resumed(second), outcome)
        try await stage.sees(login, "ACCEPT accept")
        try await stage.finishes(login, "ACCEPT")
        await second.finish()
        await way.stop()
    }

    private static func resumed(_ process: Peer) async throws -> String {
        let outcomes = try await process.call("resume").object?.members ?? []
        return outcomes.compactMap(\.value.string).joined(separator: ", ")
    }
}
