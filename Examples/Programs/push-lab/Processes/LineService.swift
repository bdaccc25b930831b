import Foundation
import PushCore
import TerminalIO

/// What a child process does: it answers each line of JSON on its standard input by one on its
/// standard output, any number at a time, until the input ends.
struct LineService: Sendable {
    /// Does what a call asks for.
    typealias Handler = @Sendable (_ call: String, _ arguments: JSON) async throws -> JSON

    let handler: Handler

    init(_ handler: @escaping Handler) {
        self.handler = handler
    }

    func run() async {
        // Ctrl-C reaches every process of a terminal; whoever started this one decides.
        signal(SIGINT, SIG_IGN)
        for await line in Lines.stream(from: .standardInput) {
            guard let call = try? JSON(parsing: line), let name = call["call"]?.string else {
                continue
            }
            Task {
                let reply = await reply(to: name, call)
                // Short enough for a pipe to take it at once, so that no two lines mix.
                Terminal.output.write(reply.text + "\n")
            }
        }
    }

    private func reply(to name: String, _ call: JSON) async -> JSON {
        var reply: JSON.Object = ["id": call["id"] ?? .null]
        do {
            reply["value"] = name == "hello" ? [:] : try await handler(name, call)
        } catch let error as PushError {
            reply["error"] = .string("\(error.code)")
            reply["reason"] = .string(error.reason)
        } catch {
            reply["error"] = "other"
            reply["reason"] = .string("\(error)")
        }
        return .object(reply)
    }
}
