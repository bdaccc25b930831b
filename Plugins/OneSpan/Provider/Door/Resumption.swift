import PushCore

/// What an earlier process left.
extension OneSpanOrchestrator {
    /// Goes on with what an earlier process left: activations, changes of a password, answers,
    /// device tokens.
    ///
    /// Call it at the start, once the delegates are set. The stored commands go out again, byte for
    /// byte, through the delegates given here, which hear how the workflows end. Answers go through
    /// the relay, or through the remote delegates, which hear how they end. It returns when all of
    /// them are over, or are known to wait still.
    ///
    /// Another process may still be sending an answer: that process keeps it for a while, and the
    /// error delegate hears ``OneSpanError/relay``. A process with a name in the authenticator's
    /// configuration takes up its own answers at once. Without a relay, start a registration again: its
    /// identifier counts as unregistered until the server confirms it.
    ///
    /// - Parameters:
    ///   - activationDelegate: What carries the last command of an activation, and hears of its
    ///     end; `nil`: the relay carries it.
    ///   - changePasswordDelegate: The same for a change of a password.
    public func resume(
        activationDelegate: (any OnlineActivationDelegate)? = nil,
        changePasswordDelegate: (any ChangePasswordDelegate)? = nil
    ) async {
        do throws(PushError) {
            for enrollment in try await authenticator.enrollments()
            where enrollment.id.provider == provider.id {
                if enrollment.state == .pending(.unconfirmed) {
                    await resume(enrollment.id, activationDelegate)
                } else {
                    await resume(enrollment.id, changePasswordDelegate)
                }
            }
            let (outcomes, words) = await provider.carrier.collectingWords { [authenticator] in
                await Result { () async throws(PushError) in try await authenticator.resume() }
            }
            for (id, outcome) in try outcomes.get().sorted(by: { $0.key.name < $1.key.name })
            where id.enrollment.provider == provider.id {
                await tell(outcome, ofResent: id, words)
            }
        } catch {
            await report(OrchestrationError(error))
        }
    }

    private func resume(
        _ id: Enrollment.ID, _ delegate: (any OnlineActivationDelegate)?
    ) async {
        var outlet: CommandCarrier.Outlet?
        if let delegate {
            outlet = CommandCarrier.Outlet { (command, _) throws(PushError) in
                await delegate.onActivationStepComplete(command)
            }
        }
        switch await finishUnanswered(id, outlet) {
        case .success(.activated): await delegate?.onActivationSuccess()
        case .success: break
        case .failure(let error):
            guard error.code == .cancelled, let delegate else { return await report(error) }
            await delegate.onActivationAborted()
        }
    }

    private func resume(
        _ id: Enrollment.ID, _ delegate: (any ChangePasswordDelegate)?
    ) async {
        var outlet: CommandCarrier.Outlet?
        if let delegate {
            outlet = CommandCarrier.Outlet { (command, _) throws(PushError) in
                await delegate.onChangePasswordStepComplete(command)
            }
        }
        switch await finishUnanswered(id, outlet) {
        case .success(.passwordChanged): await delegate?.onChangePasswordSuccess()
        case .success: break
        case .failure(let error):
            // The command has left, so a user who gives up aborts nothing: it stays unfinished.
            guard error.serverError == nil, let delegate,
                case .passwordRejected(let left) = error.oneSpan
            else { return await report(error) }
            await delegate.onChangePasswordPasswordError(attemptsLeft: left)
        }
    }

    /// Takes up a user's unanswered command, with nothing else of the user beside it.
    private func finishUnanswered(
        _ id: Enrollment.ID, _ outlet: CommandCarrier.Outlet?
    ) async -> Result<WorkflowOutcome?, OrchestrationError> {
        var result = Result<WorkflowOutcome?, OrchestrationError>.success(nil)
        let provider = provider
        await runAloneIfFree(.unanswered(id), outlet) {
            result = await Result(workflow: { () async throws(OrchestrationError) in
                try await inTurn(of: id) {
                    (account) async throws(OrchestrationError) -> WorkflowOutcome? in
                    await provider.workflows.recovery.forget(id.name)
                    return try await provider.workflows.finishUnanswered(account)
                }
            })
        }
        return result
    }

    /// Tells what came of an answer that went out again. An answer that wasn't taken leaves its
    /// request open: the user sees that once more.
    private func tell(
        _ outcome: Outcome, ofResent id: Challenge.ID, _ words: [WorkflowRun: WorkflowWord]
    ) async {
        do throws(OrchestrationError) {
            let note = try await outside { () async throws(PushError) in
                try await authenticator.announcement(of: id).note
            }
            // Without a word it didn't leave: another process may be sending it.
            guard let word = words[note.run] else { throw OrchestrationError(.relay) }
            guard let handler = handler(note.kind) else {
                // A relay's answers may be another door's.
                guard provider.carrier.relay == nil else { return }
                throw OrchestrationError(.handlerNotSet)
            }
            guard case .notTaken(let refusal) = outcome, refusal.mayRetry else {
                let record = try await outside { () async throws(PushError) in
                    try await authenticator.record(of: id)
                }
                let isDenial = record?.state.resolution?.isDenial ?? false
                return await tell(outcome, word, isDenial: isDenial, handler)
            }
            if refusal.reason == .verification {
                await handler.tellPasswordError(attemptsLeft: refusal.attemptsLeft)
            }
            try await enqueue(note.command)
        } catch {
            await report(error)
        }
    }
}
