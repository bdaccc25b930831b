import PushCore

// snippet: question
/// What the user can do on an approval screen beside saying no.
nonisolated enum ApprovalControl: Hashable, Sendable {
    case approve
    case choose([String])
    case enter(digits: Int)
    /// Nothing: it can only be denied, and the screen says so.
    case none

    init(_ prompt: Challenge.Prompt) {
        switch prompt {
        case .approve: self = .approve
        case .choose(let options): self = .choose(options)
        case .enter(let digits): self = .enter(digits: digits)
        case .denyOnly: self = .none
        // What a later version of the SDK may ask, too: never a plain yes.
        @unknown default: self = .none
        }
    }

    /// The answer to an entry; `nil` as long as it isn't complete.
    func answer(entering text: String) -> Resolution? {
        guard case .enter(let digits) = self, text.utf8.count == digits,
            text.utf8.allSatisfy({ 0x30...0x39 ~= $0 })
        else { return nil }
        return .enter(text)
    }
}
// end snippet

// snippet: words
/// What the user is told of an outcome. `unknown` is no failure: the SDK goes on by itself.
nonisolated func words(for outcome: Outcome) -> String {
    switch outcome {
    case .delivered: "Your answer has arrived."
    case .notTaken(let refusal) where refusal.mayRetry: "That wasn't it. Try again."
    case .notTaken: "The answer wasn't taken."
    case .expired: "This request is too old."
    case .answeredElsewhere: "This was answered on another device."
    case .code: "Type this code on the other screen."
    case .verifyAgain: "Please confirm once more."
    case .unknown: "Not confirmed yet. The app keeps trying."
    case .cancelled, .ended: "This request is over."
    @unknown default: "This request is over."
    }
}

/// What the user is told of an answer that failed: never that nothing was sent, if it may have been.
nonisolated func words(for error: PushError) -> String {
    switch error.code {
    case .cancelled: "Nothing was sent."
    case .verificationFailed: "You weren't recognized. Nothing was sent."
    case .locked: "Unlock your phone, and try again. Nothing was sent."
    case .guardLost:
        "The key went with your old Face ID, Touch ID or passcode. Add the account again."
    case .decidedOtherwise: "Another answer was given before, and it stands."
    case .over: "This request is over."
    case .invalidResolution, .unsupported, .notFound, .storage:
        "That didn't work. Nothing was sent."
    default: "That didn't work. Perhaps it was sent."
    }
}

extension Outcome {
    /// Whether the user can answer once more.
    nonisolated var asksAgain: Bool {
        switch self {
        case .notTaken(let refusal): refusal.mayRetry
        case .verifyAgain: true
        case .delivered, .expired, .answeredElsewhere, .cancelled, .code, .ended, .unknown: false
        @unknown default: false
        }
    }
}
// end snippet
