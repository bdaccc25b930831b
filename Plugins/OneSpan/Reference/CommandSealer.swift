import Crypto
import PushCore
import PushOneSpan

/// Makes keys, and seals the commands of devices that have session keys.
struct CommandSealer: Sendable {
    private let random: any RandomSource
    private let configuration: OpenReferenceEngine.Configuration

    init(_ random: any RandomSource, _ configuration: OpenReferenceEngine.Configuration) {
        self.random = random
        self.configuration = configuration
    }

    /// A device that may not have a record yet.
    struct Sender {
        let deviceID: [UInt8]
        let serverKey: [UInt8]
        let keys: SessionKeys
    }

    /// A fresh private key; `make` refuses the few scalars that aren't one.
    func newKey<Key>(_ make: (Secret) -> Key?) throws(OrchestrationError) -> Key {
        for _ in 0..<16 {
            if let key = make(random.bytes(32)) { return key }
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
    ) throws(OrchestrationError) -> Flow.SentCommand {
        let sender = Sender(
            deviceID: record.deviceID, serverKey: record.serverKey, keys: record.keys)
        return try seal(type, body, of: sender, flow: flow, counter: counter)
    }

    /// Seals a command of a device that may not have a record yet.
    func seal(
        _ type: CommandType, _ body: Secret, of sender: Sender, flow: [UInt8], counter: UInt64
    ) throws(OrchestrationError) -> Flow.SentCommand {
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
        return Flow.SentCommand(
            command: envelope.bytes, reply: type.reply ?? .errorResponse, counter: counter)
    }
}
