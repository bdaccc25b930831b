import Crypto
import PushCore
import PushOneSpan

/// The keys and counters of an activated device: the engine's part of a credential.
struct DeviceRecord: Sendable {
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
    /// - Parameters:
    ///   - sealed: What was stored.
    ///   - name: The enrollment's name, which must be the device's.
    /// - Throws: `OrchestrationError` with the code `malformed` if anything of it is damaged.
    init(reading sealed: Secret, of name: String) throws(OrchestrationError) {
        guard let record = try? SecretRecord(reading: sealed) else { throw Self.damaged }
        guard record.fields["format"]?.string == "OOC/1", record.secrets.count == 11,
            let counter = record.fields["counter"]?.integer, counter >= 4
        else { throw Self.damaged }
        let parts = record.secrets
        guard parts[0].count == 16, parts[1].count == 65,
            parts[2...5].allSatisfy({ $0.count == 32 }), [0, 32].contains(parts[6].count),
            [0, 32].contains(parts[9].count)
        else { throw Self.damaged }
        deviceID = parts[0].copiedBytes
        guard deviceID.hexName == name else { throw Self.damaged }
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
        let none = Secret([])
        let change = change.map { Secret(joining: [$0.mask.stored, Secret($0.command)]) }
        return SecretRecord(
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
