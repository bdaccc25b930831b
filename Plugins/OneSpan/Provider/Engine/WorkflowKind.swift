/// The workflows that exchange commands with the server.
@nonexhaustive
public enum WorkflowKind: Hashable, Sendable {
    /// Online activation: four round trips.
    case activation
    /// Notification registration: one round trip.
    case notificationRegistration
    /// Remote authentication: two round trips.
    case authentication
    /// Remote transaction: two round trips.
    case transaction
    /// Change password: one round trip.
    case changePassword
}
