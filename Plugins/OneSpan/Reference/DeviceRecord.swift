import Crypto
import PushCore
import PushOneSpan

/// The keys and counters of an activated device, within what the provider keeps of the user.
struct DeviceRecord: ProviderCredential {
    /// What the provider keeps beside them.
    let own: OneSpanCredential

    /// 16 bytes.
    let deviceID: [UInt8]

    /// The server's static key that this device was activated with, 65 bytes.
    let serverKey: [UInt8]
    let keys: SessionKeys

    /// The private key that signs answers, 32 bytes.
    let signingKey: Secret

    /// The instance key for no user authentication.
    let noneKey: Secret

    /// The instance key for biometry; `nil` if the device was activated without.
    let biometricKey: Secret?

    /// The instance key for the password, masked by it.
    var mask: PasswordMask

    /// The last counter used towards the server. Written before a command with it is sealed.
    private(set) var counter: UInt64

    /// The last command of the activation, until its reply came.
    var finalize: [UInt8]?

    /// A change of the password, until its reply came.
    var change: PasswordChange?

    /// A password change of which nobody knows yet whether it counts.
    struct PasswordChange: Sendable {
        let nonce: [UInt8]

        /// The new key, masked by the new password.
        let mask: PasswordMask

        /// The sealed command.
        var command: [UInt8]
    }

    init(
        _ activation: Activated, keys: SessionKeys, mask: PasswordMask, counter: UInt64,
        finalize: [UInt8]
    ) {
        own = activation.own
        deviceID = activation.deviceID
        serverKey = activation.serverKey
        signingKey = activation.signingKey
        noneKey = activation.instances.none
        biometricKey = activation.instances.biometric
        self.keys = keys
        self.mask = mask
        self.counter = counter
        self.finalize = finalize
    }

    /// What an activation made, besides its session keys.
    struct Activated {
        let own: OneSpanCredential
        let deviceID: [UInt8]
        let serverKey: [UInt8]
        let signingKey: Secret
        let instances: InstanceKeys
    }

    static var damaged: OrchestrationError {
        OrchestrationError(.malformed, "A device's record is damaged.")
    }

    /// Counters stay below this, so that none ever overflows.
    static let counterLimit: UInt64 = 1 << 62

    /// Takes the next counter.
    mutating func nextCounter() throws(OrchestrationError) -> UInt64 {
        guard counter < Self.counterLimit else {
            throw OrchestrationError(.blocked, "The device has used up its counter.")
        }
        counter += 1
        return counter
    }

    /// Goes on behind the highest counter that the server saw; never back.
    mutating func raiseCounter(to highest: UInt64) {
        counter = max(counter, min(highest, Self.counterLimit))
    }

    /// The key that signs.
    func signer() throws(OrchestrationError) -> P256.Signing.PrivateKey {
        let key = signingKey.withBytes { try? P256.Signing.PrivateKey(rawRepresentation: $0) }
        guard let key else { throw Self.damaged }
        return key
    }
}

extension DeviceRecord {
    /// Reads a record, whole or not at all.
    ///
    /// - Throws: `PushError` with the code `malformed` if anything of it is damaged, or `blocked`
    ///   if the server has removed the device.
    init(reading sealed: Secret) throws(PushError) {
        let own = try OneSpanCredential(reading: sealed)
        do throws(OrchestrationError) {
            try self.init(in: own)
        } catch {
            throw error.pushError
        }
    }

    private init(in own: OneSpanCredential) throws(OrchestrationError) {
        guard !own.isDeactivated else {
            throw OrchestrationError(.authenticator(-1300), "The server has removed this device.")
        }
        guard let engine = own.engine, let record = try? Secret.Record(reading: engine) else {
            throw Self.damaged
        }
        guard record.fields["format"]?.string == "OOC/1", record.secrets.count == 11,
            let counter = record.fields["counter"]?.integer, counter >= 4
        else { throw Self.damaged }
        let parts = record.secrets
        guard parts[0].count == 16, parts[1].count == 65,
            parts[2...5].allSatisfy({ $0.count == 32 }), [0, 32].contains(parts[6].count),
            [0, 32].contains(parts[9].count)
        else { throw Self.damaged }
        self.own = own
        deviceID = parts[0].copiedBytes
        serverKey = parts[1].copiedBytes
        keys = SessionKeys(toServer: parts[2], toDevice: parts[3])
        signingKey = parts[4]
        noneKey = parts[5]
        biometricKey = parts[6].count == 0 ? nil : parts[6]
        mask = try PasswordMask(reading: parts[7])
        self.counter = UInt64(counter)
        finalize = try Self.stored(parts[8], .activationFinalize, of: deviceID)
        guard parts[9].count > 0 else {
            guard parts[10].count == 0 else { throw Self.damaged }
            return
        }
        change = try Self.change(nonce: parts[9], record: parts[10], of: deviceID)
    }

    /// The record, for the store.
    var sealed: Secret {
        var own = own
        own.engine = engine
        return own.sealed
    }

    private var engine: Secret {
        let none = Secret([])
        let change = change.map { Secret(joining: [$0.mask.stored, Secret($0.command)]) }
        return Secret.Record(
            fields: [
                "format": "OOC/1",
                "counter": .number(JSON.Number(Int64(clamping: counter))),
            ],
            secrets: [
                Secret(deviceID), Secret(serverKey), keys.toServer, keys.toDevice, signingKey,
                noneKey, biometricKey ?? none, mask.stored, Secret(finalize ?? []),
                Secret(self.change?.nonce ?? []), change ?? none,
            ]
        ).sealed
    }

    private static func change(
        nonce: Secret, record: Secret, of deviceID: [UInt8]
    ) throws(OrchestrationError) -> PasswordChange {
        guard record.count > 52 else { throw damaged }
        let (mask, command) = record.withBytes { (Secret($0.prefix(52)), Secret($0.dropFirst(52))) }
        guard let command = try stored(command, .changePasswordProve, of: deviceID) else {
            throw damaged
        }
        return PasswordChange(
            nonce: nonce.copiedBytes, mask: try PasswordMask(reading: mask), command: command)
    }

    /// A stored command; `nil` if none.
    private static func stored(
        _ part: Secret, _ type: CommandType, of deviceID: [UInt8]
    ) throws(OrchestrationError) -> [UInt8]? {
        guard part.count > 0 else { return nil }
        let bytes = part.copiedBytes
        let envelope = try CommandEnvelope(parsing: bytes)
        guard envelope.header.type == type, envelope.header.principal == deviceID else {
            throw damaged
        }
        return bytes
    }
}

extension WorkflowAccount {
    /// The device's record, as it was last read or written.
    ///
    /// - Throws: ``OrchestrationError``: `authenticator(-1300)` if the server has removed the
    ///   device, `malformed` if the record is damaged, or another device's.
    var record: DeviceRecord {
        get throws(OrchestrationError) {
            let record: DeviceRecord = try credential()
            guard record.deviceID.hexName == id.name else { throw DeviceRecord.damaged }
            return record
        }
    }

    /// Writes the next counter down, so that no other command has it.
    func nextCounter() async throws(OrchestrationError) -> (UInt64, DeviceRecord) {
        try await change { (record: inout DeviceRecord, _) throws(OrchestrationError) in
            (try record.nextCounter(), record)
        }
    }
}
