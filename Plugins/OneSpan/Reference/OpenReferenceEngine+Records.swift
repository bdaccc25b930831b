import Crypto
import PushCore
public import PushOneSpan

extension OpenReferenceEngine {
    var vault: WorkflowVault { WorkflowVault(core: environment.vault(for: provider)) }

    func enrollment(_ deviceID: [UInt8]) -> Enrollment.ID {
        Enrollment.ID(deviceID.hexName, of: provider)
    }

    /// A device's record.
    ///
    /// - Throws: ``OrchestrationError``: `notActivated`, `deactivated`, or the
    ///   store's own; `malformed` if the record is damaged.
    func record(_ name: String) async throws(OrchestrationError) -> DeviceRecord {
        guard let record = try await storedRecord(name) else {
            throw OrchestrationProblem.notActivated.error("There is no such device.")
        }
        return record
    }

    /// A device's record; `nil` if there is no such device.
    func storedRecord(_ name: String) async throws(OrchestrationError) -> DeviceRecord? {
        guard let credential = try await vault.secret(of: Enrollment.ID(name, of: provider)) else {
            return nil
        }
        return try Self.record(in: credential, name)
    }

    /// The record of a device that finished its activation.
    func activatedRecord(_ name: String) async throws(OrchestrationError) -> DeviceRecord {
        let record = try await record(name)
        guard record.finalize == nil else {
            throw OrchestrationProblem.notActivated.error("The activation isn't finished.")
        }
        return record
    }

    private static func record(
        in credential: OneSpanCredential, _ name: String
    ) throws(OrchestrationError) -> DeviceRecord {
        guard !credential.isDeactivated else {
            throw OrchestrationProblem.deactivated.error("The server has removed this device.")
        }
        guard let engine = credential.engine else { throw DeviceRecord.damaged }
        return try DeviceRecord(reading: engine, of: name)
    }

    /// Changes a device's record, by compare-and-set.
    @discardableResult
    func change<Value>(
        _ deviceID: [UInt8],
        _ body: (inout DeviceRecord, inout Enrollment) throws(OrchestrationError) -> Value
    ) async throws(OrchestrationError) -> Value {
        let id = enrollment(deviceID)
        return try await vault.update(id) { (own, enrollment) throws(OrchestrationError) in
            var record = try Self.record(in: own, id.name)
            let result = try body(&record, &enrollment)
            own.engine = record.sealed
            return result
        }
    }

    /// Writes the next counter down, so that no other command has it.
    func nextCounter(_ deviceID: [UInt8]) async throws(OrchestrationError) -> (UInt64, DeviceRecord)
    {
        try await change(deviceID) { (record, _) throws(OrchestrationError) in
            (try record.nextCounter(), record)
        }
    }

    /// Notes that the server has removed a device, and ends the device's flows. Its keys stay until
    /// it is forgotten.
    func deactivate(_ deviceID: [UInt8]) async throws(OrchestrationError) {
        try await vault.update(enrollment(deviceID)) { (own, enrollment) in
            own.isDeactivated = true
            enrollment.state = .needsReenrollment
        }
        for flow in running where flow.deviceID == deviceID { remove(flow.name) }
    }

    /// Erases a device's keys and ends its flows.
    public func forget(_ deviceID: String) async throws(OrchestrationError) {
        for flow in running where flow.deviceID?.hexName == deviceID { remove(flow.name) }
        try await vault.delete(Enrollment.ID(deviceID, of: provider))
    }
}

// MARK: Sealing

extension OpenReferenceEngine {
    /// 16 random bytes.
    func newFlowID() -> [UInt8] { environment.random.bytes(16).copiedBytes }

    /// A fresh private key; `make` refuses the few scalars that aren't one.
    func newKey<Key>(_ make: (Secret) -> Key?) throws(OrchestrationError) -> Key {
        for _ in 0..<16 {
            if let key = make(environment.random.bytes(32)) { return key }
        }
        throw OrchestrationError(.invalidArgument, "The random source makes no keys.")
    }

    func newEphemeral() throws(OrchestrationError) -> P256.KeyAgreement.PrivateKey {
        try newKey { secret in
            secret.withBytes { try? P256.KeyAgreement.PrivateKey(rawRepresentation: $0) }
        }
    }

    /// Seals a command of an activated device.
    func seal(
        _ type: CommandType, _ body: Secret, of record: DeviceRecord, flow: [UInt8],
        counter: UInt64
    ) throws(OrchestrationError) -> Flow.Outstanding {
        let sender = Sender(
            deviceID: record.deviceID, serverKey: record.serverKey, keys: record.keys)
        return try seal(type, body, of: sender, flow: flow, counter: counter)
    }

    /// A device that may not have a record yet.
    struct Sender {
        let deviceID: [UInt8]
        let serverKey: [UInt8]
        let keys: SessionKeys
    }

    func seal(
        _ type: CommandType, _ body: Secret, of sender: Sender, flow: [UInt8], counter: UInt64
    ) throws(OrchestrationError) -> Flow.Outstanding {
        let header = CommandHeader(
            type, principal: sender.deviceID, flow: flow, counter: counter,
            bodyLength: body.count)
        var clearKey: [UInt8] = []
        var key = sender.keys.keyToServer(header)
        if type.carriesPasswordProof {
            let ephemeral = try newEphemeral()
            let server = try configuration.serverKey(sender.serverKey)
            clearKey = Array(ephemeral.publicKey.x963Representation)
            key = sender.keys.keyToServer(header, agreed: try ephemeral.agreed(with: server))
        }
        let envelope = try CommandEnvelope(
            sealing: body, under: header, clearKey: clearKey, key: key)
        return Flow.Outstanding(
            command: envelope.bytes, reply: type.reply ?? .errorResponse, counter: counter)
    }

    /// The step that sends what is outstanding in a flow, and keeps the flow.
    func send(_ outstanding: Flow.Outstanding, in flow: inout Flow) -> Progress {
        flow.outstanding = outstanding
        flow.outstanding?.sent = environment.clock.elapsed
        return (
            .send(OrchestrationCommand(bytes: outstanding.command), flow.name, flow.kind), flow
        )
    }
}

extension CommandType {
    /// The reply to a command of the device.
    var reply: CommandType? {
        isFromDevice ? CommandType(rawValue: rawValue + 1) : nil
    }
}
