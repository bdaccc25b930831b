import Foundation
import PushCore
import TOMLKit

/// Rules that answer without a person; the first that matches decides.
struct Policy: Sendable {
    var rules: [Rule] = []

    /// Reads a policy file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - providers: The providers that a rule may name.
    /// - Returns: The policy.
    /// - Throws: `Failure` that says what is wrong, and in which rule; or that others may write it.
    static func read(_ path: String, providers: [String]) throws(Failure) -> Policy {
        let text = try TrustedFile(path: path, kind: "policy").read()
        do {
            return try Policy(parsing: text, providers: providers)
        } catch {
            throw Failure(
                .store, "The policy \(path) can't be used: \(describe(decoding: error))",
                advice: "`pushauth listen --help` lists what a rule may hold.")
        }
    }

    init(rules: [Rule] = []) {
        self.rules = rules
    }

    init(parsing text: String, providers: [String]) throws {
        try TOMLDepth.check(text)
        let file = try TOMLDecoder(strictDecoding: true).decode(PolicyFile.self, from: text)
        rules = try file.rule.enumerated().map {
            try Rule($1, number: $0 + 1, providers: providers)
        }
    }

    /// What the first rule that matches says.
    ///
    /// - Parameters:
    ///   - question: What is asked.
    ///   - date: When it is asked.
    ///   - calendar: Whose hours and days count.
    /// - Returns: The verdict.
    func verdict(
        on question: Question, at date: Date, in calendar: Calendar = .current
    ) -> Verdict {
        // A yes to what can't be shown would be a yes to anything.
        for rule in rules where rule.matches(question, at: date, in: calendar) {
            if case .denyOnly = question.challenge.prompt, case .approve = rule.action { continue }
            return .act(rule.action, rule: rule.name)
        }
        return .wait
    }
}

/// What decoding found wrong, in a sentence.
func describe(decoding error: any Error) -> String {
    switch error {
    case let error as Failure: error.text
    case let error as PushError: error.reason
    case let error as TOMLDepth.Exceeded: "\(error)"
    case let error as TOMLParseError: "\(error)"
    // The decoder says the same of an optional value of another kind.
    case DecodingError.keyNotFound(let key, _):
        "'\(key.stringValue)' is missing, or has a value of the wrong kind."
    case DecodingError.typeMismatch(_, let context),
        DecodingError.valueNotFound(_, let context), DecodingError.dataCorrupted(let context):
        "'\(name(of: context.codingPath))' has a value of the wrong kind."
    case let error as UnexpectedKeysError:
        "unknown: \(error.keys.keys.sorted().joined(separator: ", "))."
    default: "it can't be read."
    }
}

/// Such as `rule.2.user`; rules are counted from 1.
private func name(of path: [any CodingKey]) -> String {
    path.map { key in key.intValue.map { "\($0 + 1)" } ?? key.stringValue }
        .joined(separator: ".")
}
