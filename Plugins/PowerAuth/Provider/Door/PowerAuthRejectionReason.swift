public import PushCore

/// Why an operation is rejected, under the documented names.
///
/// Deny with ``denyReason`` for one that the core has no word for.
@nonexhaustive
public enum PowerAuthRejectionReason: Hashable, Sendable {
    /// `UNKNOWN`: the user doesn't say.
    case unknown
    /// `INCORRECT_DATA`: what the operation says is wrong.
    case incorrectData
    /// `UNEXPECTED_OPERATION`: the user didn't ask for it.
    case unexpectedOperation
    /// `PREAPPROVAL`: the user turned back on the screen before the approval. Known from a change
    /// log of the vendor's alone.
    case preapproval
    /// Any other text; servers take each.
    case custom(String)

    /// The reason as it is sent.
    public var text: String {
        switch self {
        case .unknown: "UNKNOWN"
        case .incorrectData: "INCORRECT_DATA"
        case .unexpectedOperation: "UNEXPECTED_OPERATION"
        case .preapproval: "PREAPPROVAL"
        case .custom(let text): text
        }
    }

    /// The reason as the core takes it.
    public var denyReason: DenyReason {
        switch self {
        case .unknown: .ignore
        case .unexpectedOperation: .unexpected
        default: .custom(text)
        }
    }

    /// Reads the core's reason. What the user takes for an attack is an operation nobody asked for.
    public init(_ reason: DenyReason) {
        switch reason {
        case .unexpected, .fraud: self = .unexpectedOperation
        case .custom(let text) where !text.isEmpty: self = .custom(text)
        default: self = .unknown
        }
    }
}
