import PushCore

extension DenyReason {
    /// A reason as it is typed: one of three words, or a text of one's own.
    init(typed text: String) {
        self =
            switch text {
            case "unexpected": .unexpected
            case "fraud": .fraud
            case "ignore": .ignore
            default: .custom(text)
            }
    }
}
