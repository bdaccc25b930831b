import Crypto
import PushCore
import PushOneSpan

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
    /// - Throws: ``OrchestrationProblem/commandUntrusted`` if the tag is wrong.
    func open(with key: Secret) throws(OrchestrationError) -> CommandBody {
        guard let nonce = try? AES.GCM.Nonce(data: Self.nonce),
            let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: ciphertext, tag: tag),
            var plain = try? AES.GCM.open(
                box, using: key.symmetricKey, authenticating: associatedData)
        else {
            throw OrchestrationProblem.commandUntrusted.error("A command doesn't open.")
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
}
