import PushCore
import PushOneSpan

extension OpenReferenceEngine {
    /// Takes a command apart that the server sent.
    func envelope(_ command: OrchestrationCommand) throws(OrchestrationError) -> CommandEnvelope {
        let envelope = try CommandEnvelope(parsing: command.bytes)
        guard !envelope.header.type.isFromDevice else {
            throw OrchestrationError(.unexpectedCommand, "The command goes to the server.")
        }
        return envelope
    }

    /// Takes a reply: it must answer what is outstanding, and come for the first time.
    func take(
        _ envelope: CommandEnvelope, for flow: inout Flow
    ) async throws(OrchestrationError) -> Progress {
        let outstanding = try outstanding(envelope, in: flow)
        if case .activation(let work) = flow.work { try checkTime(work, flow.deadline) }
        let body = try await open(envelope, in: &flow)
        guard try body.number(.inReplyTo) == outstanding.counter else {
            throw OrchestrationError(.unexpectedCommand, "It answers another command.")
        }
        flow.takenReplies.insert(sha256(envelope.bytes))
        if envelope.header.type == .errorResponse {
            return try await refused(try ReceivedError(body), &flow)
        }
        switch flow.work {
        case .activation(let work):
            return try await takeInActivation(envelope, body, work, &flow)
        case .registration(let deviceID, let identifier):
            return (
                .finished(
                    .registered(deviceID: deviceID.hexName, identifier: identifier), flow.name),
                nil
            )
        case .remote(let work):
            return work.stage == .fetching
                ? try await takeChallenge(body, work, &flow)
                : try takeResult(body, work, &flow)
        case .password(let work): return try await takeProved(body, work, &flow)
        }
    }

    /// What a command can be the reply to, before it is opened.
    private func outstanding(
        _ envelope: CommandEnvelope, in flow: Flow
    ) throws(OrchestrationError) -> Flow.SentCommand {
        guard !flow.takenReplies.contains(sha256(envelope.bytes)) else {
            throw OrchestrationError(.unexpectedCommand, "The reply was taken before.")
        }
        let type = envelope.header.type
        guard let outstanding = flow.outstanding,
            type == outstanding.reply || type == .errorResponse
        else {
            throw OrchestrationError(.unexpectedCommand, "The flow waits for another reply.")
        }
        guard envelope.header.principal == principal(of: flow) else {
            throw OrchestrationError(.commandNotForThisDevice, "It is another device's.")
        }
        return outstanding
    }

    /// Whom a reply must name.
    private func principal(of flow: Flow) -> [UInt8]? {
        if case .activation(let work) = flow.work {
            switch work.stage {
            case .enrolling: return nil
            case .awaitingChallenge, .awaitingInstances:
                return ActivationKeys.handle(user: work.user, domain: work.domain)
            case .awaitingConfirmation, .awaitingCompletion: return work.deviceID
            }
        }
        return flow.deviceID
    }

    private func open(
        _ envelope: CommandEnvelope, in flow: inout Flow
    ) async throws(OrchestrationError) -> CommandBody {
        if case .activation(let work) = flow.work {
            return try openInActivation(envelope, work, &flow)
        }
        guard let deviceID = flow.deviceID else { throw Self.invalidState }
        let record = try await record(deviceID.hexName)
        return try envelope.open(with: record.keys.keyToDevice(envelope.header))
    }

    /// Takes an error that the server proved to have sent, in answer to the outstanding command.
    private func refused(
        _ error: ReceivedError, _ flow: inout Flow
    ) async throws(OrchestrationError) -> Progress {
        let over: Progress = (.serverError(error.serverError, flow.name), nil)
        guard let deviceID = flow.deviceID else { return over }
        if case .activation = flow.work {
            try await erase(flow)
            return over
        }
        if error.serverError.returnCode == ReceivedError.removedDevice {
            try await deactivate(deviceID)
            return over
        }
        guard let highest = error.highestCounter else {
            if case .password(let work) = flow.work { try await dropChange(work, flow) }
            return over
        }
        try await records.change(deviceID) { (record, _) in record.raiseCounter(to: highest) }
        if case .password(let work) = flow.work { return repeatChange(work, &flow) }
        guard flow.recoveries < 2 else { return over }
        flow.recoveries += 1
        return try await sealAgain(&flow) ?? over
    }

    /// Once more, with a counter that the server hasn't seen. An answer starts over with a fetch:
    /// the session may be over meanwhile.
    private func sealAgain(_ flow: inout Flow) async throws(OrchestrationError) -> Progress? {
        switch flow.work {
        case .registration(let deviceID, let identifier) where flow.recoveries == 1:
            let registration = try await sealRegistration(deviceID, identifier, flow: flow.id)
            return send(registration, in: &flow)
        case .remote(var work) where work.stage == .answering:
            work.stage = .fetching
            var next = Flow(id: newFlowID(), work: .remote(work))
            next.recoveries = flow.recoveries
            let progress = send(try await sealFetch(work, flow: next.id), in: &next)
            flows.add(next)
            return (progress.step, nil)
        case .remote(let work) where flow.recoveries == 1:
            return send(try await sealFetch(work, flow: flow.id), in: &flow)
        default: return nil
        }
    }
}
