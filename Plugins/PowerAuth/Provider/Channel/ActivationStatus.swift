import PushCore

/// What a server told of an activation, once it is on record.
struct ActivationStatus: Sendable {
    /// The enrollment, with its new state.
    let enrollment: Enrollment

    /// What the server told; `nil` if it couldn't be opened, twice.
    let blob: ActivationStatusBlob?

    /// What the server's owner adds for the app.
    let customObject: JSON?

    /// How this device's counter stood to the server's, before it followed; `nil` if the server told
    /// nothing.
    let sync: CounterSync?

    /// How many wrong PINs the server takes before it blocks the activation; `nil` unless it's
    /// active.
    var attemptsLeft: Int? { enrollment.state == .active ? blob?.attemptsLeft : nil }
}

// MARK: After a refusal

extension ActivationStatus {
    /// Whether the signature that was refused just before wasn't wrong in itself.
    ///
    /// A wrong one leaves the server's counter where it was, and this device's is ahead by one at
    /// least. If it isn't, the server was ahead before, and no signature could be right; or it took
    /// the signature, and refused the call for another reason.
    var clearsProof: Bool {
        switch sync {
        case .inSync, .serverAhead: true
        default: false
        }
    }

    /// Why a signature was refused just before, while the activation is active.
    ///
    /// - Parameter isCounted: Whether the server counts such a signature if it's wrong.
    /// - Returns: The cause, as the core names it.
    func cause(ofSignature isCounted: Bool) -> Outcome.Refusal.Reason {
        switch sync {
        case _ where !isCounted: .other
        case .serverAhead: .stateChanged
        // What it counted it hadn't found among its counter's values; what it took sets the count
        // back.
        case .inSync: blob.map(\.failedAttempts) == 0 ? .other : .stateChanged
        default: .verification
        }
    }

    /// What a blocked activation means for a signature that was refused just before: once it's
    /// unblocked, another may be tried.
    func blockedRefusal(ofSignature isCounted: Bool) -> Outcome.Refusal {
        let isSpent = blob.map { $0.attemptsLeft == 0 } ?? false
        return Outcome.Refusal(
            isCounted && isSpent ? .verification : .stateChanged, mayRetry: true, attemptsLeft: 0,
            status: 401)
    }

    /// What such a refusal means while the activation is active: another proof may be taken.
    func refusal(_ reason: Outcome.Refusal.Reason) -> Outcome.Refusal {
        Outcome.Refusal(
            reason, mayRetry: true, attemptsLeft: reason == .other ? nil : attemptsLeft, status: 401
        )
    }
}

extension PowerAuthRecord {
    /// Compares the counter with the server's, and follows where the server is ahead.
    mutating func take(_ blob: ActivationStatusBlob) throws(PushError) -> CounterSync {
        guard blob.state != .removed, blob.state != .created else { return .inSync }
        lookAhead = blob.lookAhead
        guard try learnCounterByte(from: blob) else { return .needsCatchUp }
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
        case .movedAway:
            PushError(.movedAway, "The activation was moved to another device.")
        }
    }
}

// MARK: Whether it can be used

extension PowerAuthChannel {
    /// The record of an activation that is active as far as anyone knows: where this device doesn't
    /// think so, the server is asked.
    ///
    /// - Throws: `PushError` with the code `blocked` or `unknownEnrollment` if it isn't.
    func active(_ account: Account) async throws(PushError) -> PowerAuthRecord {
        if account.enrollment.state != .active { try await requireActive(account) }
        return try account.record
    }

    /// Asks the server whether the activation is active.
    func requireActive(_ account: Account) async throws(PushError) {
        if let error = try await status(of: account).enrollment.state.inactive { throw error }
    }

    /// What a refusal of a signed call, or of one by token, comes to.
    ///
    /// After a 401 of the server's own it is asked for the state, as it says no more than no: a
    /// wrong PIN is `notTaken` with the attempts that are left, or `blocked` after the last one.
    /// If the counters had parted, the reason is `stateChanged`, as no PIN would have been right;
    /// if the server took the signature and refused the call, it is `other`.
    ///
    /// - Parameters:
    ///   - reply: The refusal.
    ///   - account: The enrollment.
    ///   - factors: What had signed.
    /// - Returns: The error to throw.
    func failure(
        _ reply: HTTPReply, of account: Account, factors: PowerAuthFactors
    ) async -> PushError {
        guard reply.isAuthenticationRefusal else { return reply.error }
        do throws(PushError) {
            return failure(reply, at: try await status(of: account), factors: factors)
        } catch {
            return reply.error(
                .server(status: 401), "The server refused, and couldn't be asked for the state.")
        }
    }

    /// What a 401 comes to, once the state is known.
    func failure(
        _ reply: HTTPReply, at status: ActivationStatus, factors: PowerAuthFactors
    ) -> PushError {
        let (code, reason): (PushError.Code, String) =
            if let error = status.enrollment.state.inactive {
                (error.code, error.reason)
            } else if factors.isCounted {
                Self.refusal(status)
            } else {
                (.server(status: 401), "The server refused the proof.")
            }
        return reply.error(code, reason)
    }

    private static func refusal(_ status: ActivationStatus) -> (PushError.Code, String) {
        let why = status.cause(ofSignature: true)
        let reason =
            switch why {
            // Whatever the user brought, nobody could have checked it.
            case .stateChanged: "The counters had parted; now they are together: try again."
            case .verification: "The PIN or the biometric secret is wrong."
            case .wrongChoice, .wrongChoiceOrOver, .unavailable, .other:
                "The server took the signature, but not the request."
            }
        return (.notTaken(status.refusal(why)), reason)
    }
}
