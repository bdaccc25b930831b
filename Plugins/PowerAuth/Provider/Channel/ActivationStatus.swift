import PushCore

/// What a server told of an activation, once it is on record.
struct ActivationStatus: Sendable {
    /// The enrollment, with its new state.
    let enrollment: Enrollment

    /// What the server told; `nil` if it couldn't be opened, twice.
    let blob: ActivationStatusBlob?

    /// What the server's owner adds for the app.
    let customObject: JSON?

    /// Whether the server's counter was ahead, and this device's has followed: no signature made
    /// before could be taken.
    let hasMoved: Bool

    /// How many wrong PINs the server takes before it blocks the activation; `nil` unless it's
    /// active.
    var attemptsLeft: Int? { enrollment.state == .active ? blob?.attemptsLeft : nil }

    /// That the server didn't take a proof, but may take another.
    func refusal(_ why: Outcome.Refusal.Why) -> PushError.Code {
        .notTaken(Outcome.Refusal(why, mayRetry: true, attemptsLeft: attemptsLeft, status: 401))
    }
}

extension PowerAuthRecord {
    /// Compares the counter with the server's, and follows where the server is ahead.
    mutating func take(_ blob: ActivationStatusBlob) throws(PushError) -> CounterSync {
        guard blob.state != .removed, blob.state != .created else { return .inSync }
        let sync = try CounterSync(local: counter, blob: blob, transportKey: transport)
        switch sync {
        case .inSync: ahead = 0
        case .localAhead(let steps): ahead = steps
        case .serverAhead(let steps):
            // A restored backup, or a state that was lost: values that were used stay behind.
            counter = counter.advanced(by: steps)
            ahead = 0
        case .needsCatchUp, .deadlock: break
        }
        return sync
    }
}

extension ActivationStatusBlob {
    /// The enrollment's state that it stands for.
    func state(of record: PowerAuthRecord, _ sync: CounterSync) -> Enrollment.State {
        // No signature of this device will ever be taken again.
        if sync == .deadlock { return .needsReenrollment }
        return switch state {
        case .created, .pendingCommit: .pending(.comparison(code: record.fingerprint))
        case .active: .active
        case .blocked:
            .blocked("The server has blocked the activation: its provider can unblock it.")
        case .removed: .needsReenrollment
        }
    }
}

extension Enrollment.State {
    /// Why nothing can be signed; `nil` if it can.
    var inactive: PushError? {
        switch self {
        case .active: nil
        case .pending:
            PushError(.blocked, "The activation isn't committed yet.")
        case .blocked(let reason): PushError(.blocked, reason)
        case .needsReenrollment:
            PushError(.unknownEnrollment, "The server no longer has the activation: enroll again.")
        }
    }
}
