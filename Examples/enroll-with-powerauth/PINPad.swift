import PushCore

/// Asks the user for a PIN: a new one to enroll, and that one later.
// snippet: verify
struct PINPad: UserVerifier {
    /// Shows a question, and returns what the user types.
    let ask: @Sendable (String) async -> String

    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        let question: String
        // This device has no biometry, so it looks for an alternative that is a PIN alone.
        if request.alternatives.contains([.newPIN]) {
            question = "Choose a PIN."
        } else if request.alternatives.contains([.pin]) {
            question = "Enter your PIN."
        } else {
            throw PushError(.verificationFailed, "A PIN isn't enough for this.")
        }
        return [.pin(Secret(await ask(question).utf8))]
    }
}
// end snippet
