import Foundation
import PushCore

/// The user at the terminal.
struct TerminalUser: UserVerifier {
    /// Asks what to answer: on standard error, so that only outcomes are on standard output.
    func answer(_ notice: Notice, _ prompt: Challenge.Prompt) async -> Resolution {
        switch prompt {
        case .approve:
            ask("\(notice.body ?? "Log in?") [y/n]") == "y" ? .approve : .deny(.unexpected)
        case .choose(let options): .choose(ask("Which of \(options.joined(separator: ", "))?"))
        case .enter(let digits): .enter(ask("Which \(digits) digits?"))
        default: .deny(.unexpected)
        }
    }

    /// Whoever sits at an unlocked terminal counts as verified here; a phone would check biometry.
    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        guard ask("Is it you? [y/n]") == "y" else {
            throw PushError(.cancelled, "The user gave up.")
        }
        return [.biometry(nil)]
    }

    private func ask(_ question: String) -> String {
        tell(question + " ")
        return readLine() ?? ""
    }

    func tell(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
