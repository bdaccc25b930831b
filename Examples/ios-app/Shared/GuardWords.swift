import PushCore

/// What the user chooses from: what opens an account's key from now on.
nonisolated func words(for policy: GuardPolicy?) -> String {
    switch policy {
    case nil: "Nothing"
    case .presence: "This phone, unlocked"
    case .deviceOwner: "Face ID, Touch ID or the passcode"
    case .currentBiometry: "Face ID or Touch ID as it is now"
    @unknown default: ""
    }
}

/// What a guard costs, by what needs the key. The user is told before they choose one.
nonisolated func price(of uses: Capabilities.GuardedPart.Uses) -> String {
    let sentences: [(Capabilities.GuardedPart.Uses, String)] = [
        (.denial, "Saying no asks for it, too."),
        (.opening, "So does looking at a request."),
        (.codes, "A one-time code asks for it."),
        (.questions, "The app no longer looks for requests by itself, and refreshing asks for it."),
        (.questions, "A new push address waits until you open it."),
    ]
    return sentences.filter { !uses.isDisjoint(with: $0.0) }.map(\.1).joined(separator: " ")
}
