// swift-format-ignore-file
// Stand-in, written for this check. CryptoExtras comes with swift-crypto and says iOS 13 of itself but
// where marked.
public import Crypto
public import Foundation

func none() -> Never { fatalError() }

@available(macOS 10.15, iOS 13, *)
public enum _RSA: Sendable {
    public enum Signing: Sendable {
        public struct KeySize: Sendable {
            public let bitCount: Int
            public init(bitCount: Int) { self.bitCount = bitCount }
            public static var bits2048: Self { none() }
            public static var bits3072: Self { none() }
            public static var bits4096: Self { none() }
        }
        public struct Padding: Sendable {
            public static let insecurePKCS1v1_5 = Self()
            public static let PSS = Self()
            @available(macOS 10.15, iOS 13, *) public static let PSSZero = Self()
        }
        public struct RSASignature: Sendable {
            public let rawRepresentation: Data
            public init<D: DataProtocol>(rawRepresentation: D) { none() }
            public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { none() }
        }
        public struct PublicKey: Sendable {
            public struct Primitives: Sendable { public var modulus: Data; public var publicExponent: Data }
            public init(pemRepresentation: String) throws {}
            public init<D: DataProtocol>(derRepresentation: D) throws {}
            public init(unsafePEMRepresentation: String) throws {}
            public init<D: DataProtocol>(unsafeDERRepresentation: D) throws {}
            public init(n: some ContiguousBytes, e: some ContiguousBytes) throws {}
            public var derRepresentation: Data { none() }
            public var pkcs1DERRepresentation: Data { none() }
            public var pemRepresentation: String { none() }
            public var keySizeInBits: Int { none() }
            public func getKeyPrimitives() throws -> Primitives { none() }
            public func isValidSignature<D: DataProtocol>(_ signature: RSASignature, for data: D, padding: Padding) -> Bool { none() }
            public func isValidSignature<D: Digest>(_ signature: RSASignature, for digest: D, padding: Padding) -> Bool { none() }
            public func isValidSignature<D: DataProtocol>(_ signature: RSASignature, for data: D) -> Bool { none() }
            public func isValidSignature<D: Digest>(_ signature: RSASignature, for digest: D) -> Bool { none() }
        }
        public struct PrivateKey: Sendable {
            public init(keySize: KeySize) throws {}
            public init(pemRepresentation: String) throws {}
            public init<D: DataProtocol>(derRepresentation: D) throws {}
            public init(unsafePEMRepresentation: String) throws {}
            public init<D: DataProtocol>(unsafeDERRepresentation: D) throws {}
            public init(n: some ContiguousBytes, e: some ContiguousBytes, d: some ContiguousBytes, p: some ContiguousBytes, q: some ContiguousBytes) throws {}
            public var derRepresentation: Data { none() }
            public var pkcs8DERRepresentation: Data { none() }
            public var pemRepresentation: String { none() }
            public var keySizeInBits: Int { none() }
            public var publicKey: PublicKey { none() }
            public func signature<D: DataProtocol>(for data: D, padding: Padding) throws -> RSASignature { none() }
            public func signature<D: Digest>(for digest: D, padding: Padding) throws -> RSASignature { none() }
            public func signature<D: DataProtocol>(for data: D) throws -> RSASignature { none() }
        }
    }
}
@available(macOS 10.15, iOS 13, *)
extension AES {
    public static func permute<Payload: MutableCollection>(_ payload: inout Payload, key: SymmetricKey) throws where Payload.Element == UInt8 {}
    public enum _CBC {
        public struct IV: Sendable, Sequence {
            public init() {}
            public init<B: Collection>(ivBytes: B) throws where B.Element == UInt8 {}
            public func makeIterator() -> Array<UInt8>.Iterator { none() }
        }
        public static func encrypt<P: DataProtocol>(_ plain: P, using key: SymmetricKey, iv: IV) throws -> Data { none() }
        public static func encrypt<P: DataProtocol>(_ plain: P, using key: SymmetricKey, iv: IV, noPadding: Bool) throws -> Data { none() }
        public static func decrypt<C: DataProtocol>(_ sealed: C, using key: SymmetricKey, iv: IV) throws -> Data { none() }
        public static func decrypt<C: DataProtocol>(_ sealed: C, using key: SymmetricKey, iv: IV, noPadding: Bool) throws -> Data { none() }
    }
}
@available(macOS 10.15, iOS 13, *)
public enum KDF: Sendable {
    public enum Insecure {
        public enum PBKDF2 {
            public struct HashFunction: Equatable, Hashable, Sendable {
                public static let insecureMD5 = Self(), insecureSHA1 = Self(), sha256 = Self(), sha384 = Self(), sha512 = Self()
            }
            public static func deriveKey<P: DataProtocol, S: DataProtocol>(from password: P, salt: S, using hash: HashFunction, outputByteCount: Int, rounds: Int) throws -> SymmetricKey { none() }
            public static func deriveKey<P: DataProtocol, S: DataProtocol>(from password: P, salt: S, using hash: HashFunction, outputByteCount: Int, unsafeUncheckedRounds: Int) throws -> SymmetricKey { none() }
        }
    }
    public enum Scrypt {
        public static func deriveKey<P: DataProtocol, S: DataProtocol>(from password: P, salt: S, outputByteCount: Int, rounds: Int, blockSize: Int, parallelism: Int, maxMemory: Int? = nil) throws -> SymmetricKey { none() }
    }
}
