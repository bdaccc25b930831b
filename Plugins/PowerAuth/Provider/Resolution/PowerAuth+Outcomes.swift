import PushCore

extension PowerAuth {
    /// Sends an answer, and says what the server said.
    func send(
        _ request: PreparedAnswer.Request, for id: Challenge.ID, again: Bool
    ) async throws(PushError) -> Outcome {
        let (reply, known) = try await exchange(request, for: id)
        // Whatever became of it, the code was used: the next yes needs the next one.
        await proximityCodes.forget(id)
        if reply.isSuccess { return .delivered }
        if reply.errorCode == .operationFailed { return await failed(id, reply.status) }
        if reply.status == 401 { return await refused(request, id, known: known) }
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

    /// Sends, and after a refusal of a signature of possession once more if it wasn't wrong in
    /// itself: such a signature costs no attempt.
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
        let status = await status(of: enrollment)
        guard let status, status.enrollment.state == .active, status.clearsProof else {
            return (reply, status)
        }
        let second = try await channel.signed(
            enrollment, call, body: request.body, factors: .possession)
        return (second, status)
    }

    /// The activation's state; `nil` if the server doesn't tell it now.
    private func status(of enrollment: Enrollment.ID) async -> ActivationStatus? {
        try? await channel.status(of: enrollment)
    }

    /// What a 401 means: the server says no more than no, so it is asked for the state.
    private func refused(
        _ request: PreparedAnswer.Request, _ id: Challenge.ID, known: ActivationStatus?
    ) async -> Outcome {
        let isCounted = request.header != nil
        let status = if let known { known } else { await status(of: id.enrollment) }
        guard let status else { return .notTaken(.init(.other, mayRetry: true, status: 401)) }
        switch status.enrollment.state {
        case .active:
            return .notTaken(status.refusal(status.cause(ofSignature: isCounted)))
        case .blocked: return .notTaken(status.blockedRefusal(ofSignature: isCounted))
        default: return .notTaken(.init(.stateChanged, mayRetry: false, status: 401))
        }
    }

    /// What it means that an approval failed whose signature was right: something else of it was
    /// wrong, such as the proximity code. The operation counts that as well, and may be over.
    private func failed(_ id: Challenge.ID, _ status: Int) async -> Outcome {
        do throws(PushError) {
            guard try await operation(id).status == .pending else {
                return .notTaken(.init(.stateChanged, mayRetry: false, status: status))
            }
        } catch {
            guard !(error.underlying is PowerAuthOperationEnd) else {
                return .notTaken(.init(.stateChanged, mayRetry: false, status: status))
            }
        }
        return .notTaken(.init(.other, mayRetry: true, status: status))
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
