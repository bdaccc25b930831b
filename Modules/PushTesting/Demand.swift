import PushCore

/// What the user must do before a challenge is answered with a yes.
struct Demand: CustomStringConvertible {
    private let prompt: Challenge.Prompt
    private let verification: [[Factor]]

    init(of challenge: Challenge) {
        (prompt, verification) = (challenge.prompt, challenge.verification)
    }

    var description: String { "\(prompt) with \(verification)" }

    /// Whether a yes costs the user less than another demand does.
    func isBelow(_ other: Demand) -> Bool {
        guard prompt.hasYes else { return false }
        if hasEasierPrompt(than: other) { return true }
        let enough = other.proofs
        return !proofs.allSatisfy { proof in enough.contains { $0.isSubset(of: proof) } }
    }

    /// Whether a tap is enough where the other wants more, or there is a yes where it has none.
    func hasEasierPrompt(than other: Demand?) -> Bool {
        if prompt == .approve { return other?.prompt != .approve }
        return prompt.hasYes && other?.prompt.hasYes == false
    }

    /// Whether a yes takes more than being there.
    var wantsProof: Bool { proofs.allSatisfy { !$0.isEmpty } }

    private var proofs: [Set<Factor>] {
        verification.isEmpty ? [[]] : verification.map { Set($0).subtracting([.presence]) }
    }
}

extension Challenge.Prompt {
    /// Whether there is a yes to it.
    var hasYes: Bool {
        if case .denyOnly = self { false } else { true }
    }
}
