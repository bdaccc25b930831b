import Crypto
import PushCore
import PushOneSpan

extension OpenReferenceEngine {
    /// Before the last command is made, the time that the server gave counts. Afterwards it may
    /// have accepted, and only its word does.
    func checkTime(_ work: ActivationWork, _ deadline: Duration?) throws(OrchestrationError) {
        if case .awaitingCompletion = work.stage { return }
        if let deadline, environment.clock.elapsed > deadline {
            throw OrchestrationError(
                .activationExpired, "The time for the activation is over (-1202).")
        }
    }

    /// Opens a reply of an activation, and notes what opening it needed.
    func openInActivation(
        _ envelope: CommandEnvelope, _ work: ActivationWork, _ flow: inout Flow
    ) throws(OrchestrationError) -> CommandBody {
        let header = envelope.header
        let isError = header.type == .errorResponse
        switch work.stage {
        case .enrolling: throw Self.invalidState
        case .awaitingChallenge(let ephemeral, var keys, let material):
            if isError {
                let hello = flow.outstanding?.command ?? []
                return try envelope.open(with: keys.helloErrorKey(hello: hello, header))
            }
            try keys.agree(ephemeral, try envelope.publicKey())
            var next = work
            next.stage = .awaitingInstances(keys, material)
            flow.work = .activation(next)
            return try envelope.open(with: keys.handshakeKey("OOC1 act S1", header))
        case .awaitingInstances(let keys, _):
            let key =
                isError ? keys.proofErrorKey(header) : try keys.provedKey("OOC1 act S2", header)
            return try envelope.open(with: key)
        case .awaitingConfirmation(let confirming):
            return try envelope.open(with: confirming.keys.keyToDevice(header))
        case .awaitingCompletion(let keys):
            return try envelope.open(with: keys.keyToDevice(header))
        }
    }

    /// Takes an opened reply of an activation.
    func takeInActivation(
        _ envelope: CommandEnvelope, _ body: CommandBody, _ flow: inout Flow
    ) async throws(OrchestrationError) -> Progress {
        guard case .activation(let work) = flow.work else { throw Self.invalidState }
        switch envelope.header.type {
        case .errorResponse:
            let error = try ReceivedError(body)
            try await erase(flow)
            return (.serverError(error.serverError, flow.name), nil)
        case .activationChallenge: return try takeChallenge(envelope, body, &flow)
        case .activationInstances: return try takeInstances(envelope, body, work, &flow)
        case .instanceConfirmed: return try await takeConfirmed(body, work, &flow)
        case .activationComplete: return try await takeComplete(work, flow)
        default: throw Self.invalidState
        }
    }

    /// 02: proves the activation password, and hands the instance keys over.
    private func takeChallenge(
        _ envelope: CommandEnvelope, _ body: CommandBody, _ flow: inout Flow
    ) throws(OrchestrationError) -> Progress {
        guard case .activation(var work) = flow.work,
            case .awaitingInstances(var keys, let material) = work.stage,
            let password = work.password
        else { throw Self.invalidState }
        guard body[.protocolVersion] == [1] else { throw CommandEnvelope.malformed }
        flow.deadline = environment.clock.elapsed + (try ReceivedValidity(body)).duration
        keys.add(envelope.bytes)
        keys.prove(password)
        work.password = nil
        let signer = material.signingKey.withBytes {
            try? P256.Signing.PrivateKey(rawRepresentation: $0)
        }
        guard let signer else { throw Self.invalidState }
        var proof = BodyWriter()
        proof.add(.deviceSigningKey, signer.publicKey.x963Representation)
        proof.add(.instanceKeys, material.instances.value)
        let header = CommandHeader(
            .activationProof,
            principal: ActivationKeys.handle(user: work.user, domain: work.domain),
            flow: flow.id, counter: 2, bodyLength: proof.body.count)
        let command = try CommandEnvelope(
            sealing: proof.body, under: header, key: try keys.provedKey("OOC1 act C2", header)
        ).bytes
        keys.add(command)
        work.stage = .awaitingInstances(keys, material)
        flow.work = .activation(work)
        return send(
            Flow.SentCommand(command: command, reply: .activationInstances, counter: 2), in: &flow)
    }

    /// 04: from here on there are session keys; confirms the instances without a password.
    private func takeInstances(
        _ envelope: CommandEnvelope, _ body: CommandBody, _ work: ActivationWork,
        _ flow: inout Flow
    ) throws(OrchestrationError) -> Progress {
        guard case .awaitingInstances(var keys, let material) = work.stage else {
            throw Self.invalidState
        }
        keys.add(envelope.bytes)
        let deviceID = try body.bytes(.deviceID)
        let challenge = try body.bytes(.challenge)
        let session = try keys.sessionKeys(deviceID)
        var confirm = BodyWriter()
        confirm.add(
            .authResponse,
            InstanceKeys.confirmation(
                material.instances.none, .none, deviceID: deviceID, challenge: challenge))
        if let biometric = material.instances.biometric {
            confirm.add(
                .secondResponse,
                InstanceKeys.confirmation(
                    biometric, .biometric, deviceID: deviceID, challenge: challenge))
        }
        let sender = CommandSealer.Sender(
            deviceID: deviceID, serverKey: work.serverKey, keys: session)
        let command = try sealer.seal(
            .instanceConfirm, confirm.body, of: sender, flow: flow.id, counter: 3)
        var next = work
        next.deviceID = deviceID
        next.stage = .awaitingConfirmation(
            .init(keys: session, material: material, transcript: keys.transcript))
        flow.work = .activation(next)
        return send(command, in: &flow)
    }

    /// 06: makes the last command, and stores it before it leaves: the server may act on it.
    private func takeConfirmed(
        _ body: CommandBody, _ work: ActivationWork, _ flow: inout Flow
    ) async throws(OrchestrationError) -> Progress {
        guard case .awaitingConfirmation(let confirming) = work.stage,
            let deviceID = work.deviceID
        else { throw Self.invalidState }
        let material = confirming.material
        let activated = DeviceRecord.Activated(
            own: OneSpanCredential(user: work.user, domain: work.domain), deviceID: deviceID,
            serverKey: work.serverKey, signingKey: material.signingKey,
            instances: material.instances)
        let command = try finalize(
            activated, confirming, challenge: try body.bytes(.challenge), flow: flow.id)
        let record = DeviceRecord(
            activated, keys: confirming.keys, mask: material.mask, counter: 4,
            finalize: command.command)
        try await accounts.create(
            Enrollment(
                id: enrollment(deviceID.hexName), account: work.user,
                host: work.host, port: work.port, state: .pending(.unconfirmed),
                created: environment.clock.now),
            record, claiming: OneSpanCredential.claim(user: work.user, domain: work.domain))
        var next = work
        next.stage = .awaitingCompletion(confirming.keys)
        flow.work = .activation(next)
        flow.deadline = nil
        return send(command, in: &flow)
    }

    private func finalize(
        _ activated: DeviceRecord.Activated, _ confirming: ActivationWork.Confirming,
        challenge: [UInt8], flow: [UInt8]
    ) throws(OrchestrationError) -> Flow.SentCommand {
        let signer = activated.signingKey.withBytes {
            try? P256.Signing.PrivateKey(rawRepresentation: $0)
        }
        guard let signer else { throw Self.invalidState }
        var body = BodyWriter()
        body.add(
            .authResponse,
            InstanceKeys.confirmation(
                activated.instances.password, .password, deviceID: activated.deviceID,
                challenge: challenge))
        body.add(
            .deviceSignature,
            try signer.signed(
                Array("OOC1 activate".utf8) + [0] + activated.deviceID + confirming.transcript))
        let sender = CommandSealer.Sender(
            deviceID: activated.deviceID, serverKey: activated.serverKey, keys: confirming.keys)
        return try sealer.seal(.activationFinalize, body.body, of: sender, flow: flow, counter: 4)
    }

    /// 08: the device is activated.
    private func takeComplete(
        _ work: ActivationWork, _ flow: Flow
    ) async throws(OrchestrationError) -> Progress {
        guard let deviceID = work.deviceID else { throw Self.invalidState }
        try await device(deviceID.hexName).change { (record: inout DeviceRecord, enrollment) in
            record.finalize = nil
            enrollment.state = .pending(.deviceToken)
        }
        let outcome = WorkflowOutcome.activated(
            deviceID: deviceID.hexName, user: work.user, domain: work.domain)
        return (.finished(outcome, flow.name), nil)
    }
}
