/// Why a request can only be rejected: what the user approves is what the user saw.
@nonexhaustive
public enum DisplayProblem: Hashable, Sendable {
    /// A transaction, or a text, that shows nothing.
    case missing
    /// Data that aren't what their form says, or a text that isn't one.
    case unreadable
    /// Data of a form that this engine doesn't know.
    case unknownForm
    /// A field without a label.
    case unlabeled
    /// More fields than 16.
    case tooMany
    /// A label, a value or a text that is longer than its form allows, or than is shown.
    case tooLong
    /// A way to authenticate that this engine doesn't know.
    case unknownMethod

    /// Why, for developers.
    public var reason: String {
        switch self {
        case .missing: "It has nothing to show."
        case .unreadable: "Part of what it shows can't be read."
        case .unknownForm: "What it shows has an unknown form."
        case .unlabeled: "A field has no label."
        case .tooMany: "It has more than 16 fields."
        case .tooLong: "It is too long to be shown whole."
        case .unknownMethod: "It asks for an unknown way to authenticate."
        }
    }
}

extension DisplayRequest {
    /// The same request, with what keeps the user from seeing all that an approval would stand for.
    package func judged(as kind: WorkflowKind) -> DisplayRequest {
        var judged = self
        judged.problem =
            problem ?? ShownContent(content).problem
            ?? (kind == .transaction && content == .none ? .missing : nil)
        return judged
    }
}
