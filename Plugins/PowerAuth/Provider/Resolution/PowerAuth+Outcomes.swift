import PushCore

extension PowerAuth {
    /// Sends an answer, and says what the server said.
    func send(
        _ request: PreparedAnswer.Request, for id: Challenge.ID, again: Bool
    ) async throws(PushError) -> Outcome {
        let (reply, isFinal) = try await exchange(request, for: id)
        // Whatever became of it, the code was used.
        await proximityCodes.forget(id)
        if reply.isSuccess { return .delivered }
        if reply.status == 401 {
            return try await refused(reply, request, id, knows: isFinal)
        }
        guard let code = reply.errorCode else {
            guard 400..<500 ~= reply.status else { throw reply.error }
            return .notTaken(.init(.other, mayRetry: true, status: reply.status))
        }
        switch code {
        case .operationAlreadyFinished:
            return again ? try await perhapsOurs(request, id) : .answeredElsewhere
        case .remoteCommunicationError: throw reply.error
        default: return code.outcome(reply.status)
        }
    }

    /// Sends, and after a refusal of a signature of possession once more if the counters had
    /// parted: such a signature costs no attempt.
    ///
    /// - Returns: The reply, and the activation's state if it was asked for on the way.
    private func exchange(
        _ request: PreparedAnswer.Request, for id: Challenge.ID
    ) async throws(PushError) -> (reply: Reply, status: ActivationStatus?) {
        let enrollment = id.enrollment
        let call = request.approves ? SignedCall.authorize : .cancel
        if let header = request.header {
            let reply = try await channel.send(
                header, of: enrollment, to: call.path, body: request.body)
            return (reply, nil)
        }
        let reply = try await channel.signed(
            enrollment, call, body: request.body, factors: .possession)
        guard reply.status == 401, reply.errorCode?.isAuthenticationFailure ?? true else {
            return (reply, nil)
        }
        let before = try await counter(of: enrollment)
        guard let status = await status(of: enrollment), status.enrollment.state == .active,
            try await counter(of: enrollment) != before
        else { return (reply, nil) }
        let second = try await channel.signed(
            enrollment, call, body: request.body, factors: .possession)
        return (second, status)
    }

    private func counter(of enrollment: Enrollment.ID) async throws(PushError) -> SignatureCounter {
        try PowerAuthRecord(try await vault.existing(enrollment)).counter
    }

    /// The activation's state; `nil` if the server doesn't tell it now.
    private func status(of enrollment: Enrollment.ID) async -> ActivationStatus? {
        try? await channel.status(of: enrollment)
    }

    /// What a 401 means: the server says no more than no, so it is asked for the state.
    private func refused(
        _ reply: Reply, _ request: PreparedAnswer.Request, _ id: Challenge.ID,
        knows known: ActivationStatus?
    ) async throws(PushError) -> Outcome {
        let why: Outcome.Refusal.Why = request.header == nil ? .other : .verification
        let status = if let known { known } else { await status(of: id.enrollment) }
        guard let status else {
            return .notTaken(.init(why, mayRetry: true, status: 401))
        }
        switch status.enrollment.state {
        case .active:
            // A counter that had fallen behind makes every signature wrong, whatever the PIN was.
            let why = status.hasMoved ? .stateChanged : why
            // Attempts are counted of the operation as well, and it may have used up its own.
            let isOpen = reply.errorCode == .operationFailed ? try await isOpen(id) : true
            return .notTaken(
                .init(
                    why, mayRetry: isOpen,
                    attemptsLeft: request.header == nil ? nil : status.attemptsLeft, status: 401))
        case .blocked where request.header != nil:
            return .notTaken(.init(.verification, mayRetry: false, attemptsLeft: 0, status: 401))
        default:
            return .notTaken(.init(.stateChanged, mayRetry: false, status: 401))
        }
    }

    private func isOpen(_ id: Challenge.ID) async throws(PushError) -> Bool {
        do throws(PushError) {
            return try await operation(id).status == .pending
        } catch {
            return !(error.underlying is PowerAuthOperationEnd)
        }
    }

    /// What became of an operation that was answered already, perhaps by an earlier copy of this
    /// answer. Only if it was answered otherwise is that certain.
    private func perhapsOurs(
        _ request: PreparedAnswer.Request, _ id: Challenge.ID
    ) async throws(PushError) -> Outcome {
        let status = try? await operation(id).status
        switch (status, request.approves) {
        case (.approved, false), (.rejected, true): return .answeredElsewhere
        default:
            return .unknown("It was answered, perhaps by an earlier copy of this answer.")
        }
    }
}

extension PowerAuthErrorCode {
    /// What the refusal of an answer means for the challenge.
    fileprivate func outcome(_ status: Int) -> Outcome {
        switch self {
        case .operationExpired: .expired
        case .operationAlreadyCanceled: .cancelled
        case .operationAlreadyFinished: .answeredElsewhere
        case .operationAlreadyFailed, .invalidOperation, .invalidActivation:
            .notTaken(.init(.stateChanged, mayRetry: false, status: status))
        case .operationRequiresActivationFlag, .invalidApplication, .notFound,
            .applicationConfigurationError:
            .notTaken(.init(.unavailable, mayRetry: true, status: status))
        case .operationFailed:
            .notTaken(.init(.verification, mayRetry: false, status: status))
        default: .notTaken(.init(.other, mayRetry: true, status: status))
        }
    }
}

extension PowerAuthOperation.Status {
    /// What a challenge in this state is to the core.
    var found: Challenge.Status {
        switch self {
        case .pending: .open
        case .approved, .rejected:
            .over(.unknown("It was answered; the server doesn't say by whom."))
        case .canceled: .over(.cancelled)
        case .expired: .over(.expired)
        case .failed: .over(.notTaken(.init(.stateChanged, mayRetry: false)))
        case .unknown: .unsaid
        }
    }
}

extension PowerAuthOperationEnd {
    /// What a challenge that ended so is to the core.
    var found: Challenge.Status {
        switch reason {
        case .expired: .over(.expired)
        case .cancelled: .over(.cancelled)
        default: .over(.unknown("It is over; the server doesn't say by whose answer."))
        }
    }
}
