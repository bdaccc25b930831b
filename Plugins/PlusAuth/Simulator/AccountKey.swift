import Crypto
import CryptoExtras
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The half of an account's keys that verifies answers.
enum AccountPublicKey: JWSVerificationKey {
    case rs256(_RSA.Signing.PublicKey)
    case es256(ES256PublicKey)

    var algorithm: String {
        switch self {
        case .rs256: "RS256"
        case .es256: "ES256"
        }
    }

    func verify(
        _ signature: UnsafeRawBufferPointer, over message: UnsafeRawBufferPointer
    ) throws(PushError) {
        switch self {
        case .rs256(let key):
            let rsa = _RSA.Signing.RSASignature(rawRepresentation: signature)
            guard key.isValidSignature(rsa, for: message, padding: .insecurePKCS1v1_5) else {
                throw PushError(.untrusted, "The RS256 signature is wrong.")
            }
        case .es256(let key): try key.verify(signature, over: message)
        }
    }

    /// The text that a confused verifier would take for an HMAC key.
    var pem: String {
        switch self {
        case .rs256(let key): key.pemRepresentation
        case .es256(let key): key.key.pemRepresentation
        }
    }

    /// Whether it is the same key.
    func isSame(as other: AccountPublicKey) -> Bool { pem == other.pem }
}

/// The half of an account's keys that signs pushes.
enum AccountPrivateKey: JWSSigningKey {
    case rs256(_RSA.Signing.PrivateKey)
    case es256(ES256PrivateKey)

    var publicKey: AccountPublicKey {
        switch self {
        case .rs256(let key): .rs256(key.publicKey)
        case .es256(let key): .es256(key.publicKey)
        }
    }

    var algorithm: String { publicKey.algorithm }

    func signature(over message: Data) throws(PushError) -> Data {
        switch self {
        case .rs256(let key): try key.signature(over: message, padding: .insecurePKCS1v1_5)
        case .es256(let key): try key.signature(over: message)
        }
    }
}

extension _RSA.Signing.PrivateKey {
    func signature(over message: Data, padding: _RSA.Signing.Padding) throws(PushError) -> Data {
        do {
            return try signature(for: message, padding: padding).rawRepresentation
        } catch {
            throw PushError(.invalidArgument, "The key can't sign.", underlying: error)
        }
    }
}

extension AccountPublicKey {
    /// Reads a device's public key. The vendor's type of it demands `use`, `alg` and `kid`.
    ///
    /// - Throws: `PushError` that says what is wrong.
    init(_ jwk: JWK) throws(PushError) {
        guard jwk.use != nil, let algorithm = jwk.algorithm, let keyID = jwk.keyID, !keyID.isEmpty
        else { throw PushError(.malformed, "The public key lacks use, alg or kid.") }
        switch algorithm {
        case "RS256":
            try jwk.check(.verify, keyType: "RSA", algorithm: algorithm)
            self = .rs256(try Self.rsa(jwk))
        case "ES256": self = .es256(try ES256PublicKey(jwk))
        default: throw PushError(.unsupported, "The public key's alg is neither RS256 nor ES256.")
        }
    }

    private static func rsa(_ jwk: JWK) throws(PushError) -> _RSA.Signing.PublicKey {
        let numbers = [try jwk.bytes("n"), try jwk.bytes("e")]
        guard let key = try? _RSA.Signing.PublicKey(unsafeDERRepresentation: DER.sequence(numbers))
        else { throw PushError(.malformed, "The public key isn't an RSA key.") }
        return key
    }

    /// Its size in bits, for RSA.
    var rsaBits: Int? {
        guard case .rs256(let key) = self else { return nil }
        return key.keySizeInBits
    }
}

extension AccountPrivateKey {
    /// Reads a device's private key, with all its numbers, which have to fit.
    ///
    /// - Throws: `PushError` that says what is wrong.
    init(_ jwk: JWK) throws(PushError) {
        switch jwk.keyType {
        case "RSA":
            try jwk.check(.sign, keyType: "RSA", algorithm: "RS256")
            self = .rs256(try Self.rsa(jwk))
        case "EC": self = .es256(try ES256PrivateKey(privateJWK: jwk))
        default: throw PushError(.unsupported, "The private key is neither RSA nor EC.")
        }
    }

    private static func rsa(_ jwk: JWK) throws(PushError) -> _RSA.Signing.PrivateKey {
        var numbers = [Data([0])]
        for name in ["n", "e", "d", "p", "q", "dp", "dq", "qi"] {
            numbers.append(try jwk.bytes(name))
        }
        // Through DER all eight numbers are checked against each other, not computed again.
        guard let key = try? _RSA.Signing.PrivateKey(unsafeDERRepresentation: DER.sequence(numbers))
        else { throw PushError(.malformed, "The private key's numbers don't fit.") }
        return key
    }
}

/// As much of DER as an RSA key takes (RFC 8017, appendix A.1).
enum DER {
    /// A sequence of unsigned integers, most significant byte first.
    static func sequence(_ integers: [Data]) -> Data {
        element(0x30, integers.reduce(Data()) { $0 + integer($1) })
    }

    private static func integer(_ bytes: Data) -> Data {
        var digits = Data(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 > 0x7F }) ?? true { digits = [0] + digits }
        return element(0x02, digits)
    }

    private static func element(_ tag: UInt8, _ content: Data) -> Data {
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        let short = content.count < 0x80
        return Data([tag, short ? UInt8(content.count) : 0x80 | UInt8(length.count)])
            + Data(short ? [] : length) + content
    }
}
