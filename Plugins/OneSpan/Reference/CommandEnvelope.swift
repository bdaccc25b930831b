import Crypto
import PushCore
import PushOneSpan

/// An OOC/1 command, taken apart and not opened.
struct CommandEnvelope: Sendable {
    let header: CommandHeader

    /// The sender's ephemeral public key, 65 bytes; empty if the type has none.
    let clearKey: [UInt8]
    let ciphertext: [UInt8]

    /// 16 bytes; empty if the command isn't authenticated.
    let tag: [UInt8]

    /// What the tag covers besides the body.
    var associatedData: [UInt8] { header.bytes + clearKey }

    /// The bytes as they travel.
    var bytes: [UInt8] { associatedData + ciphertext + tag }

    init(_ header: CommandHeader, clearKey: [UInt8], ciphertext: [UInt8], tag: [UInt8]) {
        self.header = header
        self.clearKey = clearKey
        self.ciphertext = ciphertext
        self.tag = tag
    }

    /// Takes a command apart.
    ///
    /// - Throws: ``OrchestrationProblem/commandMalformed`` unless every byte has its place.
    init(parsing bytes: [UInt8]) throws(OrchestrationError) {
        guard bytes.count <= OrchestrationCommand.limit,
            let header = CommandHeader(parsing: bytes.prefix(CommandHeader.size))
        else { throw Self.malformed }
        let keyLength = header.flags.contains(.clearKey) ? 65 : 0
        let tagLength = header.flags.contains(.unauthenticated) ? 0 : 16
        let rest = bytes.dropFirst(CommandHeader.size)
        guard rest.count == keyLength + header.bodyLength + tagLength else { throw Self.malformed }
        // A proof that isn't of one size could open to different bodies under many passwords.
        if header.type == .activationProof, ![140, 173].contains(header.bodyLength) {
            throw Self.malformed
        }
        self.header = header
        clearKey = Array(rest.prefix(keyLength))
        ciphertext = Array(rest.dropFirst(keyLength).dropLast(tagLength))
        tag = Array(rest.suffix(tagLength))
        if keyLength > 0 { _ = try publicKey() }
    }

    /// The sender's ephemeral key.
    func publicKey() throws(OrchestrationError) -> P256.KeyAgreement.PublicKey {
        guard let key = try? P256.KeyAgreement.PublicKey(x963Representation: clearKey) else {
            throw Self.malformed
        }
        return key
    }

    static var malformed: OrchestrationError {
        OrchestrationProblem.commandMalformed.error("A command breaks the format's rules.")
    }
}
