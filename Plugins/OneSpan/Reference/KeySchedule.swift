import Crypto
import PushCore
import PushOneSpan

/// The keys of an activation, as its transcript grows.
struct ActivationKeys: Sendable {
    private(set) var transcript: [UInt8]
    private var shared: Secret
    private var master: Secret?

    /// The registration's handle: the principal of the handshake.
    static func handle(user: String, domain: String) -> [UInt8] {
        Array(
            sha256(Array("OOC1 reg".utf8) + [0] + domain.utf8 + [0] + user.utf8).prefix(16))
    }

    init(
        user: String, domain: String, ephemeral: P256.KeyAgreement.PrivateKey,
        server: P256.KeyAgreement.PublicKey
    ) throws(OrchestrationError) {
        transcript = sha256(
            Array("OOC1 transcript".utf8) + [0]
                + UInt16(truncatingIfNeeded: domain.utf8.count).bigEndianBytes + domain.utf8
                + UInt16(truncatingIfNeeded: user.utf8.count).bigEndianBytes + user.utf8
                + server.x963Representation)
        shared = try ephemeral.agreed(with: server)
    }

    /// The key of C1 and of S1: the shared secret so far, bound to the transcript so far.
    func handshakeKey(_ label: String, _ header: CommandHeader) -> Secret {
        shared.derived(salt: Secret(transcript), Array(label.utf8) + header.bytes)
    }

    /// The key of an error that answers C1.
    func helloErrorKey(hello: [UInt8], _ header: CommandHeader) -> Secret {
        shared.derived(
            salt: Secret(sha256(hello)), Array("OOC1 act E1".utf8) + header.bytes)
    }

    /// The key of an error that answers C2.
    func proofErrorKey(_ header: CommandHeader) -> Secret {
        handshakeKey("OOC1 act E2", header)
    }

    /// Adds a message to the transcript.
    mutating func add(_ message: [UInt8]) {
        transcript = sha256(transcript + message)
    }

    /// Adds the agreement with the server's ephemeral key.
    mutating func agree(
        _ ephemeral: P256.KeyAgreement.PrivateKey, _ server: P256.KeyAgreement.PublicKey
    ) throws(OrchestrationError) {
        shared = Secret(joining: [shared, try ephemeral.agreed(with: server)])
    }

    /// Mixes the activation password in.
    mutating func prove(_ password: Secret) {
        let material = Secret(joining: [
            shared, Secret([UInt8(truncatingIfNeeded: password.count)]), password,
        ])
        master = material.derived(salt: Secret(transcript), Array("OOC1 act master".utf8))
    }

    /// The key of C2 and of S2.
    func provedKey(_ label: String, _ header: CommandHeader) throws(OrchestrationError) -> Secret {
        try provedMaster().expanded(Array(label.utf8) + header.bytes)
    }

    /// The session keys of the device that the server named.
    func sessionKeys(_ deviceID: [UInt8]) throws(OrchestrationError) -> SessionKeys {
        let root = try provedMaster()
            .derived(salt: Secret(transcript), Array("OOC1 root".utf8) + deviceID)
        let epoch: [UInt8] = [1]
        return SessionKeys(
            toServer: root.expanded(Array("OOC1 d2s".utf8) + deviceID + epoch),
            toDevice: root.expanded(Array("OOC1 s2d".utf8) + deviceID + epoch))
    }

    private func provedMaster() throws(OrchestrationError) -> Secret {
        guard let master else {
            throw OrchestrationError(.invalidState, "The password isn't mixed in yet.")
        }
        return master
    }
}

/// The keys of an activated device, one for each direction.
struct SessionKeys: Sendable {
    let toServer: Secret
    let toDevice: Secret

    private static let label = Array("OOC1 msg".utf8)

    /// The key of a message from the server.
    func keyToDevice(_ header: CommandHeader) -> Secret {
        toDevice.expanded(Self.label + header.bytes)
    }

    /// The key of a message to the server.
    func keyToServer(_ header: CommandHeader) -> Secret {
        toServer.expanded(Self.label + header.bytes)
    }

    /// The key of a message to the server that carries a proof of the password: only the server's
    /// private key can open it, whoever reads this device's store later.
    func keyToServer(_ header: CommandHeader, agreed: Secret) -> Secret {
        agreed.derived(salt: toServer, Self.label + header.bytes)
    }
}

/// The device's instance keys: one for each way to authenticate.
struct InstanceKeys: Sendable {
    let none: Secret
    let password: Secret
    let biometric: Secret?

    /// The value of `instanceKeys`.
    var value: Secret {
        var parts = [Secret([biometric == nil ? 2 : 3, 0]), none, Secret([1]), password]
        if let biometric { parts += [Secret([2]), biometric] }
        return Secret(joining: parts)
    }

    /// The proof that an instance key arrived.
    static func confirmation(
        _ key: Secret, _ method: AuthenticationMethod, deviceID: [UInt8], challenge: [UInt8]
    ) -> Secret {
        key.code(
            for: Array("OOC1 confirm".utf8) + [0] + deviceID + [method.code] + challenge)
    }

    /// The proof of the old password that a change carries.
    static func changeProof(
        _ key: Secret, deviceID: [UInt8], nonce: [UInt8], counter: UInt64, newKey: Secret
    ) -> Secret {
        let head = Array("OOC1 chpw".utf8) + [0] + deviceID + nonce + counter.bigEndianBytes
        return Secret(joining: [Secret(head), newKey]).withBytes { key.code(for: $0) }
    }
}
