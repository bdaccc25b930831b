/// What of an answer outlives this process, and how a restart goes on from it.
public enum Kept: Sendable {
    /// The bytes; a restart repeats them.
    case whole
    /// The bytes; a restart repeats them once the vendor says that the challenge is open.
    case wholeOnceOpen
    /// A part of the provider's choosing, because the bytes would let a PIN be tested offline; a
    /// restart asks the vendor with it (``Resolver/status(of:kept:)``), then the user.
    case part(Secret)
    /// Nothing but the decision, for the same reason; a restart asks the vendor, then the user.
    case nothing
}

extension Kept {
    /// The same without what is kept.
    package enum Form: String, Hashable, CaseIterable, Sendable {
        case whole, wholeOnceOpen, part, nothing
    }

    /// Which of them it is.
    package var form: Form {
        switch self {
        case .whole: .whole
        case .wholeOnceOpen: .wholeOnceOpen
        case .part: .part
        case .nothing: .nothing
        }
    }
}
