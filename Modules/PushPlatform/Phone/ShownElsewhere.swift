import PushCore

/// What is shown elsewhere, by the extension or on the screen, and therefore not in a notification of the
/// app's.
struct ShownElsewhere {
    private var underway = 0
    private var held: [AuthenticatorUpdate] = []
    private var challenges: Set<Challenge.ID> = []

    /// A push is being read that is shown elsewhere. What it announces is told before it's known that this
    /// was it.
    mutating func begin() { underway += 1 }

    /// The push was read.
    ///
    /// - Parameter read: What it was about.
    /// - Returns: What was held back meanwhile.
    mutating func end(_ read: [Challenge.ID]) -> [AuthenticatorUpdate] {
        underway -= 1
        challenges.formUnion(read)
        guard underway == 0 else { return [] }
        defer { held = [] }
        return held
    }

    /// Whether an update is of something that is shown elsewhere, or may be.
    mutating func has(_ update: AuthenticatorUpdate) -> Bool {
        guard case .received(let reception) = update, case .notice(let notice, _) = reception.kind
        else {
            switch update {
            case .outcome(let id, _): challenges.remove(id)
            case .received(let reception): reception.challenge.map { _ = challenges.remove($0) }
            default: break
            }
            return false
        }
        if challenges.contains(notice.id) { return true }
        if underway > 0 { held.append(update) }
        return underway > 0
    }
}

extension PushMessage {
    /// Whether the system shows it by itself: it has a text to show.
    var hasVisibleText: Bool {
        switch self["aps"]?["alert"] {
        case .string(let text)?: !text.isEmpty
        case .object(let alert)?:
            ["title", "subtitle", "body", "title-loc-key", "subtitle-loc-key", "loc-key"].contains {
                alert[$0]?.string?.isEmpty == false
            }
        default: false
        }
    }

    /// Whether the system gives it to the app's extension before it shows it.
    var runsServiceExtension: Bool {
        hasVisibleText && self["aps"]?["mutable-content"]?.integer == 1
    }
}
