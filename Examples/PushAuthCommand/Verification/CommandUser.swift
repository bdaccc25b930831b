import Foundation
import PushCore
import TerminalIO

/// The user of a command: what the options supply, else what is typed at the terminal.
struct CommandUser: UserVerifier {
    let options: VerificationOptions
    let prompt: Prompt

    init(_ options: VerificationOptions, prompt: Prompt = Prompt()) {
        self.options = options
        self.prompt = prompt
    }

    /// Brings the first alternative that can be brought.
    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        if request.alternatives.isEmpty { return [] }
        let title = request.title.flatMap { $0.isEmpty ? nil : printable($0) }
        for alternative in request.alternatives where alternative.allSatisfy(canSupply) {
            var evidence: [Evidence] = []
            for factor in alternative {
                evidence.append(try self.evidence(for: factor, title: title))
            }
            return evidence
        }
        throw PushError(
            .verificationFailed, "The vendor wants \(names(of: request.alternatives)).",
            underlying: Advice(advice(on: request.alternatives)))
    }

    private func canSupply(_ factor: Factor) -> Bool {
        switch factor {
        case .presence: options.yes || prompt.isInteractive
        case .pin, .newPIN:
            options.pinFd != nil || options.pinEnv != nil || prompt.isInteractive
        case .code: options.codeEnv != nil || prompt.isInteractive
        case .biometry, .deviceCredential: options.vouch || prompt.isInteractive
        // A secret that only a finger opens can't be kept here.
        case .newBiometry: false
        @unknown default: false
        }
    }

    private func evidence(for factor: Factor, title: String?) throws(PushError) -> Evidence {
        switch factor {
        case .presence:
            if !options.yes { try prompt.confirm(title ?? "Go on?") }
            return .presence
        case .pin: return .pin(try pin(title ?? "PIN: "))
        case .newPIN: return .pin(try newPIN())
        case .code(let name):
            if let variable = options.codeEnv { return .code(try prompt.variable(variable)) }
            return .code(
                try prompt.hidden(
                    name.isEmpty ? "Code: " : "\(printable(name)): ",
                    otherwise: "Give it by --code-env."))
        case .deviceCredential:
            if !options.vouch { try prompt.confirm(title ?? "Are you the user of this device?") }
            return .deviceCredential
        default:
            if !options.vouch { try prompt.confirm(title ?? "Are you the user of this device?") }
            return .biometry(nil)
        }
    }

    private func pin(_ title: String) throws(PushError) -> Secret {
        if let pin = options.keptPIN { return pin }
        if let descriptor = options.pinFd { return try prompt.line(from: descriptor) }
        if let variable = options.pinEnv { return try prompt.variable(variable) }
        return try prompt.hidden(
            title.hasSuffix(" ") ? title : title + " PIN: ", otherwise: Self.pinAdvice)
    }

    private func newPIN() throws(PushError) -> Secret {
        if options.pinFd != nil || options.pinEnv != nil { return try pin("") }
        let first = try prompt.hidden("New PIN: ", otherwise: Self.pinAdvice)
        let second = try prompt.hidden("The same again: ", otherwise: Self.pinAdvice)
        guard first.isEqualInConstantTime(to: second) else {
            throw PushError(
                .verificationFailed, "The two PINs differ.",
                underlying: Advice("Nothing was sent. Try again."))
        }
        return first
    }

    private static let pinAdvice = "Give the PIN by --pin-fd or --pin-env."

    private func names(of alternatives: [[Factor]]) -> String {
        alternatives.map { $0.map(\.name).joined(separator: " and ") }.joined(separator: ", or ")
    }

    /// The options that bring what nobody is there to be asked for.
    private func advice(on alternatives: [[Factor]]) -> String {
        var words: [String] = []
        for factor in alternatives.joined() where !canSupply(factor) {
            let word = factor.option.map { "\(factor.name) by \($0)" } ?? "\(factor.name) can't be"
            if !words.contains(word) { words.append(word) }
        }
        return "Without a terminal, this is given by options: \(words.joined(separator: ", "))."
    }
}

extension Factor {
    /// What a person calls it.
    var name: String {
        switch self {
        case .presence: "a yes"
        case .pin: "the PIN"
        case .newPIN: "a new PIN"
        case .biometry: "biometry"
        case .newBiometry: "biometry to set up"
        case .deviceCredential: "the device's lock"
        case .code(let name): printable(name)
        @unknown default: "something newer"
        }
    }

    /// The option that brings it; `nil` if none does.
    fileprivate var option: String? {
        switch self {
        case .presence: "--yes"
        case .pin, .newPIN: "--pin-fd or --pin-env"
        case .code: "--code-env"
        case .biometry, .deviceCredential: "--vouch"
        case .newBiometry: nil
        @unknown default: nil
        }
    }
}
