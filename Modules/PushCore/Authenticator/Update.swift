/// Something an app may want to redraw for.
@nonexhaustive
public enum Update: Hashable, Sendable {
    /// Something came.
    case received(Reception)
    /// A decision was sent, and this is what the vendor said.
    case outcome(Challenge.ID, Outcome)
    /// An enrollment was made, or its state or device token changed.
    case enrollment(Enrollment)
    /// An enrollment is gone, with all its challenges.
    case removed(Enrollment.ID)
}
