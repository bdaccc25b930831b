import Crypto
import PushCore
import PushOneSpan

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
    /// - Throws: ``OneSpanError/commandMalformed`` unless every byte has its place.
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
        OrchestrationError(.commandMalformed, "A command breaks the format's rules.")
    }
}

extension CommandEnvelope {
    /// Every message has a key of its own, so the nonce is constant.
    private static let nonce = [UInt8](repeating: 0, count: 12)

    /// Seals a body.
    init(
        sealing body: Secret, under header: CommandHeader, clearKey: [UInt8] = [], key: Secret
    ) throws(OrchestrationError) {
        let associated = header.bytes + clearKey
        let sealed = body.withBytes { body -> AES.GCM.SealedBox? in
            guard let nonce = try? AES.GCM.Nonce(data: Self.nonce) else { return nil }
            return try? AES.GCM.seal(
                body, using: key.symmetricKey, nonce: nonce, authenticating: associated)
        }
        guard let sealed else {
            throw OrchestrationError(.invalidArgument, "A command can't be sealed.")
        }
        self.init(
            header, clearKey: clearKey, ciphertext: Array(sealed.ciphertext),
            tag: Array(sealed.tag))
    }

    /// Opens a command and reads its body.
    ///
    /// - Throws: ``OneSpanError/commandUntrusted`` if the tag is wrong.
    func open(with key: Secret) throws(OrchestrationError) -> CommandBody {
        guard let nonce = try? AES.GCM.Nonce(data: Self.nonce),
            let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: ciphertext, tag: tag),
            var plain = try? AES.GCM.open(
                box, using: key.symmetricKey, authenticating: associatedData)
        else {
            throw OrchestrationError(.commandUntrusted, "A command doesn't open.")
        }
        let body = Secret(plain)
        plain.resetBytes(in: plain.startIndex..<plain.endIndex)
        return try body.withBytes { (bytes) throws(OrchestrationError) in
            try CommandBody(parsing: bytes, of: header)
        }
    }

    /// The body of a command that nobody authenticates.
    func openUnauthenticated() throws(OrchestrationError) -> CommandBody {
        try Secret(ciphertext).withBytes { (bytes) throws(OrchestrationError) in
            try CommandBody(parsing: bytes, of: header)
        }
    }

    var command: OrchestrationCommand { OrchestrationCommand(bytes: bytes) }

    /// Whether it is what a push carries.
    var isTrigger: Bool {
        header.type == .authenticationRequest || header.type == .transactionRequest
    }
}
