import PushCore
import PushOneSpan

/// The records of the devices in the store, as the engine reads and changes them.
struct DeviceRecords: Sendable {
    private let vault: WorkflowVault
    private let provider: ProviderID

    init(_ vault: WorkflowVault, of provider: ProviderID) {
        self.vault = vault
        self.provider = provider
    }

    /// The enrollment that a device's record belongs to.
    func enrollment(_ deviceID: [UInt8]) -> Enrollment.ID {
        Enrollment.ID(deviceID.hexName, of: provider)
    }

    /// A device's record.
    ///
    /// - Throws: ``OrchestrationError``: `notActivated`, `authenticator(-1300)`, or the
    ///   store's own; `malformed` if the record is damaged.
    func existing(_ name: String) async throws(OrchestrationError) -> DeviceRecord {
        guard let record = try await stored(name) else {
            throw OrchestrationError(.notActivated, "There is no such device.")
        }
        return record
    }

    /// A device's record; `nil` if there is no such device.
    func stored(_ name: String) async throws(OrchestrationError) -> DeviceRecord? {
        guard let credential = try await vault.secret(of: Enrollment.ID(name, of: provider)) else {
            return nil
        }
        return try Self.record(in: credential, name)
    }

    /// The record of a device that finished its activation.
    func activated(_ name: String) async throws(OrchestrationError) -> DeviceRecord {
        let record = try await existing(name)
        guard record.finalize == nil else {
            throw OrchestrationError(.notActivated, "The activation isn't finished.")
        }
        return record
    }

    private static func record(
        in credential: OneSpanCredential, _ name: String
    ) throws(OrchestrationError) -> DeviceRecord {
        guard !credential.isDeactivated else {
            throw OrchestrationError(.authenticator(-1300), "The server has removed this device.")
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
}
