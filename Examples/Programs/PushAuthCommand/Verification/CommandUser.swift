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

    /// Brings the first alternative that options bring, or else one that the terminal helps with.
    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        if request.alternatives.isEmpty { return [] }
        let title = request.title.flatMap { $0.isEmpty ? nil : printable($0) }
        if let alternative = choice(among: request.alternatives) {
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

    private func choice(among alternatives: [[Factor]]) -> [Factor]? {
        if let brought = alternatives.first(where: { $0.allSatisfy(isBrought) }) { return brought }
        let possible = alternatives.filter { $0.allSatisfy(canSupply) }
        // There is no sensor here, and no key behind one: a PIN that is typed proves more.
        return possible.first { !$0.contains(.biometry) } ?? possible.first
    }

    /// Whether an option brings it.
    private func isBrought(_ factor: Factor) -> Bool {
        switch factor {
        case .presence: options.yes
        case .pin, .newPIN: options.bringsPIN
        case .code: options.codeEnv != nil
        case .biometry: options.bringsBiometry || options.vouch
        case .newBiometry: options.bringsBiometry
        case .deviceCredential: options.vouch
        @unknown default: false
        }
    }

    private func canSupply(_ factor: Factor) -> Bool {
        // A secret that only a finger opens isn't typed.
        isBrought(factor) || (factor != .newBiometry && prompt.isInteractive)
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
        case .newBiometry: return .biometry(try biometry())
        case .biometry:
            if options.bringsBiometry { return .biometry(try biometry()) }
            if !options.vouch { try prompt.confirm(title ?? "Are you the user of this device?") }
            return .biometry(nil)
        @unknown default:
            throw PushError(
                .verificationFailed, "What is asked for is newer than this program.")
        }
    }

    /// What biometry unlocks on a phone; `nil` if no option brings it.
    private func biometry() throws(PushError) -> Secret? {
        if let secret = options.keptBiometry { return secret }
        if let descriptor = options.biometryFd { return try prompt.line(from: descriptor) }
        return try options.biometryEnv.map { (name) throws(PushError) in
            try prompt.variable(name)
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
        if options.bringsPIN { return try pin("") }
        for _ in 0..<3 {
            let first = try prompt.hidden("New PIN: ", otherwise: Self.pinAdvice)
            let second = try prompt.hidden("The same again: ", otherwise: Self.pinAdvice)
            if first.isEqualInConstantTime(to: second) { return first }
            Terminal.error.write("The two PINs differ. Once more.\n")
        }
        throw PushError(
            .verificationFailed, "The two PINs differ.",
            underlying: Advice("Nothing was sent. Try again."))
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
        case .newBiometry: "--biometry-fd or --biometry-env"
        @unknown default: nil
        }
    }
}
