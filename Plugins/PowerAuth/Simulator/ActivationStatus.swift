import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The 32 bytes that tell a device how its activation stands.
struct StatusBlob {
    let state: PowerAuthSimulator.ActivationState
    let counterByte: UInt8
    let failedAttempts: Int
    let maximumFailedAttempts: Int
    let lookAhead: Int
    let counter: Data
    /// Five bytes that mean nothing.
    let filler: Data

    func plain(transport: Data) -> Data {
        var bytes = Data([0xDE, 0xC0, 0xDE, 0xD1, state.rawValue, 3, 3])
        bytes += filler
        bytes += [
            counterByte, UInt8(clamping: failedAttempts), UInt8(clamping: maximumFailedAttempts),
            UInt8(clamping: lookAhead),
        ]
        return bytes
            + KeySchedule.deriveInternal(KeySchedule.derive(transport, index: 4000), counter)
    }

    static func initializationVector(transport: Data, challenge: Data, nonce: Data) -> Data {
        KeySchedule.deriveInternal(
            KeySchedule.derive(transport, index: 3000), challenge + nonce)
    }

    func encrypted(transport: Data, challenge: Data, nonce: Data) -> Data? {
        let iv = Self.initializationVector(
            transport: transport, challenge: challenge, nonce: nonce)
        return KeySchedule.cipher(
            plain(transport: transport), key: transport, iv: iv, padding: false)
    }
}

extension PowerAuthSimulator {
    /// Answers `/pa/v3/activation/status`, alike for what exists and what doesn't.
    func tellStatus(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        guard let object = incoming.object, let id = object["activationId"]?.string,
            let challenge = Data(base64: object["challenge"]?.string, count: 16)
        else { throw .activation }
        let nonce = configuration.random.data(16)
        var blob = configuration.random.data(32)
        if incoming.fault != .randomBlob, let activation = activations[id],
            let keys = activation.keys, let status = statusBlob(of: activation),
            let encrypted = status.encrypted(
                transport: keys.transport, challenge: challenge, nonce: nonce)
        {
            blob = encrypted
        }
        if incoming.fault == .tampered { blob[0] ^= 1 }
        var answer: JSON.Object = [
            "activationId": .string(id), "encryptedStatusBlob": .string(blob.base64),
            "nonce": .string(nonce.base64),
        ]
        answer["customObject"] = configuration.customObject.map { .object($0) }
        return .object(.object(answer))
    }

    private func statusBlob(of activation: Activation) -> StatusBlob? {
        guard let device = activation.device else { return nil }
        return StatusBlob(
            state: activation.state, counterByte: UInt8(truncatingIfNeeded: device.number),
            failedAttempts: activation.failedAttempts,
            maximumFailedAttempts: configuration.maximumFailedAttempts,
            lookAhead: configuration.lookAhead, counter: device.counter,
            filler: configuration.random.data(5))
    }

    /// Answers `/pa/v3/activation/remove`.
    func removeActivation(_ incoming: IncomingCall) throws(Refusal) -> ServerReply {
        let header = try verified(incoming, "/pa/activation/remove", SignatureType.strong)
        end(header.activation)
        return .object(["activationId": .string(header.activation)])
    }

    /// Makes an activation `REMOVED`; its tokens go with it.
    func end(_ id: String) {
        change(id, to: .removed)
        activations[id]?.registration = nil
        tokens = tokens.filter { $0.value.activation != id }
    }

    /// Changes a state, and tells the device if there is a way.
    func change(_ id: String, to state: ActivationState) {
        guard let old = activations[id]?.state, old != state else { return }
        activations[id]?.state = state
        announceStatus(of: id)
    }
}
