/// Something to know although the workflow goes on. OneSpan's warning codes aren't published:
/// these are ours.
@nonexhaustive
public enum OrchestrationWarning: Hashable, Sendable {
    /// Too many requests wait for the user: the oldest was dropped. It can be executed again.
    case requestDisplaced
    /// A request waited for too long behind another one, and was dropped.
    case requestTooOld
}
