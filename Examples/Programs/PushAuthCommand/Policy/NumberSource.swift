import Foundation
import PushCore
import TerminalIO

/// Where the number comes from that a login page shows.
enum NumberSource: Hashable, Sendable {
    /// The first line of a file.
    case file(String)
    /// An environment variable.
    case variable(String)
    /// The first line that a command prints. It gets the challenge as JSON on standard input, and
    /// of this process's variables those that every program gets, and those that are named.
    case command([String], inheriting: [String] = [])

    /// How long a command may take.
    static let limit = Duration.seconds(10)

    /// Longer than any number.
    private static let longestLine = 4096

    /// Gets the number.
    ///
    /// - Parameters:
    ///   - question: What a command gets to read.
    ///   - limit: How long a command may take.
    /// - Returns: The number, as text.
    /// - Throws: `Failure` that names the source.
    func number(
        for question: Question, within limit: Duration = Self.limit
    ) async throws(Failure) -> String {
        let text: String
        switch self {
        case .file(let path): text = try Self.firstLine(of: path)
        case .variable(let name):
            guard let value = ProcessInfo.processInfo.environment[name] else {
                throw Failure(.failed, "There is no environment variable \(name) with the number.")
            }
            text = value
        case .command(let words, let names):
            text = try await Command(words, inheriting: names)
                .output(for: question.json.data, within: limit)
        }
        let line = text.prefix { !$0.isNewline }.trimmingCharacters(in: .whitespaces)
        guard !line.isEmpty else {
            throw Failure(.failed, "There is no number in what was named for it.")
        }
        return line
    }

    private static func firstLine(of path: String) throws(Failure) -> String {
        do throws(BoundedInput.Fault) {
            var input = try BoundedInput(file: path, limit: longestLine)
            return String(decoding: try input.line() ?? [], as: UTF8.self)
        } catch {
            throw Failure(error)
        }
    }
}

extension Question {
    /// For a command: what is asked, and of whom.
    var json: JSON {
        var object: JSON.Object = [
            "id": .string(Abbreviation(challenge.id).text),
            "provider": .string(enrollment.id.provider.rawValue),
            "prompt": .string(challenge.prompt.word),
            "shown": challenge.shown.json, "fields": challenge.fields.json,
        ]
        object["issuer"] = enrollment.issuer.map(JSON.string)
        object["account"] = enrollment.account.map(JSON.string)
        if case .choose(let options) = challenge.prompt {
            object["options"] = .array(options.map(JSON.string))
        }
        if case .enter(let digits) = challenge.prompt {
            object["digits"] = .number(.init(Int64(digits)))
        }
        return .object(object)
    }
}
