import Crypto
import CryptoExtras
public import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension KeycloakSimulator {
    /// A key pair that a realm signs with.
    ///
    /// An RSA pair takes long to make, so tests make one for all of their realms.
    public struct RealmKey: Sendable {
        /// What it signs with.
        public let algorithm: Algorithm

        /// Its `kid`: 32 random bytes in base64url, as Keycloak's look.
        public let keyID: String

        private let pair: Pair

        enum Pair: Sendable {
            case rsa(_RSA.Signing.PrivateKey)
            case p256(P256.Signing.PrivateKey)
            case p384(P384.Signing.PrivateKey)
            case p521(P521.Signing.PrivateKey)
        }

        /// Makes a key pair.
        ///
        /// - Parameters:
        ///   - algorithm: What it is for. RSA keys have 2048 bits.
        ///   - random: Where `kid` comes from. The pair itself comes from the system.
        /// - Throws: `PushError` with the code `invalidArgument` if the system makes none.
        public init(
            _ algorithm: Algorithm, random: any RandomSource = SystemRandom()
        ) throws(PushError) {
            self.algorithm = algorithm
            keyID = random.bytes(32).withBytes { Base64.encode(Data($0), as: .url) }
            switch algorithm {
            case .rs256, .rs384, .rs512:
                guard let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048) else {
                    throw PushError(.invalidArgument, "No RSA key could be made.")
                }
                pair = .rsa(key)
            case .es256: pair = .p256(P256.Signing.PrivateKey())
            case .es384: pair = .p384(P384.Signing.PrivateKey())
            case .es512: pair = .p521(P521.Signing.PrivateKey())
            }
        }
    }
}

extension KeycloakSimulator.RealmKey {
    var publicKey: PublicKey {
        switch pair {
        case .rsa(let key): .rsa(key.publicKey)
        case .p256(let key): .p256(key.publicKey)
        case .p384(let key): .p384(key.publicKey)
        case .p521(let key): .p521(key.publicKey)
        }
    }

    /// The public half as the realm's key set has it.
    func jwk() throws(PushError) -> JSON {
        var members: JSON.Object = [
            "kid": .string(keyID), "kty": .string(algorithm.curve == nil ? "RSA" : "EC"),
            "alg": .string(algorithm.rawValue), "use": "sig",
        ]
        switch pair {
        case .rsa(let key):
            guard let numbers = try? key.publicKey.getKeyPrimitives() else { throw Self.unusable }
            members["n"] = .string(Base64.encode(numbers.modulus, as: .url))
            members["e"] = .string(Base64.encode(numbers.publicExponent, as: .url))
        case .p256(let key): addPoint(key.publicKey.rawRepresentation, to: &members)
        case .p384(let key): addPoint(key.publicKey.rawRepresentation, to: &members)
        case .p521(let key): addPoint(key.publicKey.rawRepresentation, to: &members)
        }
        return .object(members)
    }

    private func addPoint(_ bytes: Data, to members: inout JSON.Object) {
        let size = algorithm.coordinateBytes
        members["crv"] = algorithm.curve.map(JSON.string)
        members["x"] = .string(Base64.encode(Data(bytes.prefix(size)), as: .url))
        members["y"] = .string(Base64.encode(Data(bytes.suffix(size)), as: .url))
    }

    /// The text that a confused verifier would take for an HMAC key.
    var pem: String {
        switch pair {
        case .rsa(let key): key.publicKey.pemRepresentation
        case .p256(let key): key.publicKey.pemRepresentation
        case .p384(let key): key.publicKey.pemRepresentation
        case .p521(let key): key.publicKey.pemRepresentation
        }
    }

    func signature(over message: Data) throws(PushError) -> Data {
        do {
            switch (pair, algorithm) {
            case (.rsa(let key), .rs384):
                return try Self.signature(over: SHA384.hash(data: message), by: key)
            case (.rsa(let key), .rs512):
                return try Self.signature(over: SHA512.hash(data: message), by: key)
            case (.rsa(let key), _):
                return try Self.signature(over: SHA256.hash(data: message), by: key)
            case (.p256(let key), _): return try key.signature(for: message).rawRepresentation
            case (.p384(let key), _): return try key.signature(for: message).rawRepresentation
            case (.p521(let key), _): return try key.signature(for: message).rawRepresentation
            }
        } catch {
            throw Self.unusable
        }
    }

    private static func signature(
        over digest: some Digest, by key: _RSA.Signing.PrivateKey
    ) throws -> Data {
        try key.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation
    }

    /// A signature in the form that its key has in X.509: DER; the other padding for RSA.
    func signatureInAnotherForm(over message: Data) throws(PushError) -> Data {
        do {
            switch pair {
            case .rsa(let key):
                return try key.signature(for: message, padding: .PSS).rawRepresentation
            case .p256(let key): return try key.signature(for: message).derRepresentation
            case .p384(let key): return try key.signature(for: message).derRepresentation
            case .p521(let key): return try key.signature(for: message).derRepresentation
            }
        } catch {
            throw Self.unusable
        }
    }

    private static let unusable = PushError(.invalidArgument, "The realm's key can't be used.")
}
