import PushCore
public import PushOneSpan

extension OpenReferenceEngine {
    func startRegistration(
        _ registration: WorkflowIntent.NotificationRegistration
    ) async throws(OrchestrationError) -> OrchestrationStep {
        let identifier = registration.identifier
        guard (1...2_064).contains(identifier.utf8.count), !identifier.utf8.contains(0) else {
            throw OrchestrationError(
                .invalidArgument, "The notification identifier hasn't 1 to 2,064 bytes.")
        }
        let deviceID = try await activatedRecord(registration.deviceID).deviceID
        var flow = Flow(
            id: newFlowID(), work: .registration(deviceID: deviceID, identifier: identifier))
        let progress = send(
            try await sealRegistration(deviceID, identifier, flow: flow.id), in: &flow)
        add(flow)
        return progress.step
    }

    func sealRegistration(
        _ deviceID: [UInt8], _ identifier: String, flow: [UInt8]
    ) async throws(OrchestrationError) -> Flow.Outstanding {
        let (counter, record) = try await nextCounter(deviceID)
        var body = BodyWriter()
        body.add(.notificationIdentifier, identifier.utf8)
        return try seal(
            .notificationRegister, body.body, of: record, flow: flow, counter: counter)
    }

    /// Takes up what a device had sent when its process ended.
    public func resume(_ deviceID: String) async throws(OrchestrationError) -> OrchestrationStep? {
        let record = try await record(deviceID)
        let work: Flow.Work
        let bytes: [UInt8]
        if let finalize = record.finalize {
            guard let activation = try await unfinished(record) else { return nil }
            (work, bytes) = (.activation(activation), finalize)
        } else if let change = record.change {
            var password = PasswordWork(deviceID: record.deviceID)
            password.stage = .changing
            (work, bytes) = (.password(password), change.command)
        } else {
            return nil
        }
        let header = try CommandEnvelope(parsing: bytes).header
        guard let reply = header.type.reply else { throw DeviceRecord.damaged }
        if let flow = flow(FlowID(header.flow.hexName)) { return flow.due(bytes) }
        var flow = Flow(id: header.flow, work: work)
        let progress = send(
            Flow.Outstanding(command: bytes, reply: reply, counter: header.counter), in: &flow)
        add(flow)
        return progress.step
    }

    private func unfinished(
        _ record: DeviceRecord
    ) async throws(OrchestrationError) -> ActivationWork? {
        let name = record.deviceID.hexName
        guard let credential = try await vault.secret(of: Enrollment.ID(name, of: provider)) else {
            return nil
        }
        var work = ActivationWork(
            user: credential.user, domain: credential.domain ?? configuration.domain, host: nil)
        work.deviceID = record.deviceID
        work.serverKey = record.serverKey
        work.stage = .awaitingCompletion(record.keys)
        return work
    }
}

extension Flow {
    /// What a flow that is still in memory waits for: its stored command's reply, or the user.
    fileprivate func due(_ command: [UInt8]) -> OrchestrationStep? {
        if outstanding?.command == command {
            return .send(OrchestrationCommand(bytes: command), name, kind)
        }
        guard case .password(let work) = work else { return nil }
        switch work.stage {
        case .repeating: return .authenticate(.init(.password, .verification), name)
        case .repeatingNew: return .authenticate(.init(.password, .enrollment), name)
        case .old, .new, .changing: return nil
        }
    }
}
