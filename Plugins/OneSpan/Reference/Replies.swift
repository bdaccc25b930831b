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
        if case .activation(let work) = flow.work {
            try checkTime(work, flow.deadline)
            let body = try openInActivation(envelope, work, &flow)
            try accept(envelope, body, to: outstanding, in: &flow)
            return try await takeInActivation(envelope, body, &flow)
        }
        guard let deviceID = flow.deviceID else { throw Self.invalidState }
        let device = try await device(deviceID.hexName)
        let body = try envelope.open(with: device.record.keys.keyToDevice(envelope.header))
        try accept(envelope, body, to: outstanding, in: &flow)
        if envelope.header.type == .errorResponse {
            return try await refused(try ReceivedError(body), device, &flow)
        }
        switch flow.work {
        case .activation: throw Self.invalidState
        case .registration(let deviceID, let identifier):
            return (
                .finished(
                    .registered(deviceID: deviceID.hexName, identifier: identifier), flow.name),
                nil
            )
        case .remote(let work):
            return work.stage == .fetching
                ? try await takeChallenge(body, work, device, &flow)
                : try takeResult(body, work, &flow)
        case .password: return try await takeProved(body, device, flow)
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

    /// Accepts an opened reply as the one to what is outstanding.
    private func accept(
        _ envelope: CommandEnvelope, _ body: CommandBody, to outstanding: Flow.SentCommand,
        in flow: inout Flow
    ) throws(OrchestrationError) {
        guard try body.number(.inReplyTo) == outstanding.counter else {
            throw OrchestrationError(.unexpectedCommand, "It answers another command.")
        }
        flow.takenReplies.insert(sha256(envelope.bytes))
    }

    /// Takes an error that the server proved to have sent, in answer to the outstanding command.
    private func refused(
        _ error: ReceivedError, _ device: WorkflowAccount, _ flow: inout Flow
    ) async throws(OrchestrationError) -> Progress {
        let over: Progress = (.serverError(error.serverError, flow.name), nil)
        if error.serverError.returnCode == ReceivedError.removedDevice {
            try await deactivate(device)
            return over
        }
        guard let highest = error.highestCounter else {
            if case .password = flow.work { try await dropChange(device, flow) }
            return over
        }
        try await device.change { (record: inout DeviceRecord, _) in
            record.raiseCounter(to: highest)
        }
        if case .password(let work) = flow.work { return repeatChange(work, &flow) }
        guard flow.recoveries < 2 else { return over }
        flow.recoveries += 1
        return try await sealAgain(device, &flow) ?? over
    }

    /// Once more, with a counter that the server hasn't seen. An answer starts over with a fetch:
    /// the session may be over meanwhile.
    private func sealAgain(
        _ device: WorkflowAccount, _ flow: inout Flow
    ) async throws(OrchestrationError) -> Progress? {
        switch flow.work {
        case .registration(_, let identifier) where flow.recoveries == 1:
            let registration = try await sealRegistration(device, identifier, flow: flow.id)
            return send(registration, in: &flow)
        case .remote(var work) where work.stage == .answering:
            work.stage = .fetching
            var next = Flow(id: newFlowID(), work: .remote(work))
            next.recoveries = flow.recoveries
            let progress = send(try await sealFetch(work, device, flow: next.id), in: &next)
            flows.add(next)
            return (progress.step, nil)
        case .remote(let work) where flow.recoveries == 1:
            return send(try await sealFetch(work, device, flow: flow.id), in: &flow)
        default: return nil
        }
    }
}
