public import PushCore

/// The status of an activation, as the server told it to this device alone.
public struct PowerAuthActivationStatus: Sendable {
    /// The activation's state.
    public let state: State

    /// How many signatures with a PIN or biometry have failed in a row.
    public let failedAttempts: Int

    /// How many may fail until the activation is blocked.
    public let maximumAttempts: Int

    /// How many may still fail; 0 unless the activation is active.
    public let remainingAttempts: Int

    /// What the server's owner adds for the app; `nil` if nothing.
    public let customObject: JSON?

    /// The states of an activation.
    @nonexhaustive
    public enum State: Hashable, Sendable, CaseIterable {
        /// `CREATED`: no device has used the code.
        case created
        /// `PENDING_COMMIT`: the back office must commit it.
        case pendingCommit
        /// `ACTIVE`: it can be used.
        case active
        /// `BLOCKED`: its provider can unblock it.
        case blocked
        /// `REMOVED`: it is over.
        case removed
        /// The server takes no signature of this device any more, as the counters have parted.
        case deadlock
        /// Two answers couldn't be opened, which is how a server says that it has no such activation.
        case unknown
    }

    init(_ status: ActivationStatus) {
        state = State(status)
        failedAttempts = status.blob?.failedAttempts ?? 0
        maximumAttempts = status.blob?.maximumAttempts ?? 0
        remainingAttempts = status.attemptsLeft ?? 0
        customObject = status.customObject
    }
}

extension PowerAuthActivationStatus.State {
    init(_ status: ActivationStatus) {
        guard let blob = status.blob else {
            self = .unknown
            return
        }
        guard blob.state == .removed || status.enrollment.state != .needsReenrollment else {
            self = .deadlock
            return
        }
        self =
            switch blob.state {
            case .created: .created
            case .pendingCommit: .pendingCommit
            case .active: .active
            case .blocked: .blocked
            case .removed: .removed
            }
    }
}
