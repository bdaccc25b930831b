import PushCore

/// An answer on its way to the server, and what becomes of it.
struct AnswerDelivery: Sendable {
    let channel: PowerAuthChannel
    let account: Account
    let request: PreparedAnswer.Request
    let id: Challenge.ID

    /// Whether the core knows of an earlier copy, and keeps the decision by itself.
    let again: Bool

    private var calls: OperationCalls { OperationCalls(channel: channel) }

    /// What came back to an answer.
    private struct Exchange {
        let reply: HTTPReply

        /// The activation's state, if it was asked for after the reply.
        var status: ActivationStatus?

        /// Whether another copy had left just before.
        var isSecond = false
    }

    /// Sends the answer, and says what the server said.
    ///
    /// - Throws: `PushError` with the code `server` for a status that isn't the server's own word
    ///   on the answer, whatever it is: the decision stays, and is sent again.
    func outcome() async throws(PushError) -> Outcome {
        let exchange = try await exchange()
        if exchange.reply.isSuccess { return .delivered }
        let hasCopies = again || exchange.isSecond
        switch exchange.reply.refusal {
        case .operationFailed? where request.approves:
            let outcome = await failed(exchange.reply.status)
            guard hasCopies else { return outcome }
            return try await outcomeWithCopies(outcome, exchange)
        case .operationAlreadyFinished?:
            return hasCopies ? try await outcomeOfEarlierCopy() : .answeredElsewhere
        case let code? where code.isAuthenticationFailure:
            return try await refused(exchange)
        case let code?:
            guard let outcome = code.outcome else { throw exchange.reply.error }
            guard hasCopies else { return outcome }
            return try await outcomeWithCopies(outcome, exchange)
        case nil: throw exchange.reply.error
        }
    }

    /// Sends, and after a refusal of a signature of possession once more if it wasn't wrong in
    /// itself: such a signature costs no attempt.
    private func exchange() async throws(PushError) -> Exchange {
        let call = request.approves ? SignedCall.authorize : .cancel
        if let header = request.header {
            return Exchange(
                reply: try await channel.send(
                    header, of: account, to: call.path, body: request.body))
        }
        let reply = try await channel.signed(
            account, call, body: request.body, factors: .possession)
        guard reply.isAuthenticationRefusal else { return Exchange(reply: reply) }
        let status = await status()
        guard let status, status.enrollment.state == .active, status.clearsProof else {
            return Exchange(reply: reply, status: status)
        }
        do throws(PushError) {
            let second = try await channel.signed(
                account, call, body: request.body, factors: .possession)
            return Exchange(reply: second, isSecond: true)
        } catch  where !error.mayHaveArrived {
            // That is true of this one, but the one before it has left.
            throw PushError(.interrupted, error.reason, underlying: error)
        }
    }

    /// The activation's state; `nil` if the server doesn't tell it now.
    private func status() async -> ActivationStatus? {
        try? await channel.status(of: account)
    }

    /// What a 401 means: the server says no more than no, so it is asked for the state.
    private func refused(_ exchange: Exchange) async throws(PushError) -> Outcome {
        var exchange = exchange
        if exchange.status == nil { exchange.status = await status() }
        let outcome = meaning(of: exchange.status, isCounted: request.header != nil)
        // If the server stands right after this value, it has taken one of the answer's copies,
        // such as one that the network made.
        let isInStep =
            exchange.status?.enrollment.state == .active && exchange.status?.sync == .inSync
        guard again || exchange.isSecond || isInStep else { return outcome }
        return try await outcomeWithCopies(outcome, exchange)
    }

    private func meaning(of status: ActivationStatus?, isCounted: Bool) -> Outcome {
        guard let status else { return .notTaken(.init(.other, mayRetry: true, status: 401)) }
        return switch status.enrollment.state {
        case .active: .notTaken(status.refusal(status.cause(ofSignature: isCounted)))
        case .blocked: .notTaken(status.blockedRefusal(ofSignature: isCounted))
        case .pending, .needsReenrollment, .movedAway:
            .notTaken(.init(.stateChanged, mayRetry: false, status: 401))
        }
    }

    /// What is true of a refusal where a copy of the answer may have left before, or may have been
    /// taken in place of this one.
    ///
    /// Each copy was signed with a value of the counter, and a server takes no value that it has
    /// passed. So once it isn't behind this device's, none of them can be taken any more; and an
    /// operation that still waits after that has taken none.
    ///
    /// - Throws: `PushError` with the code `server` if that can't be told, and the core doesn't
    ///   know of the copy: the decision stays.
    private func outcomeWithCopies(
        _ outcome: Outcome, _ exchange: Exchange
    ) async throws(PushError) -> Outcome {
        guard case .notTaken(let refusal) = outcome, refusal.mayRetry else { return outcome }
        let known =
            if let status = exchange.status { status } else {
                await status()
            }
        if let known, known.clearsProof, let status = await operationStatus() {
            switch status {
            case .open: return .notTaken(refusal.withoutCopies)
            case .over(.unknown): return try await outcomeOfEarlierCopy()
            case .over(let word): return word
            case .unlisted, .unknown: break
            }
        }
        guard !again else { return outcome }
        let status = exchange.reply.status
        throw exchange.reply.error(
            .server(status: status), "The server refused one copy, and may have taken another.")
    }

    /// How the operation stands; `nil` if the server doesn't tell it now.
    private func operationStatus() async -> Challenge.Status? {
        try? await calls.currentStatus(of: id, account)
    }

    /// What it means that an approval failed whose signature was right: something else of it was
    /// wrong, such as the proximity code. The operation counts that as well, and may be over.
    private func failed(_ status: Int) async -> Outcome {
        switch await operationStatus() {
        case .open, nil:
            return .notTaken(.init(.other, mayRetry: true, status: status))
        case .over(.notTaken(let refusal)):
            // One that failed has taken no other copy either.
            return .notTaken(
                .init(
                    .stateChanged, mayRetry: false, appliesToAllCopies: refusal.appliesToAllCopies,
                    status: status))
        case .over, .unlisted, .unknown:
            return .notTaken(.init(.stateChanged, mayRetry: false, status: status))
        }
    }

    /// What became of an operation that was answered already, perhaps by an earlier copy of this
    /// answer. Only if it was answered otherwise is that certain.
    private func outcomeOfEarlierCopy() async throws(PushError) -> Outcome {
        let status = try? await calls.operation(id, account).status
        switch (status, request.approves) {
        case (.approved, false), (.rejected, true): return .answeredElsewhere
        default:
            return .unknown("It was answered, perhaps by an earlier copy of this answer.")
        }
    }
}

extension PowerAuthErrorCode {
    /// What the refusal of an answer means for the challenge; `nil` for a code that isn't
    /// documented of answers.
    fileprivate var outcome: Outcome? {
        switch self {
        case .operationExpired: .expired
        case .operationAlreadyCanceled: .cancelled
        case .operationAlreadyFinished: .answeredElsewhere
        // An operation that failed has taken no answer, and takes none any more.
        case .operationAlreadyFailed:
            .notTaken(
                .init(.stateChanged, mayRetry: false, appliesToAllCopies: true, status: status))
        case .invalidOperation, .invalidActivation:
            .notTaken(.init(.stateChanged, mayRetry: false, status: status))
        case .operationRequiresActivationFlag, .invalidApplication, .notFound:
            .notTaken(.init(.unavailable, mayRetry: true, status: status))
        case .invalidRequest: .notTaken(.init(.other, mayRetry: true, status: status))
        default: nil
        }
    }
}

extension Outcome.Refusal {
    /// The same, as the server's word that no copy of the answer was taken, nor will be.
    fileprivate var withoutCopies: Outcome.Refusal {
        Outcome.Refusal(
            reason, mayRetry: mayRetry, appliesToAllCopies: true, attemptsLeft: attemptsLeft,
            status: status)
    }
}
