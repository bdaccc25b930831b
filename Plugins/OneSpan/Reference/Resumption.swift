import PushCore
public import PushOneSpan

/// What an earlier process sent.
extension OpenReferenceEngine {
    /// Takes up what a device had sent when its process ended.
    ///
    /// - Throws: `OrchestrationError` with `notActivated` if there is no such device; with the code
    ///   `blocked` if the server has removed it, `malformed` if its record is damaged, or `storage` if
    ///   the store fails.
    public func resume(_ deviceID: String) async throws(OrchestrationError) -> OrchestrationStep? {
        let record = try await device(deviceID).record
        let work: Flow.Work
        let bytes: [UInt8]
        if let finalize = record.finalize {
            (work, bytes) = (.activation(unfinished(record)), finalize)
        } else if let change = record.change {
            var password = PasswordWork(deviceID: record.deviceID)
            password.stage = .changing
            (work, bytes) = (.password(password), change.command)
        } else {
            return nil
        }
        let header = try CommandEnvelope(parsing: bytes).header
        guard let reply = header.type.reply else { throw DeviceRecord.damaged }
        if let flow = flows[FlowID(header.flow.hexName)] { return flow.due(bytes) }
        var flow = Flow(id: header.flow, work: work)
        let progress = send(
            Flow.SentCommand(command: bytes, reply: reply, counter: header.counter), in: &flow)
        flows.add(flow)
        return progress.step
    }

    private func unfinished(_ record: DeviceRecord) -> ActivationWork {
        var work = ActivationWork(
            user: record.own.user, domain: record.own.domain ?? configuration.domain, host: nil)
        work.deviceID = record.deviceID
        work.serverKey = record.serverKey
        work.stage = .awaitingCompletion(record.keys)
        return work
    }

    /// Takes up an answer that an earlier process sent.
    ///
    /// - Throws: `OrchestrationError` with `unexpectedCommand` if the bytes are no answer,
    ///   `invalidState` if the flow sends another one, or `notActivated` if there is no such device;
    ///   with the code `blocked`, `malformed` or `storage`, as ``resume(_:)``.
    public func resume(
        _ answer: OrchestrationCommand, of requestID: String
    ) async throws(OrchestrationError) -> OrchestrationStep {
        let bytes = answer.bytes
        let header = try CommandEnvelope(parsing: bytes).header
        guard header.type == .authenticationAnswer || header.type == .transactionAnswer,
            let reply = header.type.reply
        else { throw OrchestrationError(.unexpectedCommand, "It isn't an answer.") }
        let name = FlowID(header.flow.hexName)
        if let flow = flows[name] {
            guard flow.outstanding?.command == bytes else { throw Self.invalidState }
            return .send(answer, name, flow.kind)
        }
        _ = try await activated(header.principal.hexName)
        var work = RemoteWork(
            deviceID: header.principal, isTransaction: header.type == .transactionAnswer,
            requestID: requestID)
        work.stage = .answering
        var flow = Flow(id: header.flow, work: .remote(work))
        let progress = send(
            Flow.SentCommand(command: bytes, reply: reply, counter: header.counter), in: &flow)
        flows.add(flow)
        return progress.step
    }
}

extension Flow {
    /// The step that a flow in memory waits at: for the reply to its stored command, or for the user.
    fileprivate func due(_ command: [UInt8]) -> OrchestrationStep? {
        if outstanding?.command == command {
            return .send(OrchestrationCommand(bytes: command), name, kind)
        }
        guard case .password(let work) = work else { return nil }
        switch work.stage {
        case .repeating: return .authenticate(.password, name)
        case .repeatingNew: return .authenticate(.password, name, isEnrollment: true)
        case .old, .new, .changing: return nil
        }
    }
}
