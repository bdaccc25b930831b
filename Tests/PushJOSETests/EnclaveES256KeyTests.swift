import Crypto
import Foundation
import PushCore
import Testing

@testable import PushJOSE

/// A key in a Secure Enclave, on a fake of CryptoKit's calls.
struct EnclaveES256KeyTests {
    private let enclave = FakeEnclave()
    private let message = Data("header.payload".utf8)

    @Test func `a key signs for its public half, and its blob gives the same key again`() throws {
        let made = try EnclaveES256Key(in: enclave)
        let again = try EnclaveES256Key(made.blob, in: enclave)
        #expect(again.publicKey.key.rawRepresentation == made.publicKey.key.rawRepresentation)
        for key in [made, again] {
            let token = try key.compactJWS(of: message, header: ["typ": "JWT"])
            let read = try UnverifiedJWS(parsing: token).verified(by: made.publicKey)
            #expect(read.payload == message)
        }
        let other = try EnclaveES256Key(in: enclave)
        #expect(other.blob.bytes != made.blob.bytes)
    }

    @Test func `a blob of another enclave's, or a damaged one, is refused`() throws {
        let blob = try EnclaveES256Key(in: FakeEnclave()).blob
        for strange in [blob, Secret([]), Secret(blob.bytes.dropLast())] {
            #expect(
                refusal { try EnclaveES256Key(strange, in: enclave) } == .malformed)
        }
    }

    @Test func `an enclave that can't be used now loses no key`() throws {
        let key = try EnclaveES256Key(in: enclave)
        enclave.lock()
        #expect(refusal { try key.signature(over: message) } == .storage)
        #expect(refusal { try EnclaveES256Key(in: enclave) } == .storage)
        enclave.lock(false)
        #expect(try key.signature(over: message).count == 64)
    }

    @Test func `without an enclave no key is made, and none is read`() throws {
        let blob = try EnclaveES256Key(in: enclave).blob
        #expect(refusal { try EnclaveES256Key(in: nil) } == .unsupported)
        #expect(refusal { try EnclaveES256Key(blob, in: nil) } == .unsupported)
    }
}

/// An enclave whose keys are of no use to another one.
private final class FakeEnclave: Enclave {
    private struct Unusable: Error {}

    private struct Key: EnclaveKey {
        let key: P256.Signing.PrivateKey
        let dataRepresentation: Data
        let enclave: FakeEnclave

        var publicKey: P256.Signing.PublicKey { key.publicKey }

        func signature(for message: Data) throws -> P256.Signing.ECDSASignature {
            try enclave.requireUse()
            return try key.signature(for: message)
        }
    }

    private let keys = Locked<[Data: P256.Signing.PrivateKey]>([:])
    private let isLocked = Locked(false)

    func lock(_ isLocked: Bool = true) { self.isLocked.withLock { $0 = isLocked } }

    func makeKey() throws -> any EnclaveKey {
        try requireUse()
        let key = P256.Signing.PrivateKey()
        let blob = Data("\(UUID())".utf8)
        keys.withLock { $0[blob] = key }
        return Key(key: key, dataRepresentation: blob, enclave: self)
    }

    func key(_ blob: Data) throws -> any EnclaveKey {
        guard let key = keys.withLock({ $0[blob] }) else { throw Unusable() }
        return Key(key: key, dataRepresentation: blob, enclave: self)
    }

    private func requireUse() throws {
        if isLocked.withLock({ $0 }) { throw Unusable() }
    }
}
