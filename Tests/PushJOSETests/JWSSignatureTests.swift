import Crypto
import Foundation
import PushCore
import PushJOSE
import Testing

struct JWSSignatureTests {
    private let input = "\(RFC7515A3.header).\(RFC7515A1.payload)"

    private func outcome(signature: Data) throws -> PushError.Code? {
        let key = try ES256PrivateKey(privateJWK: try jwk(RFC7515A3.jwk)).publicKey
        let text = "\(input).\(Base64.encode(signature, as: .url))"
        return refusal {
            try UnverifiedJWS(parsing: text).verified(by: key)
        }
    }

    private func genuine() throws -> Data {
        try Base64.data(from: RFC7515A3.signature, as: .url)
    }

    @Test func `an ES256 signature has exactly 64 bytes`() throws {
        let signature = try genuine()
        #expect(try outcome(signature: signature) == nil)
        for other in [
            signature.dropLast(), signature.dropFirst(), signature + [0], [0] + signature,
            signature.prefix(1), signature.prefix(32), signature + signature,
        ] {
            #expect(try outcome(signature: Data(other)) == .untrusted, "\(other.count)")
        }
    }

    @Test func `a DER signature is refused`() throws {
        let ecdsa = try P256.Signing.ECDSASignature(rawRepresentation: try genuine())
        #expect(try outcome(signature: ecdsa.derRepresentation) == .untrusted)
    }

    @Test func `r or s outside 1 to the order less one is refused`() throws {
        let signature = try genuine()
        let zero = Data(count: 32)
        // The order of P-256: SEC 2 version 2.0, section 2.4.2.
        let order = try Base64.data(from: "/////wAAAAD//////////7zm+q2nF56E87nKwvxjJVE=")
        let most = Data(repeating: 0xFF, count: 32)
        for number in [zero, order, most] {
            #expect(try outcome(signature: number + signature.suffix(32)) == .untrusted)
            #expect(try outcome(signature: signature.prefix(32) + number) == .untrusted)
            #expect(try outcome(signature: number + number) == .untrusted)
        }
        let swapped = signature.suffix(32) + signature.prefix(32)
        #expect(try outcome(signature: swapped) == .untrusted)
    }

    @Test func `an HS256 code has exactly 32 bytes`() throws {
        let message = Data("header.payload".utf8)
        let code = acmeKey.signature(over: message)
        try acmeKey.verify(code, over: message)
        for other in [Data(), code.prefix(1), code.prefix(16), code.prefix(31), code + [0]] {
            let code = refusal { try acmeKey.verify(other, over: message) }
            #expect(code == .untrusted)
        }
    }

    @Test func `a public key used as an HMAC key doesn't verify`() throws {
        let key = P256.Signing.PrivateKey()
        let publicKey = ES256PublicKey(key.publicKey)
        for known in [
            key.publicKey.x963Representation, key.publicKey.rawRepresentation,
            key.publicKey.derRepresentation, Data(key.publicKey.pemRepresentation.utf8),
            try JSON.object(publicKey.jwk().members).data,
        ] {
            let forged = try HS256Key(Secret(known)).compactJWS(of: Data("{}".utf8))
            let code = refusal {
                try UnverifiedJWS(parsing: forged).verified(by: publicKey)
            }
            #expect(code == .untrusted)
        }
    }

    @Test func `another key is refused`() throws {
        let text = try acmeKey.compactJWS(of: Data("{}".utf8))
        for key in [HS256Key(Secret([])), HS256Key(Secret(Array(repeating: 0, count: 32)))] {
            let code = refusal {
                try UnverifiedJWS(parsing: text).verified(by: key)
            }
            #expect(code == .untrusted)
        }
        let stranger = ES256PublicKey(P256.Signing.PrivateKey().publicKey)
        let code = refusal {
            try UnverifiedJWS(parsing: RFC7515A3.jws).verified(by: stranger)
        }
        #expect(code == .untrusted)
    }

    @Test func `HMAC keys of any length work and say how long they are`() throws {
        for count in [0, 1, 16, 31, 32, 63, 64, 65, 200] {
            let key = HS256Key(Secret(Array(repeating: 7, count: count)))
            #expect(key.byteCount == count)
            let text = try key.compactJWS(of: Data("{}".utf8))
            #expect(try UnverifiedJWS(parsing: text).verified(by: key).payload == Data("{}".utf8))
        }
    }

    @Test func `a plugin's own key decides, and its failures are never weaker than untrusted`()
        throws
    {
        struct AcmeKey: JWSVerificationKey {
            let algorithm = "ACME"
            let failure: PushError.Code?
            func verify(
                _ signature: UnsafeRawBufferPointer, over message: UnsafeRawBufferPointer
            ) throws(PushError) {
                if let failure { throw PushError(failure, "Said no.") }
            }
        }
        let text = try signedJWS(header: #"{"alg":"ACME"}"#, payload: "{}", by: acmeKey)
        func outcome(_ failure: PushError.Code?) -> PushError.Code? {
            refusal {
                try UnverifiedJWS(parsing: text).verified(by: AcmeKey(failure: failure))
            }
        }
        #expect(outcome(nil) == nil)
        for failure: PushError.Code in [.untrusted, .malformed, .unreachable, .cancelled, .storage]
        {
            #expect(outcome(failure) == .untrusted)
        }
    }

    @Test func `a key of any type can be chosen at run time`() throws {
        let key: any JWSVerificationKey = acmeKey
        let text = try acmeKey.compactJWS(of: Data("{}".utf8))
        #expect(try UnverifiedJWS(parsing: text).verified(by: key).payload == Data("{}".utf8))
    }
}
