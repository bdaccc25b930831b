import PushCore

/// Deciding and answering, step by step as ``RemoteFlow`` has them.
extension FlowDriver {
    /// Seals a decision on an open request.
    ///
    /// - Parameters:
    ///   - approved: What the user decided.
    ///   - id: The challenge.
    ///   - trigger: The command that announced it.
    ///   - evidence: What the user proved themselves with.
    ///   - shown: What the user saw; an approval stands for that, and for nothing else.
    /// - Returns: The bytes to send.
    /// - Throws: `PushError`: `verificationFailed` if the evidence isn't what the request needs,
    ///   `over` if its time is over, or it asks something else now.
    func seal(
        _ approved: Bool, _ id: Challenge.ID, _ trigger: OrchestrationCommand,
        _ evidence: [Evidence], shown: DisplayContent?
    ) async throws(PushError) -> OrchestrationCommand {
        guard withdrawn.remove(id) == nil else {
            throw PushError(.cancelled, "The app gave up before anything was decided.")
        }
        busy.insert(id)
        defer { busy.remove(id) }
        try await refuseLate(id)
        var opened = try await request(id, trigger)
        // After a wrong password the flow waits for another one; a denial needs a flow of its own.
        if !approved, opened.run.state == .authenticating {
            opened = try await request(id, trigger, isFresh: true)
        }
        guard !approved || opened.request?.content == shown else {
            throw PushError(.over, "The request has changed: open it again.")
        }
        if approved, opened.run.state == .denying {
            throw PushError(.unsupported, "The request can't be shown whole, so only be denied.")
        }
        var step: OrchestrationStep
        if opened.run.state == .authenticating {
            let method = opened.request?.method ?? .password
            step = .authenticate(UserAuthenticationRequest(method, .verification), opened.flow)
        } else {
            step = try await engine.provide(.decision(approved: approved), to: opened.flow)
            try opened.run.take(approved ? .approved(Self.method(step)) : .rejected)
            await keep(opened, as: id)
        }
        if case .authenticate(let asked, _) = step {
            step = try await authenticate(&opened, asked, evidence)
            await keep(opened, as: id)
        }
        guard case .send(let command, let flow, _) = step else {
            drop(id)
            throw refusal(step)
        }
        opened.flow = flow
        await keep(opened, as: id)
        return command
    }

    /// Takes back what the user approved, unless its answer is being made, or on its way.
    ///
    /// - Returns: Whether it is taken back: nothing will be sent.
    func withdraw(_ id: Challenge.ID) -> Bool {
        if busy.contains(id) { return false }
        if case .answering? = open[id]?.run.state { return false }
        withdrawn.insert(id)
        return true
    }

    func isWithdrawn(_ id: Challenge.ID) -> Bool { withdrawn.contains(id) }

    /// The next decision counts again.
    func endWithdrawal(of id: Challenge.ID) { withdrawn.remove(id) }

    private static func method(_ step: OrchestrationStep) -> AuthenticationMethod {
        if case .authenticate(let asked, _) = step { asked.method } else { .none }
    }

    private func authenticate(
        _ opened: inout OpenRequest, _ asked: UserAuthenticationRequest, _ evidence: [Evidence]
    ) async throws(PushError) -> OrchestrationStep {
        let flow = opened.flow
        let step: OrchestrationStep
        if asked.method == .biometric, evidence.holdsBiometry {
            step = try await engine.provide(.biometricSucceeded, to: flow)
        } else {
            guard let pin = evidence.pin else {
                throw PushError(.verificationFailed, "The request needs the password.")
            }
            if asked.method == .biometric {
                try opened.run.take(.biometricUnavailable)
                _ = try await engine.provide(.biometricUnavailable, to: flow)
            }
            step = try await engine.provide(.secret(pin), to: flow)
        }
        if case .inputRejected = step {
            try opened.run.take(.unusableSecret)
            throw PushError(.verificationFailed, "The password can't be used.")
        }
        try opened.run.take(.secretGiven)
        return step
    }

    /// Sends an answer once.
    ///
    /// - Parameters:
    ///   - answer: The sealed bytes.
    ///   - approved: What they say.
    ///   - id: The challenge.
    ///   - trigger: The command that announced it.
    func send(
        _ answer: OrchestrationCommand, _ approved: Bool, _ id: Challenge.ID,
        _ trigger: OrchestrationCommand
    ) async throws(PushError) -> OrchestrationStep {
        busy.insert(id)
        defer { busy.remove(id) }
        var opened: OpenRequest
        if let known = open[id], known.run.state == .answering(approved: approved) {
            opened = known
        } else {
            // Its flow asks the user again, while the decision stands: the same bytes go out.
            if let known = open[id], known.awaitsUser {
                _ = await engine.cancel(known.flow)
                drop(id)
            }
            guard
                case .send(_, let flow, let kind) = try await engine.resume(answer, of: id.name)
            else { throw OneSpanError.command(.invalidState).error }
            let run = RemoteRun(kind, at: .answering(approved: approved))
            opened = OpenRequest(flow: flow, request: nil, run: run)
            await keep(opened, as: id)
        }
        if sentKinds.count >= 64 { sentKinds.removeAll() }
        sentKinds[id] = opened.run.kind
        let step = try await exchanged(answer, approved, &opened, (id, trigger))
        try await settle(step, &opened, id)
        return step
    }

    /// Sends until the server has spoken. After a refused counter the engine fetches the request
    /// again, in a flow of its own; a denial that stands needs nothing of the user then.
    private func exchanged(
        _ answer: OrchestrationCommand, _ approved: Bool, _ opened: inout OpenRequest,
        _ request: (id: Challenge.ID, trigger: OrchestrationCommand)
    ) async throws(PushError) -> OrchestrationStep {
        var step = OrchestrationStep.send(answer, opened.flow, opened.run.kind)
        while true {
            switch step {
            case .send(let command, let flow, let kind):
                opened.flow = flow
                do throws(PushError) {
                    step = try await carry((command, flow, kind), of: .request(request.trigger))
                } catch {
                    // The next try begins with the answer that is on record.
                    if command == answer {
                        await keep(opened, as: request.id)
                    } else {
                        _ = await engine.cancel(flow)
                        drop(request.id)
                    }
                    throw error
                }
            case .display(_, let flow, _) where !approved:
                do throws(PushError) {
                    step = try await engine.provide(.decision(approved: false), to: flow)
                } catch {
                    _ = await engine.cancel(flow)
                    drop(request.id)
                    throw error
                }
            default: return step
            }
        }
    }

    /// Lets the table have the server's word.
    private func settle(
        _ step: OrchestrationStep, _ opened: inout OpenRequest, _ id: Challenge.ID
    ) async throws(PushError) {
        switch step {
        case .finished(.answered(let accepted, let token), _):
            try opened.run.take(.result(accepted: accepted))
            hear(
                .answered(RemoteAuthenticationResult(isAccepted: accepted, authToken: token)),
                of: id)
        case .inputRejected(let problem, _) where problem.isPending:
            try opened.run.take(.wrongResponse(attemptsLeft: problem.attemptsLeft ?? 1))
            // An earlier process saw the request, and its flow ends here: the next try fetches.
            if !problem.mayRetry { return drop(id) }
        case .inputRejected: try opened.run.take(.failedResponse)
        case .authenticate(_, let flow):
            try opened.run.take(.counterRefused)
            opened.flow = flow
            try opened.run.take(.challenge)
        case .display(let displayed, let flow, let kind):
            // An earlier process decided, or the request has changed: the user sees it again.
            let request = displayed.judged(as: kind)
            var run = RemoteRun(kind, at: .fetching(standing: nil))
            try run.take(RemoteFlow.Event(request))
            opened = OpenRequest(flow: flow, request: request, run: run)
        case .outdated(let reason, _):
            try opened.run.take(.decidedElsewhere(reason))
            hear(.outdated(reason), of: id)
        case .serverError(let error, _):
            try opened.run.take(.sealedError)
            hear(.refused(error), of: id)
        default: try opened.run.take(.userGone)
        }
        if opened.run.state.isOver { drop(id) } else { await keep(opened, as: id) }
    }

    private func refusal(_ step: OrchestrationStep) -> PushError {
        switch step {
        case .outdated(let reason, _): OneSpanError.outdated(reason).error
        case .serverError(let error, _): error.error
        case .aborted: PushError(.cancelled, "The request was given up.")
        default: OneSpanError.command(.invalidState).error
        }
    }
}

extension [Evidence] {
    /// The password or PIN among them.
    var pin: Secret? {
        for case .pin(let secret) in self { return secret }
        return nil
    }

    var holdsBiometry: Bool {
        contains { if case .biometry = $0 { true } else { false } }
    }
}
